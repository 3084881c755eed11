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
import {ScalarCharts} from "./scalar_charts";
import {TaskChoice} from "./task_choice";

const AXES: readonly Axis[] = ["step", "time", "relative"];
const NONE: Readonly<Record<string, string>> = {};

export function MetricsTab({job}: {job: JobDetail}) {
  const {query} = useLocation();
  const view = chartView(query, AXES);
  const tasks = query["tasks"] ?? "";
  const find = (query["find"] ?? "").toLowerCase();
  // `rank`, because every process reports its own values.
  const answer = useMetrics<MetricsAnswer>(
    jobUrl(job.id, "metrics", {of: "rank", tasks, points: "720"}),
    isLive(job.state),
  );
  const origin = (parseTime(job.started ?? job.submitted) ?? 0) / 1000;
  const wanted = (name: string) =>
    name.startsWith("metric.") && name.slice("metric.".length).toLowerCase().includes(find);
  return (
    <>
      <div class="toolbar">
        <label>
          Find{" "}
          <input
            data-filter
            value={query["find"] ?? ""}
            size={14}
            spellcheck={false}
            onInput={event => setQuery({find: event.currentTarget.value}, true)}
          />
        </label>
        <TaskChoice job={job} chosen={tasks} />
        <ChartControls view={view} axes={AXES} />
      </div>
      <ResourceView what="The metrics" resource={answer}>
        {data => {
          const some = data.series.some(series => wanted(series.name));
          return (
            <>
              <Notes notes={data.note ? [data.note] : null} />
              {!some && (
                <p class="empty">
                  {find ? (
                    "No metric has this name."
                  ) : (
                    <>
                      The job has reported no metrics. A process reports one with a line{" "}
                      <code>metric loss 0.31</code>{" "}
                      in the file that <code>HOWDAH_PROGRESS</code> names.
                    </>
                  )}
                </p>
              )}
              <ChartGrid answer={data} wanted={wanted} view={view} origin={origin} explanations={NONE} />
            </>
          );
        }}
      </ResourceView>
      <ScalarCharts job={job} find={find} view={view} origin={origin} />
    </>
  );
}
