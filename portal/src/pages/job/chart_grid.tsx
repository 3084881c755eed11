import {useMemo} from "preact/hooks";
import {Chart} from "../../components/chart";
import {count} from "../../pure/format";
import {byName, hasValues, sampleText, tableOf, type MetricsAnswer, type Series} from "../../pure/series";
import {setRange, type ChartView} from "./chart_controls";

const MOST_CURVES = 16; // more cannot be told apart

interface Props {
  answer: MetricsAnswer;
  wanted: (name: string) => boolean;
  view: ChartView;
  origin: number; // begin of the job, in seconds since 1970
  explanations: Readonly<Record<string, string>>;
}

function noteOf(series: readonly Series[], explanations: Props["explanations"]): string {
  const first = series[0] as Series;
  const scope = first.scope === "node" ? "whole node" : "";
  const capacity = typeof first.capacity === "number" ? `capacity ${count(first.capacity)}` : "";
  return [explanations[first.name], scope, capacity].filter(part => part).join(", ");
}

// Values that a chart cannot show, and the newest value of a metric.
function LastValues({series}: {series: readonly Series[]}) {
  const strange = series.filter(one => typeof one.last === "string");
  if (strange.length === 0) return null;
  return (
    <p class="problem">{strange.map(one => `${one.task}: the last value is ${sampleText(one.last)}`).join("; ")}</p>
  );
}

// One chart per series name. Series without values are listed with the reason.
export function ChartGrid({answer, wanted, view, origin, explanations}: Props) {
  const groups = useMemo(() => [...byName(answer, wanted)], [answer, wanted]);
  const absent = groups.filter(([, all]) => !all.some(hasValues));
  const shown = groups.filter(([, all]) => all.some(hasValues));
  return (
    <>
      <div class="charts">
        {shown.map(([name, all]) => {
          const series = all.filter(hasValues);
          const drawn = series.slice(0, MOST_CURVES);
          return (
            <div key={name}>
              <OneChart
                name={name}
                series={drawn}
                answer={answer}
                view={view}
                origin={origin}
                note={noteOf(series, explanations)}
              />
              <LastValues series={series} />
              {series.length > drawn.length && (
                <p class="muted">
                  {drawn.length} of {series.length} curves are drawn. Choose tasks above to see others.
                </p>
              )}
            </div>
          );
        })}
      </div>
      {absent.length > 0 && (
        <details>
          <summary>{count(absent.length)} series without values</summary>
          <ul>
            {absent.map(([name, all]) => (
              <li key={name}>
                <code>{name}</code>: {all[0]?.absent ?? "no samples yet"}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

interface OneProps {
  name: string;
  series: readonly Series[];
  answer: MetricsAnswer;
  view: ChartView;
  origin: number;
  note: string;
}

function OneChart({name, series, answer, view, origin, note}: OneProps) {
  const table = useMemo(() => tableOf(answer, series, view.axis, origin), [answer, view.axis, origin]);
  return (
    <Chart
      title={name.replace(/^metric\./, "")}
      unit={series[0]?.unit ?? ""}
      note={note || null}
      table={table}
      axis={view.axis}
      logScale={view.logScale}
      smoothing={view.smoothing}
      range={view.range}
      sync="job"
      zoom={setRange}
    />
  );
}
