// How new data changes a list that somebody is looking at: values change at once, positions only if that cannot make a
// row move away under the pointer.

interface Row {
  id: string;
  on: string;
}

// A history of TonY may have the id of a job on YARN.
export function rowKey(row: Row): string {
  return `${row.on} ${row.id}`;
}

export interface ListState<T> {
  shown: T[];
  waiting: T[] | null; // the newer list, which differs in its rows or their order
}

function sameOrder<T extends Row>(a: readonly T[], b: readonly T[]): boolean {
  return a.length === b.length && a.every((row, i) => {
    const other = b[i];
    return other !== undefined && rowKey(row) === rowKey(other);
  });
}

// Replaces rows by newer ones of the same job.
export function updated<T extends Row>(rows: readonly T[], newer: readonly T[]): T[] {
  const byKey = new Map(newer.map(row => [rowKey(row), row]));
  return rows.map(row => byKey.get(rowKey(row)) ?? row);
}

export function received<T extends Row>(state: ListState<T>, fresh: T[], hold: boolean): ListState<T> {
  if (!hold || sameOrder(state.shown, fresh) || state.shown.length === 0) return {shown: fresh, waiting: null};
  return {shown: updated(state.shown, fresh), waiting: fresh};
}

export function released<T extends Row>(state: ListState<T>): ListState<T> {
  return state.waiting ? {shown: state.waiting, waiting: null} : state;
}

// The number of rows in the waiting list that are not shown.
export function newRows<T extends Row>(state: ListState<T>): number {
  if (!state.waiting) return 0;
  const shown = new Set(state.shown.map(rowKey));
  return state.waiting.filter(row => !shown.has(rowKey(row))).length;
}
