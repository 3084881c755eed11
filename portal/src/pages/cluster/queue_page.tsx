// `/cluster/queues/Q`: one queue, who holds it, and what waits in it.
import {apiUrl} from "../../api/client";
import type {ApplicationsBackend, ClusterAnswer, ClusterQueue, QueueLimits, QueuesBackend} from "../../api/types";
import {Link} from "../../components/link";
import {LiveMark} from "../../components/live_mark";
import {ResourceView} from "../../components/resource_view";
import {useClusterLive} from "../../hooks/use_cluster";
import {useResource} from "../../hooks/use_resource";
import {queueShareText} from "../../pure/cluster";
import {bytes, count, percent, UNKNOWN, type Maybe} from "../../pure/format";
import {queuePath} from "../../pure/url_state";
import {ApplicationTable} from "./application_tables";
import {BackendProblem} from "./backend_state";
import {QueueTable} from "./queue_table";
import {WaitingJobs} from "./waiting_jobs";

function Limits({queue}: {queue: ClusterQueue}) {
  const rows: [string, QueueLimits, number | null, (value: Maybe<number>) => string][] = [
    ["memory", queue.memory_bytes, queue.pending.memory_bytes, bytes],
    ["vcores", queue.vcores, queue.pending.vcores, count],
    ["GPUs", queue.gpus, queue.pending.gpus, count],
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Limits">
      <table class="plain">
        <caption>Use and limits</caption>
        <thead>
          <tr>
            <th scope="col">resource</th>
            {["used", "capacity", "maximum", "pending"].map(title => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([name, limits, pending, text]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              {[limits.used, limits.capacity, limits.maximum, pending].map((value, i) => (
                <td key={i} class="numeric">
                  {text(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HeldBy({queue}: {queue: ClusterQueue}) {
  if (queue.held_by.length === 0) return <p class="muted">Nobody uses the queue.</p>;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Users of the queue">
      <table class="plain">
        <caption>Held by</caption>
        <thead>
          <tr>
            <th scope="col">user</th>
            {["share of its memory", "applications", "containers", "memory", "vcores", "GPUs"].map(title => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {queue.held_by.map(one => (
            <tr key={one.user ?? ""}>
              <th scope="row">{one.user ?? UNKNOWN}</th>
              <td class="numeric">{percent(one.share)}</td>
              <td class="numeric">{count(one.applications)}</td>
              <td class="numeric">{count(one.containers)}</td>
              <td class="numeric">{bytes(one.memory_bytes)}</td>
              <td class="numeric">{count(one.vcores)}</td>
              <td class="numeric">{count(one.gpus)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Facts({queue}: {queue: ClusterQueue}) {
  const facts: [string, string][] = [
    ["State", queue.state],
    ["Used", queueShareText(queue)],
    ["AM share", `${percent(queue.am_share.used)} of ${percent(queue.am_share.maximum)}`],
    ["Applications", `${count(queue.running)} running, ${count(queue.waiting)} waiting`],
    ["Pending", `${count(queue.pending.containers)} containers`],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
      {queue.parent && (
        <div class="fact">
          <dt>Parent</dt>
          <dd>
            <Link to={queuePath(queue.parent)}>{queue.parent}</Link>
          </dd>
        </div>
      )}
    </dl>
  );
}

function isIn(queue: ClusterQueue, name: string | null): boolean {
  return name !== null && (queue.queue === name || queue.queue.endsWith(`.${name}`));
}

export function QueuePage({queue: path}: {queue: string}) {
  const queues = useResource<ClusterAnswer<QueuesBackend>>(apiUrl("cluster/queues"), true);
  const applications = useResource<ClusterAnswer<ApplicationsBackend>>(apiUrl("cluster/applications"), true);
  const live = useClusterLive([queues, applications]);
  return (
    <>
      <div class="job-top">
        <h1>Queue {path}</h1>
        <LiveMark state={live} />
      </div>
      <p>
        <Link to="/cluster">Cluster</Link>
      </p>
      <ResourceView what="The list of queues" resource={queues}>
        {({backends}) => {
          const found = backends.flatMap(backend =>
            (backend.queues ?? []).filter(one => one.queue === path).map(queue => ({backend, queue})),
          );
          const waiting = backends.filter(backend => backend.queues === null);
          return (
            <>
              {found.length === 0 && (
                <>
                  {waiting.map(backend => (
                    <BackendProblem key={backend.name} backend={backend} />
                  ))}
                  <p class="empty">No backend has a queue of this name.</p>
                </>
              )}
              {found.map(({backend, queue}) => {
                const children = (backend.queues ?? []).filter(one => one.parent === path);
                return (
                  <section key={backend.name} aria-label={`queue of ${backend.name}`}>
                    <BackendProblem backend={backend} />
                    <Facts queue={queue} />
                    <h2>Waiting jobs</h2>
                    <WaitingJobs jobs={queue.waiting_jobs} label="Waiting jobs" />
                    <div class="side-by-side">
                      <Limits queue={queue} />
                      <HeldBy queue={queue} />
                    </div>
                    {children.length > 0 && (
                      <>
                        <h2>Queues in this queue</h2>
                        <QueueTable queues={children} label="Queues in this queue" />
                      </>
                    )}
                    {queue.leaf && (
                      <ResourceView what="The list of applications" resource={applications}>
                        {answer => (
                          <>
                            <h2>Applications</h2>
                            <ApplicationTable
                              applications={(
                                answer.backends.find(one => one.name === backend.name)?.applications ?? []
                              ).filter(one => isIn(queue, one.queue))}
                            />
                          </>
                        )}
                      </ResourceView>
                    )}
                  </section>
                );
              })}
            </>
          );
        }}
      </ResourceView>
    </>
  );
}
