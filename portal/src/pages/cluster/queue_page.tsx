// `/cluster/queues/Q`: one queue, who holds it, and what waits in it.
import {apiUrl} from "../../api/client";
import type {
  ApplicationsBackend,
  ClusterAnswer,
  ClusterQueue,
  QueueHolder,
  QueueLimits,
  QueuesBackend,
} from "../../api/types";
import {FigureTable, type Figure} from "../../components/figure_table";
import {Link} from "../../components/link";
import {ResourceView} from "../../components/resource_view";
import {useClusterLive} from "../../hooks/use_cluster";
import {useResource} from "../../hooks/use_resource";
import {queueShareText} from "../../pure/cluster";
import {bytes, count, percent, UNKNOWN, type Maybe} from "../../pure/format";
import {queuePath} from "../../pure/url_state";
import {ApplicationTable, HELD} from "./application_tables";
import {BackendProblem} from "./backend_state";
import {PartHead} from "./part_head";
import {QueueTable} from "./queue_table";
import {WaitingJobs} from "./waiting_jobs";

interface ResourceLimits {
  resource: string;
  limits: QueueLimits;
  pending: Maybe<number>;
  text: (value: Maybe<number>) => string;
}

const LIMITS: readonly Figure<ResourceLimits>[] = [
  {title: "used", text: row => row.text(row.limits.used)},
  {title: "capacity", text: row => row.text(row.limits.capacity)},
  {title: "maximum", text: row => row.text(row.limits.maximum)},
  {title: "pending", text: row => row.text(row.pending)},
];

function Limits({queue}: {queue: ClusterQueue}) {
  const rows: ResourceLimits[] = [
    {resource: "memory", limits: queue.memory_bytes, pending: queue.pending.memory_bytes, text: bytes},
    {resource: "vcores", limits: queue.vcores, pending: queue.pending.vcores, text: count},
    {resource: "GPUs", limits: queue.gpus, pending: queue.pending.gpus, text: count},
  ];
  return (
    <FigureTable
      label="Limits"
      caption="Use and limits"
      heading="resource"
      name={row => row.resource}
      figures={LIMITS}
      rows={rows}
    />
  );
}

const HOLDER: readonly Figure<QueueHolder>[] = [
  {title: "share of its memory", text: one => percent(one.share)},
  {title: "applications", text: one => count(one.applications)},
  ...HELD,
];

function HeldBy({queue}: {queue: ClusterQueue}) {
  if (queue.held_by.length === 0) return <p class="muted">Nobody uses the queue.</p>;
  return (
    <FigureTable
      label="Users of the queue"
      caption="Held by"
      heading="user"
      name={one => one.user ?? UNKNOWN}
      figures={HOLDER}
      rows={queue.held_by}
    />
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
      <PartHead title={`Queue ${path}`} live={live} />
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
