import type {JobDetail, Task} from "../../api/types";
import {Link} from "../../components/link";
import {ResourceBreakdown} from "../../components/resource_breakdown";
import {StateBadge} from "../../components/state_badge";
import {TimeBreakdown} from "../../components/time_breakdown";
import {TimeText} from "../../components/time_text";
import {count, duration} from "../../pure/format";
import {jobPath} from "../../pure/url_state";
import {FailureTail} from "./failure_tail";

interface RoleCount {
  role: string;
  total: number;
  states: Map<string, number>;
}

function rolesOf(tasks: readonly Task[]): RoleCount[] {
  const roles = new Map<string, RoleCount>();
  for (const task of tasks) {
    const entry = roles.get(task.role) ?? {role: task.role, total: 0, states: new Map<string, number>()};
    roles.set(task.role, entry);
    entry.total++;
    entry.states.set(task.state, (entry.states.get(task.state) ?? 0) + 1);
  }
  return [...roles.values()];
}

function Roles({job}: {job: JobDetail}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Roles">
      <table class="plain">
        <caption>Roles</caption>
        <thead>
          <tr>
            <th scope="col">role</th>
            <th scope="col" class="numeric">
              tasks
            </th>
            <th scope="col">states</th>
          </tr>
        </thead>
        <tbody>
          {rolesOf(job.tasks).map(({role, total, states}) => (
            <tr key={role} data-row>
              <th scope="row">
                <Link to={jobPath(job.id)} query={{tab: "tasks", role}}>
                  {role}
                </Link>
              </th>
              <td class="numeric">{count(total)}</td>
              <td>
                {[...states].map(([state, number]) => (
                  <span key={state} class="pair">
                    <StateBadge state={state} /> {count(number)}
                  </span>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

// The resource or event that a job in QUEUED or STARTING waits for.
function Waiting({job}: {job: JobDetail}) {
  if (job.state !== "QUEUED" && job.state !== "STARTING") return null;
  const held = job.tasks.filter(task => task.container !== null).length;
  return (
    <div class="card">
      <h2>Waiting</h2>
      <p>{job.reason ?? "The reason is not known yet."}</p>
      <p class="muted">
        since <TimeText at={job.submitted} />
        {job.tasks.length > 0 && `; ${count(held)} of ${count(job.tasks.length)} containers are granted`}
      </p>
    </div>
  );
}

function Restarts({job}: {job: JobDetail}) {
  const account = job.account;
  if (!account || account.generations.length === 0) return null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Restarts">
      <table class="plain">
        <caption>Restarts</caption>
        <thead>
          <tr>
            <th scope="col">generation</th>
            <th scope="col">at</th>
            <th scope="col">cause</th>
            <th scope="col" class="numeric">
              lost
            </th>
            <th scope="col" class="numeric">
              recovering
            </th>
          </tr>
        </thead>
        <tbody>
          {account.generations.map(one => (
            <tr key={one.generation}>
              <td>{one.generation}</td>
              <td>
                <TimeText at={one.at} />
              </td>
              <td>{typeof one.cause === "string" ? one.cause : JSON.stringify(one.cause)}</td>
              <td class="numeric">{duration(one.lost_seconds)}</td>
              <td class="numeric">{duration(one.recovering_seconds)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function OverviewTab({job}: {job: JobDetail}) {
  const {account, cause} = job;
  return (
    <>
      <Waiting job={job} />
      {cause?.role !== undefined && cause.index !== undefined && (
        <FailureTail job={job} role={cause.role} index={cause.index} attempt={cause.attempt ?? null} />
      )}
      {account && (
        <>
          <h2>Time breakdown</h2>
          <TimeBreakdown account={account} />
        </>
      )}
      <div class="columns">
        <Roles job={job} />
        {account?.resources && <ResourceBreakdown resources={account.resources} />}
        <Restarts job={job} />
      </div>
      {job.logs && (
        <p class="muted">
          Log files: <code>{job.logs}</code>
        </p>
      )}
    </>
  );
}
