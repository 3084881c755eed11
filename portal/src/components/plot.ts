// The options of uPlot for a chart of the pages.
import uPlot from "uplot";
import {axisTime, quantity, tick, utcTime} from "../pure/format";
import type {Axis, Table} from "../pure/series";
import {CURVES, type Colour} from "./theme_colours";

export interface PlotRange {
  from: number;
  to: number;
}

export interface PlotOptions {
  width: number;
  table: Table;
  unit: string;
  axis: Axis;
  joined: boolean; // draw over points without a value
  logScale: boolean;
  range: PlotRange | null;
  colour: Colour;
  sync: string; // charts with the same key share their cursor
  zoom: (range: PlotRange) => void; // the user has selected a part
  cursor: (index: number | null) => void;
}

const HEIGHT = 200;
const DASHES: readonly number[][] = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

// Distances between the marks of an axis with bytes.
const POWERS_OF_2 = Array.from({length: 56}, (_, i) => 2 ** i);

export function dashOf(curve: number): readonly number[] {
  return DASHES[Math.floor(curve / 2) % DASHES.length] ?? [];
}

export function xText(value: number, axis: Axis): string {
  if (axis === "step") return `step ${Math.round(value).toLocaleString("en-US")}`;
  return axis === "relative" ? `${quantity(value, "s")} after the start` : utcTime(value * 1000);
}

function xAxis(options: PlotOptions): uPlot.Axis {
  const base: uPlot.Axis = {
    stroke: options.colour("--muted"),
    grid: {stroke: options.colour("--line"), width: 1},
    ticks: {stroke: options.colour("--line"), width: 1},
  };
  if (options.axis === "time") {
    return {
      ...base,
      values: (_, values, __, ___, step) =>
        values.map((value, i) => axisTime(value, step, i > 0 ? (values[i - 1] ?? null) : null)),
    };
  }
  const unit = options.axis === "relative" ? "s" : "";
  return {...base, values: (_, values) => values.map(value => (unit ? quantity(value, unit) : tick(value, "")))};
}

export function plotOptions(options: PlotOptions): uPlot.Options {
  const {table, colour, unit, range} = options;
  return {
    width: options.width,
    height: HEIGHT,
    legend: {show: false},
    scales: {
      x: {time: options.axis === "time", ...(range ? {range: () => [range.from, range.to] as uPlot.Range.MinMax} : {})},
      y: {distr: options.logScale ? 3 : 1},
    },
    axes: [
      xAxis(options),
      {
        ...xAxis(options),
        size: 64,
        ...(unit.startsWith("bytes") ? {incrs: POWERS_OF_2} : {}),
        values: (_, values) => values.map(value => (value === null ? "" : tick(value, unit))),
      },
    ],
    cursor: {
      sync: {key: options.sync},
      drag: {x: true, y: false, setScale: false},
      points: {size: 6},
    },
    series: [
      {},
      ...table.curves.map((curve, i): uPlot.Series => ({
        label: curve.label,
        stroke: colour(`--curve-${i % CURVES}`),
        width: 1.5,
        dash: dashOf(i).slice(),
        spanGaps: options.joined,
        points: {show: table.x.length < 40},
      })),
    ],
    hooks: {
      setCursor: [plot => options.cursor(plot.cursor.idx ?? null)],
      setSelect: [
        plot => {
          const {left, width} = plot.select;
          if (width < 4) return;
          options.zoom({from: plot.posToVal(left, "x"), to: plot.posToVal(left + width, "x")});
        },
      ],
    },
  };
}
