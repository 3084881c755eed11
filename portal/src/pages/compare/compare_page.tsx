// `/compare?ids=A,B`: several runs side by side, the differences first.
import {apiUrl} from "../../api/client";
import {showTensorBoard} from "../../api/open_server";
import type {ComparedRun, Comparison} from "../../api/types";
import {Link} from "../../components/link";
import {ResourceView} from "../../components/resource_view";
import {ShareBar} from "../../components/share_bar";
import {StateBadge} from "../../components/state_badge";
import {TensorBoardButton} from "../../components/tensorboard_button";
import {breakdownShares} from "../../components/time_breakdown";
import {TookText} from "../../components/time_text";
import {useLocation} from "../../hooks/use_location";
import {useResource} from "../../hooks/use_resource";
import {percent, plural} from "../../pure/format";
import {toggled} from "../../pure/selection";
import {changed, jobPath, listOf, type Query} from "../../pure/url_state";
import {CompareCharts} from "./compare_charts";
import {runLabel} from "./run_titles";
import {SettingsTable} from "./settings_table";
import {UsageTable} from "./usage_table";

function Runs({runs, query}: {runs: readonly ComparedRun[]; query: Query}) {
  const without = (id: string) =>
    changed(query, {
      ids: toggled(
        runs.map(run => run.id),
        id,
      ).join(","),
    });
  return (
    <ul class="compared-runs">
      {runs.map(run => (
        <li key={run.id}>
          <Link to={jobPath(run.id)}>{runLabel(runs, run)}</Link> <code>{run.id}</code>{" "}
          {run.state && (
            <>
              <StateBadge state={run.state} />{" "}
              <TookText from={run.started ?? null} to={run.finished ?? null} seconds={run.took_seconds ?? null} />
              {run.goodput !== undefined && run.goodput !== null && `, goodput ${percent(run.goodput)}`}
            </>
          )}{" "}
          {runs.length > 1 && (
            <Link to="/compare" query={without(run.id)}>
              remove<span class="sr-only"> {run.id}</span>
            </Link>
          )}
          {run.problem && <p class="problem">{run.problem}</p>}
        </li>
      ))}
    </ul>
  );
}

function Breakdowns({runs}: {runs: readonly ComparedRun[]}) {
  return (
    <div class="breakdowns">
      {runs.map(run => (
        <div key={run.id}>
          <h3>{runLabel(runs, run)}</h3>
          {run.account ? (
            <ShareBar label={`Time breakdown of ${runLabel(runs, run)}`} shares={breakdownShares(run.account)} />
          ) : (
            <p class="muted">Not known.</p>
          )}
        </div>
      ))}
    </div>
  );
}

function Sections({comparison}: {comparison: Comparison}) {
  const {runs, settings, outcome} = comparison;
  const different = settings.filter(setting => !setting.same);
  const equal = settings.filter(setting => setting.same);
  return (
    <>
      <h2>Differences</h2>
      {different.length > 0 ? (
        <SettingsTable label="Differences" runs={runs} settings={different} />
      ) : (
        <p>None: the runs have the same settings.</p>
      )}
      {equal.length > 0 && (
        <details>
          <summary>{plural(equal.length, "equal setting")}</summary>
          <SettingsTable label="Equal settings" runs={runs} settings={equal} />
        </details>
      )}
      <h2>Outcome</h2>
      <SettingsTable label="Outcome" runs={runs} settings={outcome} />
      <h2>Time breakdown</h2>
      <Breakdowns runs={runs} />
      <h2>Usage by role</h2>
      <UsageTable runs={runs} />
      <CompareCharts runs={runs} />
    </>
  );
}

export function ComparePage({readOnly}: {readOnly: boolean}) {
  const {query} = useLocation();
  const ids = listOf(query["ids"]);
  const comparison = useResource<Comparison>(
    ids.length > 0 ? apiUrl("compare", {ids: ids.join(",")}) : null,
    true,
  );
  return (
    <>
      <h1>Compare {plural(ids.length, "run")}</h1>
      {ids.length === 0 && (
        <p class="empty">
          No runs are selected. Select them in the list of <Link to="/">jobs</Link>.
        </p>
      )}
      <ResourceView what="The comparison" resource={comparison}>
        {data => (
          <>
            <Runs runs={data.runs} query={query} />
            <div class="toolbar">
              <TensorBoardButton
                open={() => showTensorBoard(data.runs.map(run => run.id))}
                disabled={readOnly}
                label="TensorBoard of these runs"
              />
            </div>
            <Sections comparison={data} />
          </>
        )}
      </ResourceView>
    </>
  );
}
