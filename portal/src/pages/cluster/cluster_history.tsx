import {useEffect, useMemo} from "preact/hooks";
import {apiUrl} from "../../api/client";
import type {ClusterAnswer, ClusterSummary} from "../../api/types";
import {Chart} from "../../components/chart";
import {ResourceView} from "../../components/resource_view";
import {useLocation} from "../../hooks/use_location";
import {useResource} from "../../hooks/use_resource";
import {historyTable, type ClusterHistory} from "../../pure/cluster";
import {chartView, setRange} from "../job/chart_controls";

const RELOAD_MS = 60_000; // the portal records one point per minute
const CHARTS = [
  {title: "nodes", unit: "", figures: ["nodes", "usable_nodes"]},
  {title: "memory", unit: "bytes", figures: ["memory_total", "memory_used"]},
  {title: "pending", unit: "", figures: ["pending_containers"]},
];

function Charts({name, history}: {name: string; history: ClusterHistory}) {
  const {range} = chartView(useLocation().query, ["time"]);
  const tables = useMemo(() => CHARTS.map(chart => historyTable(history, chart.figures)), [history]);
  return (
    <>
      {history.problem && <p role="status">The history is not kept over a restart: {history.problem}</p>}
      <div class="charts">
        {CHARTS.map((chart, i) => (
          <Chart
            key={chart.title}
            title={`${chart.title} of ${name}`}
            unit={chart.unit}
            note={null}
            table={tables[i] ?? {x: [], curves: []}}
            axis="time"
            logScale={false}
            smoothing={0}
            range={range}
            sync="cluster"
            zoom={setRange}
          />
        ))}
      </div>
    </>
  );
}

// The last 24 hours, as this portal has recorded them.
export function ClusterHistoryCharts() {
  const cluster = useResource<ClusterAnswer<ClusterSummary>>(apiUrl("cluster", {history: "1"}), true);
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) cluster.reload();
    }, RELOAD_MS);
    return () => window.clearInterval(timer);
  }, [cluster.reload]);
  return (
    <ResourceView what="The history" resource={cluster}>
      {({backends}) => (
        <>
          {backends.map(
            backend => backend.history && <Charts key={backend.name} name={backend.name} history={backend.history} />,
          )}
        </>
      )}
    </ResourceView>
  );
}
