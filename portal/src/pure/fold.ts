// Ended runs of one name and user fold into one row of the jobs list, with their number: `resnet50 ×14`.

import {rowKey} from "./live_rows";

export interface Foldable {
  id: string;
  on: string;
  name: string;
  user: string | null;
  finished: string | null;
}

export interface Group<T> {
  key: string;
  row: T; // the first row in the order of the list
  others: T[]; // the rows folded under it
}

export function groupKey(row: Foldable): string {
  return row.finished === null ? `job ${rowKey(row)}` : `name ${row.user ?? ""} ${row.name}`;
}

export function groupsOf<T extends Foldable>(rows: readonly T[], fold: boolean): Group<T>[] {
  const groups: Group<T>[] = [];
  const known = new Map<string, Group<T>>();
  for (const row of rows) {
    const key = fold ? groupKey(row) : `job ${rowKey(row)}`;
    const group = known.get(key);
    if (group) {
      group.others.push(row);
    } else {
      const created = {key, row, others: []};
      known.set(key, created);
      groups.push(created);
    }
  }
  return groups;
}
