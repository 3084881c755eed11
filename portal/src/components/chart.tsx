import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import uPlot from "uplot";
import {useWidth} from "../hooks/use_width";
import {quantity} from "../pure/format";
import {positive, smoothed, summaryOf, type Axis, type Table} from "../pure/series";
import {plotOptions, xText, type PlotRange} from "./plot";
import {colourReader, CURVES, useThemeVersion} from "./theme_colours";

interface Props {
  title: string;
  unit: string;
  note: string | null; // such as the scope of the series
  table: Table;
  axis: Axis;
  joined?: boolean; // draw over points without a value, which are those of other curves
  logScale: boolean;
  smoothing: number;
  range: PlotRange | null;
  sync: string;
  zoom: (range: PlotRange | null) => void;
}

// Keys on a focused chart: arrows move the cursor, + and - zoom, 0 shows everything.
function keyRange(key: string, whole: PlotRange, range: PlotRange | null, at: number): PlotRange | null | undefined {
  const now = range ?? whole;
  const scale = (factor: number) => ({from: at - (at - now.from) * factor, to: at + (now.to - at) * factor});
  switch (key) {
    case "+":
    case "=":
      return scale(0.5);
    case "-": {
      const wider = scale(2);
      return wider.from <= whole.from && wider.to >= whole.to
        ? null
        : {from: Math.max(whole.from, wider.from), to: Math.min(whole.to, wider.to)};
    }
    case "0":
      return null;
    default:
      return undefined;
  }
}

export function Chart({title, unit, note, table, axis, joined, logScale, smoothing, range, sync, zoom}: Props) {
  const [box, width] = useWidth();
  const target = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const theme = useThemeVersion();
  const [cursor, setCursor] = useState<number | null>(null);
  const newestZoom = useRef(zoom);
  newestZoom.current = zoom;

  const drawn = useMemo(
    () => ({
      x: table.x,
      curves: table.curves.map(curve => {
        const values = smoothed(curve.values, smoothing);
        return {label: curve.label, values: logScale ? positive(values) : values};
      }),
    }),
    [table, smoothing, logScale],
  );
  const data = [drawn.x, ...drawn.curves.map(curve => curve.values)] as uPlot.AlignedData;
  const labels = drawn.curves.map(curve => curve.label).join("\n");

  // A new plot if its options change; otherwise the plot takes new data without losing the cursor.
  useEffect(() => {
    if (!target.current || width === 0) return undefined;
    const created = new uPlot(
      plotOptions({
        width,
        table: drawn,
        unit,
        axis,
        joined: joined ?? axis === "step",
        logScale,
        range,
        colour: colourReader(),
        sync,
        zoom: next => newestZoom.current(next),
        cursor: setCursor,
      }),
      data,
      target.current,
    );
    plot.current = created;
    return () => {
      plot.current = null;
      created.destroy();
    };
  }, [width, theme, unit, axis, joined, logScale, range?.from, range?.to, sync, labels]);
  useEffect(() => plot.current?.setData(data), [drawn]);

  const move = (step: number) => {
    const u = plot.current;
    if (!u || drawn.x.length === 0) return;
    const from = u.cursor.idx ?? (step > 0 ? -1 : drawn.x.length);
    const index = Math.min(drawn.x.length - 1, Math.max(0, from + step));
    u.setCursor({left: u.valToPos(drawn.x[index] as number, "x"), top: 10});
  };
  const onKey = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      move(event.key === "ArrowLeft" ? -1 : 1);
      event.preventDefault();
      return;
    }
    const whole = {from: drawn.x[0] ?? 0, to: drawn.x[drawn.x.length - 1] ?? 0};
    const now = range ?? whole;
    const at = cursor === null ? (now.from + now.to) / 2 : (drawn.x[cursor] ?? now.from);
    const next = keyRange(event.key, whole, range, at);
    if (next !== undefined) zoom(next);
  };

  const at = cursor === null ? null : (drawn.x[cursor] ?? null);
  return (
    <figure class="chart">
      <figcaption>
        {title} {note && <span class="muted">{note}</span>}
      </figcaption>
      <div ref={box} class="plot" tabIndex={0} role="group" aria-label={`Chart of ${title}`} onKeyDown={onKey}>
        <div ref={target} />
      </div>
      <p class="muted cursor-at">{at === null ? " " : xText(at, axis)}</p>
      <ul class="curves">
        {drawn.curves.map((curve, i) => {
          const {last, min, max} = summaryOf(curve.values);
          const value = cursor === null ? last : (curve.values[cursor] ?? null);
          return (
            <li
              key={curve.label}
              title={`min ${quantity(min, unit)}, max ${quantity(max, unit)}, last ${quantity(last, unit)}`}>
              <span aria-hidden="true" class={`curve-mark curve-${i % CURVES} dash-${Math.floor(i / 2) % 4}`} />
              {curve.label} <b>{quantity(value, unit)}</b>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}
