import {setQuery} from "../../hooks/use_location";
import {oneOf, type Query} from "../../pure/url_state";
import type {Axis} from "../../pure/series";
import type {PlotRange} from "../../components/plot";

export interface ChartView {
  axis: Axis;
  logScale: boolean;
  smoothing: number;
  range: PlotRange | null;
}

const AXIS_NAMES: Readonly<Record<Axis, string>> = {time: "time", relative: "time since the start", step: "step"};

// How the charts are drawn, as the URL says.
export function chartView(query: Query, axes: readonly Axis[]): ChartView {
  const smoothing = Number(query["smooth"] ?? 0);
  const from = Number(query["from"] ?? NaN);
  const to = Number(query["to"] ?? NaN);
  return {
    axis: oneOf(query["x"], axes, axes[0] as Axis),
    logScale: query["y"] === "log",
    smoothing: smoothing > 0 && smoothing < 1 ? smoothing : 0,
    range: Number.isFinite(from) && to > from ? {from, to} : null,
  };
}

export function setRange(range: PlotRange | null): void {
  setQuery(
    {
      from: range ? String(Number(range.from.toFixed(3))) : null,
      to: range ? String(Number(range.to.toFixed(3))) : null,
    },
    true,
  );
}

export function ChartControls({view, axes}: {view: ChartView; axes: readonly Axis[]}) {
  return (
    <>
      <label>
        Horizontal axis{" "}
        <select
          value={view.axis}
          onChange={event =>
            setQuery(
              {x: event.currentTarget.value === axes[0] ? null : event.currentTarget.value, from: null, to: null},
              true,
            )
          }>
          {axes.map(axis => (
            <option key={axis} value={axis}>
              {AXIS_NAMES[axis]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Smoothing{" "}
        <input
          type="range"
          min={0}
          max={0.99}
          step={0.01}
          value={view.smoothing}
          onInput={event =>
            setQuery({smooth: event.currentTarget.value === "0" ? null : event.currentTarget.value}, true)
          }
        />
      </label>
      <label>
        <input
          type="checkbox"
          checked={view.logScale}
          onChange={event => setQuery({y: event.currentTarget.checked ? "log" : null}, true)}
        />{" "}
        log scale
      </label>
      {view.range && (
        <button type="button" onClick={() => setRange(null)}>
          Show everything
        </button>
      )}
    </>
  );
}
