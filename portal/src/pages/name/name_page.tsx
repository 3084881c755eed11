// `/names/NAME`: every run of one name over time.
import {useMemo} from "preact/hooks";
import {apiUrl} from "../../api/client";
import type {SeriesAnswer, SeriesRun} from "../../api/types";
import {Chart} from "../../components/chart";
import {CompareLink} from "../../components/compare_link";
import {DifferenceTable} from "../../components/difference_table";
import {Link} from "../../components/link";
import {LiveMark} from "../../components/live_mark";
import {Notes} from "../../components/notes";
import {ResourceView} from "../../components/resource_view";
import {useLive, useThrottled} from "../../hooks/use_live";
import {setQuery, useLocation} from "../../hooks/use_location";
import {useResource} from "../../hooks/use_resource";
import {plural} from "../../pure/format";
import {curveOf, figuresOf, markText, type Figure} from "../../pure/run_series";
import {toggled} from "../../pure/selection";
import {changed, jobPath, listOf, namePart, namePath, type Query} from "../../pure/url_state";
import {chartView, setRange} from "../job/chart_controls";
import {RunTable} from "./run_table";

const RELOAD_MS = 2000;

function FigureChart({figure, runs, query}: {figure: Figure; runs: readonly SeriesRun[]; query: Query}) {
  const {range} = chartView(query, ["time"]);
  const table = useMemo(() => {
    const curve = curveOf(runs, figure.key);
    return {x: curve.x, curves: [{label: figure.title, values: curve.values}]};
  }, [runs, figure.key]);
  return (
    <Chart
      title={figure.title}
      unit={figure.unit}
      note={null}
      table={table}
      axis="time"
      joined
      logScale={false}
      smoothing={0}
      range={range}
      sync="series"
      zoom={setRange}
    />
  );
}

// The runs outside the usual range, with the changes that may explain it.
function Marked({runs}: {runs: readonly SeriesRun[]}) {
  const marked = runs.filter(run => run.marks.length > 0);
  if (marked.length === 0) return <p class="muted">No run is outside the usual range of the runs before it.</p>;
  return (
    <>
      {marked.map(run => (
        <section key={run.id} class="marked-run">
          <h3>
            <Link to={jobPath(run.id)}>{run.id}</Link>
          </h3>
          <ul>
            {run.marks.map(mark => (
              <li key={mark.figure}>{markText(mark)}</li>
            ))}
          </ul>
          {run.differences &&
            (run.differences.differences.length > 0 ? (
              <details>
                <summary>{plural(run.differences.differences.length, "difference")} from the previous run</summary>
                <DifferenceTable differences={run.differences.differences} />
              </details>
            ) : (
              <p>The previous run has the same job file.</p>
            ))}
        </section>
      ))}
    </>
  );
}

export function NamePage({name}: {name: string}) {
  const {query} = useLocation();
  const after = query["after"] ?? "";
  const series = useResource<SeriesAnswer>(
    apiUrl(`names/${namePart(name)}`, {user: query["user"] ?? "", after}),
    true,
  );
  const reload = useThrottled(series.reload, RELOAD_MS);
  const live = useLive("jobs", () => ["jobs"], {
    reload: series.reload,
    event: (_, data) => {
      const rows = Array.isArray(data["jobs"]) ? (data["jobs"] as {name?: unknown}[]) : [];
      if (rows.some(row => row.name === name)) reload();
    },
  });
  const selected = listOf(query["sel"]);
  const figures = useMemo(() => figuresOf(series.data?.runs ?? []), [series.data]);
  return (
    <>
      <div class="job-top">
        <h1>Runs of {name}</h1>
        <LiveMark state={live} />
      </div>
      <ResourceView what="The list of runs" resource={series}>
        {({runs, total, next, notes}) => (
          <>
            <Notes notes={notes} />
            {runs.length === 0 ? (
              <p class="empty">There is no run of this name.</p>
            ) : (
              <>
                <p>
                  {plural(total, "run")}. A figure is marked if it is outside the usual range: the median ± 3 MAD of the
                  last ten successful runs before it.
                </p>
                <RunTable
                  runs={runs}
                  figures={figures}
                  selected={selected}
                  select={id => setQuery({sel: toggled(selected, id).join(",")}, true)}
                />
                <div class="below-list">
                  <CompareLink selected={selected} clear={() => setQuery({sel: null}, true)} />
                  <nav class="paging" aria-label="Pages of the list">
                    {after && (
                      <Link to={namePath(name)} query={changed(query, {after: null})}>
                        « newest runs
                      </Link>
                    )}
                    {next && (
                      <Link to={namePath(name)} query={changed(query, {after: next})}>
                        older runs ›
                      </Link>
                    )}
                  </nav>
                </div>
                <h2>Outside the usual range</h2>
                <Marked runs={runs} />
                <h2>Over time</h2>
                <div class="charts">
                  {figures.map(figure => (
                    <FigureChart key={figure.key} figure={figure} runs={runs} query={query} />
                  ))}
                </div>
              </>
            )}
          </>
        )}
      </ResourceView>
    </>
  );
}
