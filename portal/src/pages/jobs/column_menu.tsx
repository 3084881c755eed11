import {COLUMNS, columnsText, type Column} from "./columns";

export function ColumnMenu({chosen, change}: {chosen: readonly Column[]; change: (text: string | null) => void}) {
  const names = chosen.map(column => column.key);
  const toggle = (key: string) =>
    change(columnsText(names.includes(key) ? names.filter(name => name !== key) : [...names, key]));
  return (
    <details class="menu">
      <summary>Columns</summary>
      <fieldset>
        <legend class="sr-only">Columns of the table</legend>
        {COLUMNS.map(column => (
          <label key={column.key}>
            <input
              type="checkbox"
              checked={names.includes(column.key)}
              disabled={column.key === "name"}
              onChange={() => toggle(column.key)}
            />{" "}
            {column.title}
          </label>
        ))}
      </fieldset>
    </details>
  );
}
