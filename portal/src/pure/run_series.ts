// The runs of one name over time.
import {quantity} from "./format";

interface Run {
  id: string;
  submitted: string | null;
  took_seconds: number | null;
  cost: number | null;
  goodput: number | null;
  gpu_use: number | null;
  memory_peak_bytes: Readonly<Record<string, number>>;
  metrics: Readonly<Record<string, number | string>>;
}

export interface Figure {
  key: string; // as in the marks of the API
  title: string;
  unit: string; // as format.quantity takes it
}

const FIXED: readonly Figure[] = [
  {key: "took_seconds", title: "took", unit: "s"},
  {key: "goodput", title: "goodput", unit: "share"},
  {key: "cost", title: "cost", unit: ""},
  {key: "gpu_use", title: "GPU use", unit: "share"},
];
const MEMORY = "memory_peak_bytes.";
const METRIC = "metric.";

export function figureOf(key: string): Figure {
  const fixed = FIXED.find(figure => figure.key === key);
  if (fixed) return fixed;
  if (key.startsWith(MEMORY)) return {key, title: `peak memory of ${key.slice(MEMORY.length)}`, unit: "bytes"};
  return {key, title: key.replace(/^metric\./, ""), unit: ""};
}

// The value of a figure; a text for NaN and infinities, null if it is not known.
export function valueOf(run: Run, key: string): number | string | null {
  switch (key) {
    case "took_seconds":
    case "goodput":
    case "cost":
    case "gpu_use":
      return run[key];
  }
  if (key.startsWith(MEMORY)) return run.memory_peak_bytes[key.slice(MEMORY.length)] ?? null;
  return run.metrics[key.slice(METRIC.length)] ?? null;
}

export function figureText(value: number | string | null, unit: string): string {
  return typeof value === "string" ? value : quantity(value, unit);
}

// The figures that some run has. Duration and goodput are always shown.
export function figuresOf(runs: readonly Run[]): Figure[] {
  const keys = new Set<string>();
  for (const run of runs) {
    for (const role of Object.keys(run.memory_peak_bytes)) keys.add(MEMORY + role);
    for (const name of Object.keys(run.metrics)) keys.add(METRIC + name);
  }
  const always = ["took_seconds", "goodput"];
  const fixed = FIXED.filter(({key}) => always.includes(key) || runs.some(run => valueOf(run, key) !== null));
  return [...fixed, ...[...keys].sort().map(figureOf)];
}

interface Mark {
  figure: string;
  value: number;
  median: number;
  low: number;
  high: number;
  side: string;
}

// "took 20m, above the usual 7m to 19m (median 13m)"
export function markText(mark: Mark): string {
  const {title, unit} = figureOf(mark.figure);
  const text = (value: number) => quantity(value, unit);
  const band = `${text(mark.low)} to ${text(mark.high)}`;
  return `${title} ${text(mark.value)}, ${mark.side} the usual ${band} (median ${text(mark.median)})`;
}

// A curve of one figure over the time of submission (seconds since 1970), oldest first.
export function curveOf(runs: readonly Run[], key: string): {x: number[]; values: (number | null)[]} {
  const points = runs
    .flatMap(run => {
      const at = run.submitted ? Date.parse(run.submitted) / 1000 : NaN;
      const value = valueOf(run, key);
      return Number.isNaN(at) ? [] : [{at, value: typeof value === "number" ? value : null}];
    })
    .sort((a, b) => a.at - b.at);
  return {x: points.map(point => point.at), values: points.map(point => point.value)};
}
