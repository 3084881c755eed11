// The heat map of ranks: step time of each rank in each bucket of time, relative to the median of all ranks there.
import {drawable, labelOf, type Series} from "./series";

export interface HeatRow {
  label: string;
  task: string;
  cells: (number | null)[]; // 1: as the median
  mean: number | null;
}

export function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.slice().sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] as number;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] as number) + upper) / 2;
}

// The rows, slowest rank first. Fewer than three ranks have no median that one could be compared with.
export function heatRows(series: readonly Series[]): HeatRow[] {
  if (series.length < 3) return [];
  const length = Math.max(0, ...series.map(one => one.mean.length));
  const medians = Array.from({length}, (_, i) =>
    median(series.map(one => drawable(one.mean[i])).filter((value): value is number => value !== null)),
  );
  const rows = series.map(one => {
    const cells = medians.map((middle, i) => {
      const value = drawable(one.mean[i]);
      return value === null || !middle ? null : value / middle;
    });
    const numbers = cells.filter((cell): cell is number => cell !== null);
    const mean = numbers.length > 0 ? numbers.reduce((a, b) => a + b) / numbers.length : null;
    return {label: labelOf(one), task: one.task, cells, mean};
  });
  return rows.sort((a, b) => (b.mean ?? -1) - (a.mean ?? -1));
}

// The shade of a cell, 0 (as fast as the median or faster) to 4 (at least twice as slow).
export function shadeOf(cell: number): number {
  if (cell < 1.1) return 0;
  if (cell < 1.2) return 1;
  if (cell < 1.5) return 2;
  return cell < 2 ? 3 : 4;
}
