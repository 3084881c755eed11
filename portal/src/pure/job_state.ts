// States of jobs and tasks: their symbols, so that no state is shown by its colour alone.

export const LIVE_STATES: readonly string[] = ["QUEUED", "STARTING", "RUNNING", "RECOVERING"];

export function isLive(state: string): boolean {
  return LIVE_STATES.includes(state);
}

// The class that chooses the colour of a state, and a symbol that says the same without colour.
export function toneOf(state: string): {tone: string; symbol: string} {
  switch (state) {
    case "RUNNING":
    case "READY":
      return {tone: "good", symbol: "▶"};
    case "SUCCEEDED":
      return {tone: "done", symbol: "✓"};
    case "FAILED":
      return {tone: "bad", symbol: "✕"};
    case "LOST":
      return {tone: "bad", symbol: "⚡"};
    case "KILLED":
    case "STOPPED":
      return {tone: "muted", symbol: "■"};
    case "RECOVERING":
      return {tone: "warn", symbol: "↻"};
    case "QUEUED":
    case "STARTING":
    case "PENDING":
    case "ALLOCATED":
      return {tone: "warn", symbol: "…"};
    default:
      return {tone: "muted", symbol: "?"};
  }
}

interface Keyed {
  role: string;
  index: number;
}

// Tasks after changes: replaced by role and index, new ones added, removed ones (`worker:3`) left out. They are ordered
// by role, as the roles first appeared, and then by index.
export function mergedTasks<T extends Keyed>(
  tasks: readonly T[],
  changes: readonly T[],
  removed: readonly string[],
): T[] {
  const key = (task: Keyed) => `${task.role}:${task.index}`;
  const gone = new Set(removed);
  const byKey = new Map(tasks.map(task => [key(task), task]));
  for (const task of changes) byKey.set(key(task), task);
  const roles = [...new Set([...byKey.values()].map(task => task.role))];
  return [...byKey.values()]
    .filter(task => !gone.has(key(task)))
    .sort((a, b) => roles.indexOf(a.role) - roles.indexOf(b.role) || a.index - b.index);
}

// The smallest, middle and largest values of a list, for the summary of a role.
export function quantiles(
  values: readonly number[],
): {min: number; q25: number; median: number; q75: number; max: number} | null {
  if (values.length === 0) return null;
  const sorted = values.slice().sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))] as number;
  return {min: at(0), q25: at(0.25), median: at(0.5), q75: at(0.75), max: at(1)};
}
