import {useEffect, useState} from "preact/hooks";
import {ApiError, getLog, jobUrl, type LogBytes} from "../../api/client";
import type {JobDetail} from "../../api/types";
import {AnsiLine} from "../../components/ansi_line";
import {Failure} from "../../components/failure";
import {Link} from "../../components/link";
import {linesOf} from "../../pure/log_lines";
import {jobPath, type Query} from "../../pure/url_state";

const LINES = 15;

interface Props {
  job: JobDetail;
  role: string;
  index: number;
  attempt: number | null;
}

// The last lines that the task with the root cause wrote to stderr, with a link to that position in its log.
export function FailureTail({job, role, index, attempt}: Props) {
  const [log, setLog] = useState<LogBytes | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const task = `${role}:${index}`;
  const which: Query = {stream: "stderr", ...(attempt === null ? {} : {attempt: String(attempt)})};

  useEffect(() => {
    const controller = new AbortController();
    getLog(jobUrl(job.id, `logs/${task}`, {...which, tail: String(LINES)}), controller.signal).then(
      bytes => {
        setLog(bytes);
        setError(null);
      },
      (reason: unknown) => {
        if (reason instanceof ApiError) setError(reason);
      },
    );
    return () => controller.abort();
  }, [job.id, task, attempt]);

  const lines = log ? linesOf(log.bytes, log.offset, false) : [];
  const query: Query = {tab: "logs", task, ...which, ...(log ? {at: String(log.offset)} : {})};
  return (
    <div class="card">
      <h2>Root cause: {task}</h2>
      {job.reason && <p>{job.reason}</p>}
      {error && <Failure what={`The stderr of ${task}`} error={error} />}
      {log && lines.length === 0 && <p class="muted">{task} wrote nothing to stderr.</p>}
      {lines.length > 0 && (
        <pre class="log-tail" tabIndex={0} aria-label={`last lines of stderr of ${task}`}>
          {lines.map(line => (
            <AnsiLine key={line.offset} line={line} />
          ))}
        </pre>
      )}
      <p>
        <Link to={jobPath(job.id)} query={query}>
          Show this position in the log
        </Link>
      </p>
    </div>
  );
}
