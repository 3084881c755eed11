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

// Metrics change without an event of the job. They are read again while it is live, and once after its end.
export function useMetrics<T>(url: string, live: boolean): Resource<T> {
  const resource = useResource<T>(url, true);
  const wasLive = useRef(live);
  useEffect(() => {
    if (!live && wasLive.current) resource.reload();
    wasLive.current = live;
    if (!live) return undefined;
    const timer = window.setInterval(() => {
      if (!document.hidden) resource.reload();
    }, SAMPLING_MS);
    return () => window.clearInterval(timer);
  }, [live, resource.reload]);
  return resource;
}
