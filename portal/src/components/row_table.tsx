import type {ComponentChildren} from "preact";

// A column of texts, or of numbers, which are aligned at the right.
export type Column = string | {numeric: string};

const titleOf = (column: Column) => (typeof column === "string" ? column : column.numeric);

// The frame of a table of things that have pages of their own: a scrolling region with a head. `children`: its rows.
export function RowTable({
  label,
  columns,
  wide = false,
  tall = false,
  children,
}: {
  label: string; // for readers that do not see the table
  columns: readonly Column[];
  wide?: boolean; // a column has sentences
  tall?: boolean; // many rows scroll within the page
  children: ComponentChildren;
}) {
  return (
    <div class={tall ? "scroll tall" : "scroll"} tabIndex={0} role="region" aria-label={label}>
      <table class={wide ? "rows waiting" : "rows"}>
        <caption class="sr-only">{label}</caption>
        <thead>
          <tr>
            {columns.map(column => (
              <th key={titleOf(column)} scope="col" class={typeof column === "string" ? undefined : "numeric"}>
                {titleOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
