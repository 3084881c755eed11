import {useMemo} from "preact/hooks";
import {jobUrl} from "../../api/client";
import type {JobDetail} from "../../api/types";
import {Chart} from "../../components/chart";
import {Notes} from "../../components/notes";
import {ResourceView} from "../../components/resource_view";
import {useMetrics} from "../../hooks/use_job_resource";
import {count} from "../../pure/format";
import {isLive} from "../../pure/job_state";
import {extremesText, scalarTable, type ScalarData, type ScalarTags} from "../../pure/scalars";
import {setRange, type ChartView} from "./chart_controls";

const MOST_CHARTS = 24; // each of them is a request
const MOST_CURVES = 16; // more cannot be told apart

const STILL_READ = "The event files are still being read.";
const isPartial = (answer: {complete: boolean}) => !answer.complete;

interface Props {
  job: JobDetail;
  find: string;
  view: ChartView;
  origin: number; // begin of the job, in seconds since 1970
}

// The scalars in the job's TensorBoard event files, one chart per tag.
export function ScalarCharts({job, find, view, origin}: Props) {
  const answer = useMetrics<ScalarTags>(jobUrl(job.id, "scalars"), isLive(job.state), isPartial);
  return (
    <ResourceView what="The TensorBoard event files" resource={answer}>
      {data => {
        if (data.logdir === null) return null;
        const found = data.tags.filter(({tag}) => tag.toLowerCase().includes(find));
        return (
          <section>
            <h2>TensorBoard scalars</h2>
            <Notes
              notes={[
                data.complete ? null : STILL_READ,
                data.problem,
                found.length > MOST_CHARTS
                  ? `${MOST_CHARTS} of ${count(found.length)} tags are shown. Find others by their name.`
                  : null,
              ].filter((note): note is string => note !== null)}
            />
            {found.length === 0 && (
              <p class="empty">
                {find ? "No scalar has this name." : <>There are no scalars below <code>{data.logdir}</code>.</>}
              </p>
            )}
            <div class="charts">
              {found.slice(0, MOST_CHARTS).map(({tag}) => (
                <ScalarChart key={tag} tag={tag} job={job} view={view} origin={origin} />
              ))}
            </div>
          </section>
        );
      }}
    </ResourceView>
  );
}

function ScalarChart({tag, job, view, origin}: {tag: string; job: JobDetail; view: ChartView; origin: number}) {
  const answer = useMetrics<ScalarData>(jobUrl(job.id, "scalars/data", {tag}), isLive(job.state), isPartial);
  return (
    <div>
      <ResourceView what={`The scalar ${tag}`} resource={answer}>
        {data => <OneChart data={data} view={view} origin={origin} />}
      </ResourceView>
    </div>
  );
}

function OneChart({data, view, origin}: {data: ScalarData; view: ChartView; origin: number}) {
  const runs = data.runs.slice(0, MOST_CURVES);
  const table = useMemo(() => scalarTable({...data, runs}, view.axis, origin), [data, view.axis, origin]);
  return (
    <>
      <Chart
        title={data.tag}
        unit=""
        note={data.complete ? null : STILL_READ}
        table={table}
        axis={view.axis}
        joined
        logScale={view.logScale}
        smoothing={view.smoothing}
        range={view.range}
        sync="job"
        zoom={setRange}
      />
      <ul class="muted">
        {runs.map(run => (
          <li key={run.run}>
            {run.run === "." ? "" : `${run.run}: `}
            {extremesText(run)}
          </li>
        ))}
      </ul>
      {data.runs.length > runs.length && (
        <p class="muted">
          {runs.length} of {data.runs.length} runs are drawn.
        </p>
      )}
    </>
  );
}
