// The check of a job file while it is edited.
import {useEffect, useRef, useState} from "preact/hooks";
import {ApiError, apiUrl, post} from "../api/client";
import type {PlanAnswer} from "../api/types";

const TYPING_MS = 300;

export interface PlanState {
  plan: PlanAnswer | null; // the newest answer
  error: ApiError | null;
  current: boolean; // whether `plan` is that of the newest text
}

export function usePlan(job: string | null, sets: readonly string[], of: string): PlanState {
  const [state, setState] = useState<PlanState>({plan: null, error: null, current: false});
  const newest = useRef(0);
  const key = JSON.stringify([job, sets, of]);
  useEffect(() => {
    if (job === null) return undefined;
    const number = ++newest.current;
    setState(old => ({...old, current: false}));
    const timer = window.setTimeout(() => {
      post<PlanAnswer>(apiUrl("plan"), {job, set: sets, of}).then(
        plan => {
          if (number === newest.current) setState({plan, error: null, current: true});
        },
        (reason: unknown) => {
          const error = reason instanceof ApiError ? reason : new ApiError(0, String(reason), null);
          if (number === newest.current) setState(old => ({...old, error}));
        },
      );
    }, TYPING_MS);
    return () => window.clearTimeout(timer);
  }, [key]);
  return state;
}
