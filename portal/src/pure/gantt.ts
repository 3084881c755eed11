// The layout of the timeline: rows of tasks and roles, with bars in pixels. Drawing is done elsewhere.

export interface GanttSpan {
  state: string;
  from: number; // milliseconds since 1970
  to: number;
}

export interface GanttAttempt {
  task: string;
  role: string;
  attempt: number;
  generation: number;
  node: string | null;
  state: string;
  reason: string | null;
  spans: GanttSpan[];
}

export interface GanttRow {
  kind: "stretches" | "role" | "task";
  label: string;
  role: string;
  attempts: GanttAttempt[]; // of the task, or of all tasks of the role
  tasks: number;
}

export interface Range {
  from: number;
  to: number;
}

// One row per role, followed by the rows of its tasks if the role is expanded. Attempts of a task share a row.
export function rowsOf(attempts: readonly GanttAttempt[], expanded: (role: string) => boolean): GanttRow[] {
  const roles = new Map<string, Map<string, GanttAttempt[]>>();
  for (const attempt of attempts) {
    const tasks = roles.get(attempt.role) ?? new Map<string, GanttAttempt[]>();
    roles.set(attempt.role, tasks);
    const row = tasks.get(attempt.task) ?? [];
    tasks.set(attempt.task, row);
    row.push(attempt);
  }
  const rows: GanttRow[] = [];
  for (const [role, tasks] of roles) {
    rows.push({kind: "role", label: role, role, attempts: [...tasks.values()].flat(), tasks: tasks.size});
    if (!expanded(role)) continue;
    for (const [task, row] of tasks) rows.push({kind: "task", label: task, role, attempts: row, tasks: 1});
  }
  return rows;
}

// The part of the time that is visible, never shorter than 10 ms and always inside `whole`.
export function clamped(range: Range, whole: Range): Range {
  const length = Math.min(Math.max(range.to - range.from, 10), Math.max(whole.to - whole.from, 10));
  const from = Math.min(Math.max(range.from, whole.from), Math.max(whole.from, whole.to - length));
  return {from, to: from + length};
}

// Zooms by `factor` (below 1: closer) around a position between 0 and 1.
export function zoomed(range: Range, whole: Range, factor: number, around: number): Range {
  const length = (range.to - range.from) * factor;
  const fixed = range.from + (range.to - range.from) * around;
  return clamped({from: fixed - length * around, to: fixed + length * (1 - around)}, whole);
}

export function pixelOf(time: number, range: Range, width: number): number {
  return range.to > range.from ? ((time - range.from) / (range.to - range.from)) * width : 0;
}

// The visible part of a span as [left, width] in pixels; null if it is outside. At least one pixel wide.
export function barOf(span: Range, range: Range, width: number): [number, number] | null {
  if (span.to < range.from || span.from > range.to) return null;
  const left = Math.max(0, pixelOf(span.from, range, width));
  const right = Math.min(width, pixelOf(span.to, range, width));
  return [Math.min(left, width - 1), Math.max(1, right - left)];
}

// For each pixel column of a role's row, how many of its tasks are running: 0 to 1.
export function density(row: GanttRow, range: Range, columns: number): Float32Array {
  const changes = new Float32Array(columns + 1);
  for (const span of row.attempts.flatMap(attempt => attempt.spans)) {
    const bar = span.state === "RUNNING" ? barOf(span, range, columns) : null;
    if (!bar) continue;
    const from = Math.floor(bar[0]);
    const to = Math.min(columns, Math.max(from + 1, Math.round(bar[0] + bar[1])));
    changes[from] = (changes[from] as number) + 1;
    changes[to] = (changes[to] as number) - 1;
  }
  const shares = new Float32Array(columns);
  let running = 0;
  for (let column = 0; column < columns; column++) {
    running += changes[column] as number;
    shares[column] = Math.min(1, running / Math.max(1, row.tasks));
  }
  return shares;
}

// Marks of a time axis at round distances, at most `most` of them.
export function ticksOf(range: Range, most: number): number[] {
  const steps = [
    1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 9e5, 18e5, 36e5, 72e5,
    108e5, 216e5, 432e5, 864e5, 1728e5, 6048e5,
  ];
  const step = steps.find(one => (range.to - range.from) / one <= most) ?? 2592e6;
  const ticks: number[] = [];
  for (let at = Math.ceil(range.from / step) * step; at <= range.to; at += step) ticks.push(at);
  return ticks;
}
