import {UNKNOWN} from "../pure/format";

interface Difference {
  name: string;
  before: string | null;
  after: string | null;
}

// The settings that differ between a run and the run before it.
export function DifferenceTable({differences}: {differences: readonly Difference[]}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Differences">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">key</th>
            <th scope="col">previous run</th>
            <th scope="col">this run</th>
          </tr>
        </thead>
        <tbody>
          {differences.map(one => (
            <tr key={one.name}>
              <th scope="row">
                <code>{one.name}</code>
              </th>
              <td>{one.before ?? UNKNOWN}</td>
              <td>{one.after ?? UNKNOWN}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
