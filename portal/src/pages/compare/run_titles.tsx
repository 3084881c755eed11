import type {ComparedRun} from "../../api/types";
import {Link} from "../../components/link";
import {jobPath} from "../../pure/url_state";

// A short text for a run, which is unique on its page: a letter, and its name.
export function runLabel(runs: readonly ComparedRun[], run: ComparedRun): string {
  return `${String.fromCharCode(65 + runs.indexOf(run))} ${run.name || run.id}`;
}

// The head of a table with one column per run.
export function RunTitles({first, runs}: {first: string; runs: readonly ComparedRun[]}) {
  return (
    <thead>
      <tr>
        <th scope="col">{first}</th>
        {runs.map(run => (
          <th key={run.id} scope="col">
            <Link to={jobPath(run.id)}>{runLabel(runs, run)}</Link>
          </th>
        ))}
      </tr>
    </thead>
  );
}
