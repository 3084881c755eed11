// A JSON resource of the API.
import {useCallback, useEffect, useRef, useState} from "preact/hooks";
import {ApiError, getJson} from "../api/client";

export interface Resource<T> {
  data: T | null; // the last answer; it stays while an error is shown
  error: ApiError | null; // of the last request
  loading: boolean;
  at: number | null; // when the data was received, in milliseconds since 1970
  reload: () => void;
  change: (change: (data: T) => T) => void; // applies what the caller has learnt since the last answer
}

// Reads `url`, and again when it changes or `reload` is called. null: nothing is read. `keep`: the data of the last URL
// stays until that of the new one has arrived.
export function useResource<T>(url: string | null, keep = false): Resource<T> {
  const [state, setState] = useState<Omit<Resource<T>, "reload" | "change">>({
    data: null,
    error: null,
    loading: url !== null,
    at: null,
  });
  const running = useRef<AbortController | null>(null);
  const again = useRef(false);
  const changes = useRef<((data: T) => T)[]>([]); // those made since the request that is under way began

  const load = useCallback(
    (fresh: boolean) => {
      if (url === null) return;
      if (running.current && !fresh) {
        again.current = true; // the answer under way may be older than the change
        return;
      }
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      changes.current = [];
      setState(old => (fresh && !keep ? {data: null, error: null, loading: true, at: null} : {...old, loading: true}));
      const done = (result: Partial<Resource<T>>) => {
        if (running.current !== controller) return;
        running.current = null;
        setState(old => ({...old, ...result, loading: false}));
        if (again.current) {
          again.current = false;
          load(false);
        }
      };
      getJson<T>(url, controller.signal).then(
        data => done({data: changes.current.reduce((old, change) => change(old), data), error: null, at: Date.now()}),
        (error: unknown) => done({error: error instanceof ApiError ? error : new ApiError(0, String(error), null)}),
      );
    },
    [url, keep],
  );

  useEffect(() => {
    again.current = false;
    load(true);
    return () => {
      running.current?.abort();
      running.current = null;
    };
  }, [load]);

  const reload = useCallback(() => load(false), [load]);
  const change = useCallback((change: (data: T) => T) => {
    if (running.current) changes.current.push(change); // the answer under way may be older than the change
    setState(old => (old.data === null ? old : {...old, data: change(old.data)}));
  }, []);
  return {...state, reload, change};
}
