// A part of a job, which is read again when the job changes.
import {useEffect, useRef} from "preact/hooks";
import {useResource, type Resource} from "./use_resource";

export function useJobResource<T>(url: string | null, version: number): Resource<T> {
  const resource = useResource<T>(url, true);
  const seen = useRef(version);
  useEffect(() => {
    if (seen.current === version) return;
    seen.current = version;
    resource.reload();
  }, [version]);
  return resource;
}

const SAMPLING_MS = 5000; // the usual interval of samples

// Metrics change without an event of the job. They are read again while it is live, once after its end, and while an
// answer is partial: the portal then continues to read.
export function useMetrics<T>(url: string, live: boolean, isPartial?: (data: T) => boolean): Resource<T> {
  const resource = useResource<T>(url, true);
  const wasLive = useRef(live);
  const repeats = live || (resource.data !== null && isPartial?.(resource.data) === true);
  useEffect(() => {
    if (!live && wasLive.current) resource.reload();
    wasLive.current = live;
    if (!repeats) return undefined;
    const timer = window.setInterval(() => {
      if (!document.hidden) resource.reload();
    }, SAMPLING_MS);
    return () => window.clearInterval(timer);
  }, [live, repeats, resource.reload]);
  return resource;
}
