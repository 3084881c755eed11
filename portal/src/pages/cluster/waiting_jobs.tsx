import type {WaitingJob} from "../../api/types";
import {Link} from "../../components/link";
import {RowTable, type Column} from "../../components/row_table";
import {StateBadge} from "../../components/state_badge";
import {AgoText} from "../../components/time_text";
import {count, UNKNOWN} from "../../pure/format";
import {jobPath} from "../../pure/url_state";

const COLUMNS: readonly Column[] = [
  "Job",
  "State",
  "User",
  "Queue",
  "Submitted",
  {numeric: "Tasks"},
  {numeric: "GPUs"},
  "Waits for",
];

// Jobs that wait, each with the sentence that says for what.
export function WaitingJobs({jobs, label}: {jobs: readonly WaitingJob[]; label: string}) {
  if (jobs.length === 0) return <p class="muted">No job of this portal waits.</p>;
  return (
    <RowTable label={label} columns={COLUMNS} wide>
    {jobs.map(job => (
      <tr key={job.id} data-row>
        <td>
          <Link to={jobPath(job.id)} class="job-name">
            {job.name}
          </Link>
        </td>
        <td>
          <StateBadge state={job.state} />
        </td>
        <td>{job.user ?? UNKNOWN}</td>
        <td>{job.queue ?? UNKNOWN}</td>
        <td>
          <AgoText at={job.submitted} />
        </td>
        <td class="numeric">{count(job.tasks)}</td>
        <td class="numeric">{count(job.gpus)}</td>
        <td class="sentence">{job.reason ?? UNKNOWN}</td>
      </tr>
    ))}
    </RowTable>
  );
}
