import {jobUrl} from "../../api/client";
import type {JobDetail} from "../../api/types";
import {Notes} from "../../components/notes";
import {ResourceView} from "../../components/resource_view";
import {useMetrics} from "../../hooks/use_job_resource";
import {setQuery, useLocation} from "../../hooks/use_location";
import {isLive} from "../../pure/job_state";
import {parseTime} from "../../pure/format";
import type {Axis, MetricsAnswer} from "../../pure/series";
import {ChartControls, chartView} from "./chart_controls";
import {ChartGrid} from "./chart_grid";
import {Ranks} from "./ranks";
import {TaskChoice} from "./task_choice";

const AXES: readonly Axis[] = ["time", "relative"];
const FEW_TASKS = 8; // with more tasks the charts begin with the quantiles of each role

const EXPLANATIONS: Readonly<Record<string, string>> = {
  cpu_cores: "CPU time per second",
  memory_bytes: "resident memory",
  gpu_util: "average of the GPUs",
  cpu_throttled: "share of periods",
  input_wait: "share of time",
  step_s: "time per step",
  steps_s: "steps per second",
  stdout_bytes: "size of the log",
  stderr_bytes: "size of the log",
  shm_bytes: "use of /dev/shm",
};

const isResource = (name: string) => !name.startsWith("metric.");

export function ChartsTab({job}: {job: JobDetail}) {
  const {query} = useLocation();
  const view = chartView(query, AXES);
  const tasks = query["tasks"] ?? "";
  const many = job.tasks.length > FEW_TASKS && tasks === "";
  const of = query["of"] ?? (many ? "role" : "task");
  const url = jobUrl(job.id, "metrics", {of, tasks, points: "360"});
  const answer = useMetrics<MetricsAnswer>(url, isLive(job.state));
  const origin = (parseTime(job.started ?? job.submitted) ?? 0) / 1000;
  return (
    <>
      <div class="toolbar">
        <TaskChoice job={job} chosen={tasks} />
        <label>
          Show{" "}
          <select value={of} onChange={event => setQuery({of: event.currentTarget.value}, true)}>
            <option value="task">each task</option>
            <option value="role">quantiles of each role</option>
            <option value="rank">each rank</option>
          </select>
        </label>
        <ChartControls view={view} axes={AXES} />
      </div>
      <Ranks job={job} />
      <ResourceView what="The metrics" resource={answer}>
        {data => (
          <>
            <Notes notes={data.note ? [data.note] : null} />
            <ChartGrid answer={data} wanted={isResource} view={view} origin={origin} explanations={EXPLANATIONS} />
          </>
        )}
      </ResourceView>
    </>
  );
}
