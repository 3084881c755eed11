// Series of the metrics route as the columns that a chart needs.

export type Sample = number | "NaN" | "Infinity" | "-Infinity" | null;

export interface Series {
  name: string;
  unit: string;
  scope: string;
  task: string;
  rank: number | null;
  quantile: number | null;
  capacity: number | null;
  mean: Sample[];
  max: Sample[] | null;
  absent: string | null;
  step?: (number | null)[];
  last?: Sample;
  last_step?: number | null;
}

export interface MetricsAnswer {
  start: string;
  width: number;
  series: Series[];
  note?: string | null;
}

export type Axis = "time" | "relative" | "step";

export interface Curve {
  label: string;
  values: (number | null)[];
}

export interface Table {
  x: number[];
  curves: Curve[];
}

// NaN and infinities cannot be drawn. They are gaps in a curve; the text beside the chart names them.
export function drawable(sample: Sample | undefined): number | null {
  return typeof sample === "number" ? sample : null;
}

export function sampleText(sample: Sample | undefined): string | null {
  return sample === undefined || sample === null ? null : String(sample);
}

export function labelOf(series: Series): string {
  if (series.quantile !== null && series.quantile !== undefined) {
    const names: Readonly<Record<number, string>> = {0: "min", 25: "25%", 50: "median", 75: "75%", 100: "max"};
    return `${series.task} ${names[series.quantile] ?? `${series.quantile}%`}`;
  }
  return series.rank === null || series.rank === undefined ? series.task : `${series.task} rank ${series.rank}`;
}

// Exponential moving average with the weight `amount` (0 to below 1) for the past, without the usual bias to 0 at the
// begin. Gaps stay gaps.
export function smoothed(values: readonly (number | null)[], amount: number): (number | null)[] {
  if (amount <= 0) return values.slice();
  let average = 0;
  let weight = 0;
  return values.map(value => {
    if (value === null) return null;
    average = amount * average + (1 - amount) * value;
    weight = amount * weight + (1 - amount);
    return average / weight;
  });
}

// Values that a logarithmic axis cannot show become gaps.
export function positive(values: readonly (number | null)[]): (number | null)[] {
  return values.map(value => (value !== null && value > 0 ? value : null));
}

function byTime(answer: MetricsAnswer, series: readonly Series[], origin: number): Table {
  const length = Math.max(0, ...series.map(one => one.mean.length));
  const start = Date.parse(answer.start) / 1000 - origin;
  const x = Array.from({length}, (_, i) => start + (i + 0.5) * answer.width);
  const curves = series.map(one => ({label: labelOf(one), values: x.map((_, i) => drawable(one.mean[i]))}));
  return {x, curves};
}

function byStep(series: readonly Series[]): Table {
  const points = series.map(one => {
    const values = new Map<number, number | null>();
    one.mean.forEach((sample, i) => {
      const step = one.step?.[i];
      if (typeof step === "number" && sample !== null) values.set(step, drawable(sample));
    });
    return values;
  });
  const x = [...new Set(points.flatMap(values => [...values.keys()]))].sort((a, b) => a - b);
  return {x, curves: series.map((one, i) => ({label: labelOf(one), values: x.map(at => points[i]?.get(at) ?? null)}))};
}

// The curves of `series` over time (seconds since 1970), time since `origin` (seconds since 1970), or step.
export function tableOf(answer: MetricsAnswer, series: readonly Series[], axis: Axis, origin: number): Table {
  if (axis === "step") return byStep(series);
  return byTime(answer, series, axis === "relative" ? origin : 0);
}

export interface Summary {
  last: number | null;
  min: number | null;
  max: number | null;
}

export function summaryOf(values: readonly (number | null)[]): Summary {
  const numbers = values.filter((value): value is number => value !== null);
  if (numbers.length === 0) return {last: null, min: null, max: null};
  return {
    last: numbers[numbers.length - 1] as number,
    min: numbers.reduce((a, b) => Math.min(a, b)),
    max: numbers.reduce((a, b) => Math.max(a, b)),
  };
}

// The series by name, in the order of `names` and then of the answer. Series without any value are listed separately.
export function byName(answer: MetricsAnswer, wanted: (name: string) => boolean): Map<string, Series[]> {
  const groups = new Map<string, Series[]>();
  for (const series of answer.series) {
    if (!wanted(series.name)) continue;
    const group = groups.get(series.name);
    if (group) group.push(series);
    else groups.set(series.name, [series]);
  }
  return groups;
}

export function hasValues(series: Series): boolean {
  return series.mean.some(sample => sample !== null);
}
