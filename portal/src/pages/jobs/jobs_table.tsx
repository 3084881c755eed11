import type {JobRow} from "../../api/types";
import {SortableHeader} from "../../components/sortable_header";
import {plural} from "../../pure/format";
import type {Group} from "../../pure/fold";
import {rowKey} from "../../pure/live_rows";
import type {Query} from "../../pure/url_state";
import type {Column} from "./columns";

interface RowProps {
  row: JobRow;
  columns: readonly Column[];
  query: Query;
  folded: number; // runs folded under this row
  open: boolean;
  toggle: (() => void) | null; // null: nothing is folded here
  selected: boolean;
  select: () => void;
  inner: boolean; // a row that was folded
}

function Row({row, columns, query, folded, open, toggle, inner, selected, select}: RowProps) {
  return (
    <tr data-row class={inner ? "inner" : undefined}>
      <td>
        <input type="checkbox" checked={selected} onChange={select} aria-label={`select ${row.name} ${row.id}`} />
      </td>
      {columns.map(column => (
        <td key={column.key} class={column.numeric ? "numeric" : undefined}>
          {column.cell(row, query)}
          {column.key === "name" && toggle && (
            <button
              type="button"
              class="fold"
              aria-expanded={open}
              onClick={toggle}
              aria-label={`${plural(folded + 1, "run")} of ${row.name}`}>
              ×{folded + 1}
            </button>
          )}
        </td>
      ))}
    </tr>
  );
}

interface Props {
  groups: readonly Group<JobRow>[];
  columns: readonly Column[];
  query: Query;
  sort: string;
  changeSort: (sort: string) => void;
  opened: ReadonlySet<string>;
  toggle: (key: string) => void;
  selected: readonly string[]; // ids of rows
  select: (id: string) => void;
}

export function JobsTable({groups, columns, query, sort, changeSort, opened, toggle, selected, select}: Props) {
  return (
    <table class="rows">
      <caption class="sr-only">Jobs</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="sr-only">Selected</span>
          </th>
          {columns.map(column => (
            <SortableHeader
              key={column.key}
              title={column.title}
              column={column.key}
              sort={sort}
              change={changeSort}
              numeric={column.numeric ?? false}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.flatMap(group => {
          const open = opened.has(group.key);
          const rows = open ? [group.row, ...group.others] : [group.row];
          return rows.map((row, i) => (
            <Row
              key={rowKey(row)}
              row={row}
              columns={columns}
              query={query}
              folded={group.others.length}
              open={open}
              inner={i > 0}
              selected={selected.includes(row.id)}
              select={() => select(row.id)}
              toggle={i === 0 && group.others.length > 0 ? () => toggle(group.key) : null}
            />
          ));
        })}
      </tbody>
    </table>
  );
}
