// A JSON resource of the API.
import {useCallback, useEffect, useRef, useState} from "preact/hooks";
import {ApiError, getJson} from "../api/client";

export interface Resource<T> {
  data: T | null; // the last answer; it stays while an error is shown
  error: ApiError | null; // of the last request
  loading: boolean;
  at: number | null; // when the data was received, in milliseconds since 1970
  reload: () => void;
}

// Reads `url`, and again when it changes or `reload` is called. null: nothing is read. `keep`: the data of the last URL
// stays until that of the new one has arrived.
export function useResource<T>(url: string | null, keep = false): Resource<T> {
  const [state, setState] = useState<Omit<Resource<T>, "reload">>({
    data: null,
    error: null,
    loading: url !== null,
    at: null,
  });
  const running = useRef<AbortController | null>(null);
  const again = useRef(false);

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
        data => done({data, error: null, at: Date.now()}),
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
  return {...state, reload};
}
