import type {ClusterQueue} from "../../api/types";
import {Link} from "../../components/link";
import {RowTable, type Column} from "../../components/row_table";
import {heldByText, queueShareText} from "../../pure/cluster";
import {bytes, count, percent, UNKNOWN} from "../../pure/format";
import {jobPath, queuePath} from "../../pure/url_state";

const COLUMNS: readonly Column[] = [
  "Queue",
  "Used, of its capacity",
  {numeric: "Memory"},
  {numeric: "GPUs"},
  {numeric: "AM share"},
  {numeric: "Running"},
  {numeric: "Waiting"},
  "Held by",
  "Waiting jobs, and what for",
];

const MOST_JOBS = 3; // of a queue that are listed; its page has all

function Waiting({queue}: {queue: ClusterQueue}) {
  const jobs = queue.waiting_jobs.slice(0, MOST_JOBS);
  const more = queue.waiting_jobs.length - jobs.length;
  if (jobs.length === 0) return <>{UNKNOWN}</>;
  return (
    <ul class="bare">
      {jobs.map(job => (
        <li key={job.id}>
          <Link to={jobPath(job.id)}>{job.name}</Link>: {job.reason ?? UNKNOWN}
        </li>
      ))}
      {more > 0 && (
        <li>
          <Link to={queuePath(queue.queue)}>{count(more)} more</Link>
        </li>
      )}
    </ul>
  );
}

export function QueueTable({queues, label}: {queues: readonly ClusterQueue[]; label: string}) {
  return (
    <RowTable label={label} columns={COLUMNS} wide>
    {queues.map(queue => (
      <tr key={queue.queue} data-row>
        <th scope="row">
          <Link to={queuePath(queue.queue)} class="job-name">
            {queue.queue}
          </Link>
          {queue.state !== "RUNNING" && <span class="tone-warn"> ■ {queue.state}</span>}
        </th>
        <td>{queueShareText(queue)}</td>
        <td class="numeric">{bytes(queue.memory_bytes.used)}</td>
        <td class="numeric">{count(queue.gpus.used)}</td>
        <td class="numeric">
          {percent(queue.am_share.used)} of {percent(queue.am_share.maximum)}
        </td>
        <td class="numeric">{count(queue.running)}</td>
        <td class="numeric">{count(queue.waiting)}</td>
        <td class="sentence">{heldByText(queue.held_by)}</td>
        <td class="sentence">
          <Waiting queue={queue} />
        </td>
      </tr>
    ))}
    </RowTable>
  );
}
