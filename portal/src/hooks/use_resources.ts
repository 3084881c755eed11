// Several JSON resources of the API, read at the same time.
import {useEffect, useState} from "preact/hooks";
import {ApiError, getJson} from "../api/client";

export interface Loaded<T> {
  data: T | null;
  error: ApiError | null;
}

const POLL_MS = 5000;

// One element per URL, in the same order: neither data nor error until the answer has arrived. While `live`, all are
// read again regularly.
export function useResources<T>(urls: readonly string[], live: boolean): Loaded<T>[] {
  const key = urls.join("\n");
  const [loaded, setLoaded] = useState<ReadonlyMap<string, Loaded<T>>>(new Map());
  useEffect(() => {
    const controller = new AbortController();
    const read = () => {
      for (const url of urls) {
        getJson<T>(url, controller.signal).then(
          data => setLoaded(old => new Map(old).set(url, {data, error: null})),
          (reason: unknown) => {
            if (controller.signal.aborted) return;
            const error = reason instanceof ApiError ? reason : new ApiError(0, String(reason), null);
            setLoaded(old => new Map(old).set(url, {data: old.get(url)?.data ?? null, error}));
          },
        );
      }
    };
    read();
    const timer = live
      ? window.setInterval(() => {
          if (!document.hidden) read();
        }, POLL_MS)
      : null;
    return () => {
      controller.abort();
      if (timer !== null) window.clearInterval(timer);
    };
  }, [key, live]);
  return urls.map(url => loaded.get(url) ?? {data: null, error: null});
}
