import type {WaitingJob} from "../../api/types";
import {Link} from "../../components/link";
import {StateBadge} from "../../components/state_badge";
import {AgoText} from "../../components/time_text";
import {count, UNKNOWN} from "../../pure/format";
import {jobPath} from "../../pure/url_state";

// Jobs that wait, each with the sentence that says for what.
export function WaitingJobs({jobs, label}: {jobs: readonly WaitingJob[]; label: string}) {
  if (jobs.length === 0) return <p class="muted">No job of this portal waits.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="rows waiting">
        <caption class="sr-only">{label}</caption>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col">User</th>
            <th scope="col">Queue</th>
            <th scope="col">Submitted</th>
            <th scope="col" class="numeric">
              Tasks
            </th>
            <th scope="col" class="numeric">
              GPUs
            </th>
            <th scope="col">Waits for</th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  );
}
