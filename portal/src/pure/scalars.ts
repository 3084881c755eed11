// Scalars of TensorBoard's event files as the columns that a chart needs.
import {drawable, type Axis, type Sample, type Table} from "./series";

export interface ScalarPoint {
  step: number;
  time: Sample;
  value: Sample;
}

interface Extremes {
  newest: ScalarPoint | null;
  lowest: ScalarPoint | null;
  highest: ScalarPoint | null;
}

export interface ScalarRun extends Extremes {
  run: string;
  step: number[];
  time: Sample[];
  value: Sample[];
}

export interface ScalarTags {
  logdir: string | null;
  complete: boolean;
  problem: string | null;
  tags: {tag: string; runs: ({run: string; count: number} & Extremes)[]}[];
}

export interface ScalarData {
  tag: string;
  complete: boolean;
  runs: ScalarRun[];
}

// A run that continued from a checkpoint has written some steps twice: the later value of a step counts.
function pointsOf(run: ScalarRun, axis: Axis, origin: number): Map<number, number | null> {
  const points = new Map<number, number | null>();
  run.value.forEach((value, i) => {
    const time = drawable(run.time[i]);
    const x = axis === "step" ? run.step[i] : time === null ? undefined : time - (axis === "relative" ? origin : 0);
    if (x !== undefined) points.set(x, drawable(value));
  });
  return points;
}

// The curves over step, time (seconds since 1970), or time since `origin` (seconds since 1970).
export function scalarTable(data: ScalarData, axis: Axis, origin: number): Table {
  const points = data.runs.map(run => pointsOf(run, axis, origin));
  const x = [...new Set(points.flatMap(values => [...values.keys()]))].sort((a, b) => a - b);
  const curves = data.runs.map(({run}, i) => ({
    label: run === "." ? data.tag : run,
    values: x.map(at => points[i]?.get(at) ?? null),
  }));
  return {x, curves};
}

function pointText(point: ScalarPoint | null): string {
  if (!point) return "–";
  const value = typeof point.value === "number" ? Number(point.value.toPrecision(6)) : point.value;
  return `${value} at step ${point.step.toLocaleString("en-US")}`;
}

// Lowest and highest, because only the user knows which of them is the best.
export function extremesText(run: Extremes): string {
  return `lowest ${pointText(run.lowest)}, highest ${pointText(run.highest)}, last ${pointText(run.newest)}`;
}
