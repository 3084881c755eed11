// One job, kept up to date by its stream.
import {useState} from "preact/hooks";
import {jobUrl, type ApiError} from "../api/client";
import type {LiveState} from "../api/live_stream";
import type {JobDetail, Task} from "../api/types";
import {mergedTasks} from "../pure/job_state";
import {useLive, useThrottled} from "./use_live";
import {useResource} from "./use_resource";

export interface LiveJob {
  job: JobDetail | null;
  error: ApiError | null;
  loading: boolean;
  live: LiveState;
  version: number; // grows when the job has changed, at most once per second: parts of the page then read again
  reload: () => void;
}

export function useJob(id: string): LiveJob {
  const resource = useResource<JobDetail>(jobUrl(id));
  const [version, setVersion] = useState(0);
  const grow = useThrottled(() => setVersion(old => old + 1), 1000);

  const live = useLive(`job:${id}`, () => [`job:${id}`], {
    reload: () => {
      resource.reload();
      grow();
    },
    event: (kind, data) => {
      if (kind !== "job") return;
      const head = data["job"] as Partial<JobDetail> | undefined;
      const tasks = (data["tasks"] ?? []) as Task[];
      const removed = (data["removed_tasks"] ?? []) as string[];
      resource.change(old => ({...old, ...head, tasks: mergedTasks(old.tasks, tasks, removed)}));
      grow();
    },
  });
  return {job: resource.data, error: resource.error, loading: resource.loading, live, version, reload: resource.reload};
}
