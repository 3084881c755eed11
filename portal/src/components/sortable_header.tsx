interface Props {
  title: string;
  column: string;
  sort: string; // `column` or `-column`
  numeric?: boolean;
  change: (sort: string) => void;
}

// The title of a column, as a button that sorts by it. A second press reverses the order.
export function SortableHeader({title, column, sort, numeric, change}: Props) {
  const active = sort === column || sort === `-${column}`;
  const descending = sort === `-${column}`;
  const next = active ? (descending ? column : `-${column}`) : numeric ? `-${column}` : column;
  return (
    <th
      scope="col"
      class={numeric ? "numeric" : undefined}
      aria-sort={active ? (descending ? "descending" : "ascending") : undefined}>
      <button type="button" class="sort" onClick={() => change(next)}>
        {title}
        {active && <span aria-hidden="true">{descending ? " ▼" : " ▲"}</span>}
      </button>
    </th>
  );
}
