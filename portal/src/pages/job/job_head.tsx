import type {ComponentChildren} from "preact";
import type {JobDetail} from "../../api/types";
import {ExternalLink, Link} from "../../components/link";
import {ProgressBar} from "../../components/progress_bar";
import {StateBadge} from "../../components/state_badge";
import {AgoText, TimeText, TookText} from "../../components/time_text";
import {count, duration, percent, UNKNOWN} from "../../pure/format";
import {term} from "../../pure/filter";

// Facts of the head that are known, with the kind of each.
function Fact({name, children}: {name: string; children: ComponentChildren}) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function gpuHours(job: JobDetail): number | null {
  const held = job.account?.resources?.held;
  return held ? held.gpu_seconds / 3600 : null;
}

function remaining(job: JobDetail): number | null {
  const progress = job.progress;
  if (!progress?.steps || !progress.steps_per_second || progress.step === null) return null;
  return Math.max(0, progress.steps - progress.step) / progress.steps_per_second;
}

function Pace({job}: {job: JobDetail}) {
  const {progress} = job;
  if (!progress) return null;
  const left = job.finished === null ? remaining(job) : null;
  return (
    <Fact name="Progress">
      <ProgressBar progress={progress} />
      {progress.steps_per_second ? `, ${count(progress.steps_per_second)}/s` : ""}
      {left !== null && `, about ${duration(Math.floor(left))} left`}
      {progress.checkpoint !== null && progress.checkpoint !== undefined && (
        <>
          , checkpoint {count(progress.checkpoint)} <AgoText at={progress.checkpoint_at} />
        </>
      )}
    </Fact>
  );
}

// The first lines of a job's page: state, reason, and what it used.
export function JobHead({job}: {job: JobDetail}) {
  const hours = gpuHours(job);
  const resources = job.account?.resources;
  return (
    <div class="job-head">
      <p class="lead">
        <StateBadge state={job.state} /> <TookText from={job.started} to={job.finished} seconds={job.took_seconds} />
        {job.generation ? ` · generation ${job.generation}` : ""}
        {job.exit_code !== null && job.exit_code !== undefined && ` · exit code ${job.exit_code}`}
      </p>
      {job.reason && <p class="reason-line">{job.reason}</p>}
      {job.advice && <p class="advice-line">{job.advice}</p>}
      {job.note && (
        <p class="notes" role="status">
          {job.note}
        </p>
      )}
      <dl class="facts">
        <Fact name="Id">
          <code>{job.id}</code>
        </Fact>
        <Fact name="User">
          {job.user ? (
            <Link to="/" query={{q: term("user", job.user)}}>
              {job.user}
            </Link>
          ) : (
            UNKNOWN
          )}
        </Fact>
        {job.queue && (
          <Fact name="Queue">
            <Link to="/" query={{q: term("queue", job.queue)}}>
              {job.queue}
            </Link>
          </Fact>
        )}
        <Fact name="Backend">{job.on}</Fact>
        <Fact name="Framework">{job.framework ?? UNKNOWN}</Fact>
        <Fact name="Submitted">
          <TimeText at={job.submitted} />
        </Fact>
        <Fact name="Started">
          <TimeText at={job.started} />
        </Fact>
        <Fact name="Finished">
          <TimeText at={job.finished} />
        </Fact>
        <Fact name="GPUs">{count(job.gpus)}</Fact>
        {hours !== null && hours > 0 && <Fact name="Held">{count(hours)} GPU h</Fact>}
        <Fact name="Goodput">{percent(resources?.goodput ?? job.goodput)}</Fact>
        {resources?.busy !== null && resources?.busy !== undefined && (
          <Fact name="GPUs busy">{percent(resources.busy)}</Fact>
        )}
        {job.cost !== null && job.cost !== undefined && (
          <Fact name="Cost">
            {count(job.cost)} {job.currency ?? ""}
          </Fact>
        )}
        <Pace job={job} />
        {job.tags && job.tags.length > 0 && <Fact name="Tags">{job.tags.join(", ")}</Fact>}
        {job.urls?.tracking && (
          <Fact name="Tracking">
            <ExternalLink to={job.urls.tracking}>{job.urls.tracking}</ExternalLink>
          </Fact>
        )}
      </dl>
    </div>
  );
}
