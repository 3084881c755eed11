import {jobUrl} from "../../api/client";
import type {JobDetail} from "../../api/types";
import {HeatMap} from "../../components/heat_map";
import {Link} from "../../components/link";
import {useMetrics} from "../../hooks/use_job_resource";
import {isLive} from "../../pure/job_state";
import {UNKNOWN} from "../../pure/format";
import {heatRows} from "../../pure/heat_map";
import type {MetricsAnswer} from "../../pure/series";
import {jobPath} from "../../pure/url_state";

const WORST = 10;

// Which rank is slow: the heat map of step times, and the slowest ranks by name.
export function Ranks({job}: {job: JobDetail}) {
  const answer = useMetrics<MetricsAnswer>(
    jobUrl(job.id, "metrics", {series: "step_s", of: "rank", points: "240"}),
    isLive(job.state),
  );
  const rows = answer.data ? heatRows(answer.data.series.filter(series => series.name === "step_s")) : [];
  if (rows.length === 0) return null; // fewer than three ranks, or none that reports steps
  return (
    <section>
      <h2>Ranks: time per step, compared with the median</h2>
      <HeatMap rows={rows} label={`Step times of ${rows.length} ranks; the slowest are listed below`} />
      <ol class="worst">
        {rows.slice(0, WORST).map(row => (
          <li key={row.label} data-row>
            <Link to={jobPath(job.id)} query={{tab: "tasks", task: row.task}}>
              {row.label}
            </Link>{" "}
            {row.mean === null ? UNKNOWN : row.mean.toFixed(2)} times the median
          </li>
        ))}
      </ol>
    </section>
  );
}
