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
