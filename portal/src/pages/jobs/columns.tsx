// The columns of the jobs list.
import type {ComponentChildren} from "preact";
import type {JobRow} from "../../api/types";
import {Link} from "../../components/link";
import {ProgressBar} from "../../components/progress_bar";
import {SeverityBadge} from "../../components/severity_badge";
import {StateBadge} from "../../components/state_badge";
import {TimeText, TookText} from "../../components/time_text";
import {count, percent, plural, UNKNOWN} from "../../pure/format";
import {withTerm} from "../../pure/filter";
import {changed, jobPath, type Query} from "../../pure/url_state";

export interface Column {
  key: string; // also the name by which the server sorts
  title: string;
  numeric?: boolean;
  optional?: boolean; // not shown unless the user chooses it
  cell: (row: JobRow, query: Query) => ComponentChildren; // `query` of the page
}

// A value as a link that narrows the filter to it.
function narrowed(key: string, value: string | null, query: Query): ComponentChildren {
  if (value === null || value === "") return UNKNOWN;
  const narrower = changed(query, {q: withTerm(query["q"] ?? "", key, value), after: null});
  return (
    <Link to="/" query={narrower} label={`only ${key} ${value}`}>
      {value}
    </Link>
  );
}

function tasksText(row: JobRow): string {
  if (!row.tasks) return UNKNOWN;
  return `${count(row.tasks.running)}/${count(row.tasks.total)}`;
}

function advice(row: JobRow): ComponentChildren {
  if (!row.findings || !row.severity) return row.findings === 0 ? "0" : UNKNOWN;
  return (
    <Link to={jobPath(row.id)} query={{tab: "advice"}} label={`${row.severity} ${plural(row.findings, "finding")}`}>
      <SeverityBadge severity={row.severity} /> {count(row.findings)}
    </Link>
  );
}

function cost(row: JobRow): string {
  return row.cost === null || row.cost === undefined ? UNKNOWN : `${count(row.cost)} ${row.currency ?? ""}`;
}

export const COLUMNS: readonly Column[] = [
  {key: "state", title: "State", cell: row => <StateBadge state={row.state} />},
  {
    key: "name",
    title: "Name",
    cell: row => (
      <Link to={jobPath(row.id)} class="job-name">
        {row.name || row.id}
      </Link>
    ),
  },
  {key: "id", title: "Id", optional: true, cell: row => <code>{row.id}</code>},
  {key: "user", title: "User", cell: (row, query) => narrowed("user", row.user, query)},
  {key: "queue", title: "Queue", cell: (row, query) => narrowed("queue", row.queue, query)},
  {key: "submitted", title: "Submitted", numeric: true, optional: true, cell: row => <TimeText at={row.submitted} />},
  {key: "started", title: "Started", numeric: true, cell: row => <TimeText at={row.started} />},
  {
    key: "took",
    title: "Took",
    numeric: true,
    cell: row => <TookText from={row.started} to={row.finished} seconds={row.took_seconds} />,
  },
  {key: "tasks", title: "Tasks", numeric: true, cell: tasksText},
  {key: "gpus", title: "GPUs", numeric: true, cell: row => count(row.gpus)},
  {key: "progress", title: "Progress", cell: row => <ProgressBar progress={row.progress} />},
  {key: "goodput", title: "Goodput", numeric: true, cell: row => percent(row.goodput)},
  {key: "severity", title: "Advice", cell: advice},
  {key: "cost", title: "Cost", numeric: true, optional: true, cell: cost},
  {
    key: "framework",
    title: "Framework",
    optional: true,
    cell: (row, query) => narrowed("framework", row.framework, query),
  },
  {key: "backend", title: "Backend", optional: true, cell: (row, query) => narrowed("backend", row.on, query)},
  {
    key: "reason",
    title: "Reason",
    cell: row => (
      <span class="reason" title={row.reason ?? ""}>
        {row.reason ?? UNKNOWN}
      </span>
    ),
  },
];

const DEFAULTS = COLUMNS.filter(column => !column.optional).map(column => column.key);

// The columns that a URL names, in the order of the table.
export function chosenColumns(names: readonly string[]): readonly Column[] {
  const wanted = names.length > 0 ? names : DEFAULTS;
  return COLUMNS.filter(column => wanted.includes(column.key));
}

// How the choice is written in the URL; null: it is the default.
export function columnsText(names: readonly string[]): string | null {
  const ordered = COLUMNS.map(column => column.key).filter(key => names.includes(key));
  return ordered.join(",") === DEFAULTS.join(",") ? null : ordered.join(",");
}
