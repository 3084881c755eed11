// The columns of the table of tasks, and its order.
import type {ComponentChildren} from "preact";
import type {Attempt, Task} from "../../api/types";
import {Link} from "../../components/link";
import {StateBadge} from "../../components/state_badge";
import {AgoText, TookText} from "../../components/time_text";
import {bytes, count, duration, parseTime, percent, UNKNOWN} from "../../pure/format";
import {jobPath} from "../../pure/url_state";

type Value = string | number | null;

interface TaskColumn {
  key: string;
  title: string;
  numeric?: boolean;
  value: (row: Attempt) => Value; // for sorting; null comes last
  cell: (row: Attempt, id: string) => ComponentChildren;
}

export function taskOf(row: Attempt): string {
  return `${row.role}:${row.index}`;
}

function requested(row: Attempt): number | null {
  return (row as Task).granted?.memory_bytes ?? null;
}

function took(row: Attempt): number | null {
  const from = parseTime(row.started);
  return from === null ? null : ((parseTime(row.finished) ?? Date.now()) - from) / 1000;
}

function exitText(row: Attempt): string {
  return row.signal ?? (row.exit_code === null || row.exit_code === undefined ? UNKNOWN : String(row.exit_code));
}

export const TASK_COLUMNS: readonly TaskColumn[] = [
  {
    key: "task",
    title: "Task",
    value: () => null,
    cell: (row, id) => (
      <Link to={jobPath(id)} query={{tab: "tasks", task: taskOf(row)}}>
        {taskOf(row)}
      </Link>
    ),
  },
  {key: "state", title: "State", value: row => row.state, cell: row => <StateBadge state={row.state} />},
  {key: "attempt", title: "Attempt", numeric: true, value: row => row.attempt, cell: row => count(row.attempt)},
  {key: "node", title: "Node", value: row => row.node, cell: row => row.node ?? UNKNOWN},
  {
    key: "ranks",
    title: "Ranks",
    numeric: true,
    value: row => row.ranks?.[0] ?? null,
    cell: row => (row.ranks && row.ranks.length > 0 ? row.ranks.join(" ") : UNKNOWN),
  },
  {
    key: "time",
    title: "Time",
    numeric: true,
    value: took,
    cell: row => <TookText from={row.started} to={row.finished} />,
  },
  {
    key: "cpu",
    title: "CPU",
    numeric: true,
    value: row => row.usage?.cpu_seconds ?? null,
    cell: row => duration(row.usage?.cpu_seconds),
  },
  {
    key: "memory",
    title: "Memory peak/granted",
    numeric: true,
    value: row => row.usage?.memory_peak_bytes ?? null,
    cell: row => `${bytes(row.usage?.memory_peak_bytes)} / ${bytes(requested(row))}`,
  },
  {
    key: "gpu",
    title: "GPU",
    numeric: true,
    value: row => row.usage?.gpu?.utilisation_average ?? null,
    cell: row => percent(row.usage?.gpu?.utilisation_average),
  },
  {
    key: "step",
    title: "Step",
    numeric: true,
    value: row => row.progress?.step ?? null,
    cell: row => count(row.progress?.step),
  },
  {
    key: "activity",
    title: "Last step",
    numeric: true,
    value: row => parseTime(row.progress?.at),
    cell: row => <AgoText at={row.progress?.at} />,
  },
  {key: "exit", title: "Exit", value: row => row.exit_code, cell: exitText},
  {
    key: "log",
    title: "Log",
    value: () => null,
    cell: (row, id) => (
      <Link
        to={jobPath(id)}
        query={{tab: "logs", task: taskOf(row), attempt: String(row.attempt)}}
        label={`log of ${taskOf(row)}, attempt ${row.attempt}`}>
        log
      </Link>
    ),
  },
  {
    key: "reason",
    title: "Reason",
    value: row => row.reason,
    cell: row => (
      <span class="reason" title={row.reason ?? ""}>
        {row.reason ?? UNKNOWN}
      </span>
    ),
  },
];

function compared(a: Value, b: Value): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b));
}

// `sort`: the key of a column, with `-` in front for the reverse order. Unknown values are last in both directions.
export function sortedAttempts(rows: readonly Attempt[], sort: string): Attempt[] {
  const column = TASK_COLUMNS.find(one => one.key === sort.replace(/^-/, ""));
  const direction = sort.startsWith("-") ? -1 : 1;
  if (!column || column.key === "log") return rows.slice();
  if (column.key === "task") return direction < 0 ? rows.slice().reverse() : rows.slice();
  return rows.slice().sort((a, b) => {
    const [x, y] = [column.value(a), column.value(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return direction * compared(x, y);
  });
}
