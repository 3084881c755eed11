import {useMemo} from "preact/hooks";
import {jobUrl} from "../../api/client";
import type {ComparedRun} from "../../api/types";
import {Chart} from "../../components/chart";
import {Notes} from "../../components/notes";
import {useLocation} from "../../hooks/use_location";
import {useResources} from "../../hooks/use_resources";
import {chartsOf, overlaid, STEP_RATE, type RunMetrics} from "../../pure/comparison";
import {parseTime} from "../../pure/format";
import {isLive} from "../../pure/job_state";
import type {Axis, MetricsAnswer} from "../../pure/series";
import {ChartControls, chartView, setRange, type ChartView} from "../job/chart_controls";
import {runLabel} from "./run_titles";

const AXES: readonly Axis[] = ["step", "relative", "time"];

function metricsUrl(run: ComparedRun): string {
  // Only the first task of each role, because a job may have thousands.
  const tasks = (run.roles ?? []).map(usage => `${usage.role}:0`).join(",");
  return jobUrl(run.id, "metrics", {of: "rank", tasks, points: "720"});
}

function OverlaidChart({
  chart,
  runs,
  view,
}: {
  chart: {name: string; role: string; unit: string};
  runs: readonly RunMetrics[];
  view: ChartView;
}) {
  const table = useMemo(() => overlaid(runs, chart.name, chart.role, view.axis), [runs, view.axis]);
  const title = chart.name === STEP_RATE ? "steps per second" : chart.name.replace(/^metric\./, "");
  return (
    <Chart
      title={title}
      unit={chart.unit}
      note={chart.role}
      table={table}
      axis={view.axis}
      joined
      logScale={view.logScale}
      smoothing={view.smoothing}
      range={view.range}
      sync="compare"
      zoom={setRange}
    />
  );
}

// The values that the runs reported, and their step rates, over one axis.
export function CompareCharts({runs}: {runs: readonly ComparedRun[]}) {
  const {query} = useLocation();
  const view = chartView(query, AXES);
  const readable = runs.filter(run => run.state !== undefined);
  const loaded = useResources<MetricsAnswer>(
    readable.map(metricsUrl),
    readable.some(run => isLive(run.state ?? "")),
  );
  const metrics: RunMetrics[] = useMemo(
    () =>
      readable.map((run, i) => ({
        label: runLabel(runs, run),
        origin: (parseTime(run.started ?? run.submitted) ?? 0) / 1000,
        answer: loaded[i]?.data ?? null,
      })),
    [runs, ...loaded.map(one => one.data)],
  );
  const charts = chartsOf(metrics);
  // A run without metrics (404) is not reported.
  const problems = readable.flatMap((run, i) => {
    const error = loaded[i]?.error;
    return error && error.status !== 404 ? [`${runLabel(runs, run)}: ${error.message}`] : [];
  });
  return (
    <>
      <h2>Reported metrics and step rate</h2>
      <div class="toolbar">
        <ChartControls view={view} axes={AXES} />
      </div>
      <Notes notes={problems} />
      {charts.length === 0 ? (
        <p class="empty">The first tasks of the roles have reported no metrics and no steps.</p>
      ) : (
        <p class="muted">Values of the first process of each role that reported some.</p>
      )}
      <div class="charts">
        {charts.map(chart => (
          <OverlaidChart key={`${chart.name} ${chart.role}`} chart={chart} runs={metrics} view={view} />
        ))}
      </div>
    </>
  );
}
