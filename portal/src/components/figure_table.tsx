export interface Figure<Row> {
  title: string;
  text: (row: Row) => string;
}

// A table of figures: a row for each thing, and a numeric column for each figure.
export function FigureTable<Row>({
  label,
  caption,
  heading,
  name,
  figures,
  rows,
}: {
  label: string; // for readers that do not see the table
  caption: string;
  heading: string; // of the column of names
  name: (row: Row) => string;
  figures: readonly Figure<Row>[];
  rows: readonly Row[];
}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="plain">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {figures.map(({title}) => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={name(row)}>
              <th scope="row">{name(row)}</th>
              {figures.map(({title, text}) => (
                <td key={title} class="numeric">
                  {text(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
