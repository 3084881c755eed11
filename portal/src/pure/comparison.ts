// Several runs side by side: settings by kind, roles, and curves of all runs over one axis.
import {
  drawable,
  hasValues,
  type Axis,
  type Curve,
  type MetricsAnswer,
  type Sample,
  type Series,
  type Table,
} from "./series";

interface Kinded {
  kind?: string;
}

// In the order in which they are shown.
export const KINDS: readonly string[] = ["job file", "environment", "files", "backend", "versions"];

// The settings of each kind. Kinds that this page does not know come last.
export function byKind<T extends Kinded>(settings: readonly T[]): {kind: string; settings: T[]}[] {
  const groups = new Map<string, T[]>(KINDS.map(kind => [kind, []]));
  for (const setting of settings) {
    const kind = setting.kind ?? "other";
    const group = groups.get(kind);
    if (group) group.push(setting);
    else groups.set(kind, [setting]);
  }
  return [...groups].filter(([, group]) => group.length > 0).map(([kind, group]) => ({kind, settings: group}));
}

// The names of the roles of all runs, in the order in which they first appear.
export function rolesOf(runs: readonly {roles?: readonly {role: string}[]}[]): string[] {
  return [...new Set(runs.flatMap(run => (run.roles ?? []).map(usage => usage.role)))];
}

export interface RunMetrics {
  label: string;
  origin: number; // begin of the run, in seconds since 1970
  answer: MetricsAnswer | null; // null: not read, or there are none
}

// The series of one role: that of its first process with values.
export function seriesOfRole(answer: MetricsAnswer | null, name: string, role: string): Series | null {
  const found = answer?.series.find(one => one.name === name && one.task.split(":")[0] === role && hasValues(one));
  return found ?? null;
}

export const STEP_RATE = "steps_s";

// The charts of a comparison: the step rate, and each metric that some run reported, by role.
export function chartsOf(runs: readonly RunMetrics[]): {name: string; role: string; unit: string}[] {
  const charts = new Map<string, {name: string; role: string; unit: string}>();
  for (const run of runs) {
    for (const series of run.answer?.series ?? []) {
      if (series.name !== STEP_RATE && !series.name.startsWith("metric.")) continue;
      if (!hasValues(series)) continue;
      const role = series.task.split(":")[0] ?? "";
      charts.set(`${series.name} ${role}`, {name: series.name, role, unit: series.unit});
    }
  }
  const rank = (name: string) => (name === STEP_RATE ? 1 : 0);
  return [...charts.values()].sort(
    (a, b) => rank(a.name) - rank(b.name) || a.name.localeCompare(b.name) || a.role.localeCompare(b.role),
  );
}

// The steps at the points of a series. The rate of steps has none of its own: those of the series `step` of the same
// process apply.
function stepsOf(answer: MetricsAnswer, series: Series): readonly (number | null)[] {
  if (series.step) return series.step;
  const same = answer.series.find(one => one.name === "step" && one.task === series.task && one.rank === series.rank);
  return same ? same.mean.map(value => drawable(value)) : [];
}

function pointsOf(run: RunMetrics, series: Series, axis: Axis): Map<number, number | null> {
  const answer = run.answer as MetricsAnswer;
  const points = new Map<number, number | null>();
  if (axis === "step") {
    const steps = stepsOf(answer, series);
    series.mean.forEach((sample: Sample, i: number) => {
      const step = steps[i];
      if (typeof step === "number" && sample !== null) points.set(Math.round(step), drawable(sample));
    });
    return points;
  }
  const begin = Date.parse(answer.start) / 1000 - (axis === "relative" ? run.origin : 0);
  series.mean.forEach((sample, i) => {
    if (sample !== null) points.set(begin + (i + 0.5) * answer.width, drawable(sample));
  });
  return points;
}

// One curve per run that has the series. The curves share the points of all runs; a run has no value at the points of
// others.
export function overlaid(runs: readonly RunMetrics[], name: string, role: string, axis: Axis): Table {
  const curves: {label: string; points: Map<number, number | null>}[] = [];
  for (const run of runs) {
    const series = seriesOfRole(run.answer, name, role);
    if (series) curves.push({label: run.label, points: pointsOf(run, series, axis)});
  }
  const x = [...new Set(curves.flatMap(curve => [...curve.points.keys()]))].sort((a, b) => a - b);
  return {
    x,
    curves: curves.map((curve): Curve => ({label: curve.label, values: x.map(at => curve.points.get(at) ?? null)})),
  };
}
