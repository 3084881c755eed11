import type {SeriesRun} from "../../api/types";
import {Link} from "../../components/link";
import {StateBadge} from "../../components/state_badge";
import {TimeText, TookText} from "../../components/time_text";
import {UNKNOWN} from "../../pure/format";
import {figureText, markText, valueOf, type Figure} from "../../pure/run_series";
import {jobPath} from "../../pure/url_state";

function Cell({run, figure}: {run: SeriesRun; figure: Figure}) {
  const mark = run.marks.find(one => one.figure === figure.key);
  const text =
    figure.key === "took_seconds" ? (
      <TookText from={run.started} to={run.finished} seconds={run.took_seconds} />
    ) : (
      figureText(valueOf(run, figure.key), figure.unit)
    );
  return (
    <td class={mark ? "numeric marked" : "numeric"} title={mark ? markText(mark) : undefined}>
      {text}
      {mark && (
        <>
          <span aria-hidden="true">{mark.side === "above" ? " ▲" : " ▼"}</span>
          <span class="sr-only"> {mark.side} the usual range</span>
        </>
      )}
    </td>
  );
}

interface Props {
  runs: readonly SeriesRun[];
  figures: readonly Figure[];
  selected: readonly string[];
  select: (id: string) => void;
}

export function RunTable({runs, figures, selected, select}: Props) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Runs">
      <table class="rows">
        <caption class="sr-only">Runs, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="sr-only">Selected</span>
            </th>
            <th scope="col">Run</th>
            <th scope="col">State</th>
            <th scope="col">Submitted</th>
            {figures.map(figure => (
              <th key={figure.key} scope="col" class="numeric">
                {figure.title}
              </th>
            ))}
            <th scope="col">Reason</th>
          </tr>
        </thead>
        <tbody>
          {runs.map(run => (
            <tr key={run.id} data-row>
              <td>
                <input
                  type="checkbox"
                  checked={selected.includes(run.id)}
                  onChange={() => select(run.id)}
                  aria-label={`select ${run.id}`}
                />
              </td>
              <td>
                <Link to={jobPath(run.id)} class="job-name">
                  {run.id}
                </Link>
              </td>
              <td>
                <StateBadge state={run.state} />
              </td>
              <td>
                <TimeText at={run.submitted} />
              </td>
              {figures.map(figure => (
                <Cell key={figure.key} run={run} figure={figure} />
              ))}
              <td>
                <span class="reason" title={run.reason ?? ""}>
                  {run.problem ?? run.reason ?? UNKNOWN}
                </span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
