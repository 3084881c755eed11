// `/cluster`: nodes, queues, and what runs and waits, on each backend.
import type {ComponentChildren} from "preact";
import {apiUrl} from "../../api/client";
import type {
  ApplicationsBackend,
  ClusterAnswer,
  ClusterBackend,
  ClusterSummary,
  NodesBackend,
  QueuesBackend,
} from "../../api/types";
import {ChoiceBox} from "../../components/choice_box";
import {LiveMark} from "../../components/live_mark";
import {ResourceView} from "../../components/resource_view";
import {useClusterLive} from "../../hooks/use_cluster";
import {setQuery, useLocation} from "../../hooks/use_location";
import {useResource, type Resource} from "../../hooks/use_resource";
import {GROUPINGS, statesText, type Grouping} from "../../pure/cluster";
import {bytes, count} from "../../pure/format";
import {oneOf} from "../../pure/url_state";
import {ApplicationGroups} from "./application_tables";
import {BackendProblem} from "./backend_state";
import {ClusterHistoryCharts} from "./cluster_history";
import {NodeSquares} from "./node_squares";
import {QueueTable} from "./queue_table";
import {UsageBar} from "./usage_bar";
import {WaitingJobs} from "./waiting_jobs";

function Summary({backend}: {backend: ClusterSummary}) {
  const {nodes, memory_bytes, vcores, gpus, pending, applications} = backend;
  if (!nodes || !memory_bytes || !vcores || !gpus || !pending || !applications) return null;
  return (
    <p class="cluster-summary">
      <span>
        nodes <b>{statesText(nodes.states)}</b>
      </span>
      <UsageBar name="memory" amount={memory_bytes} text={bytes} />
      <UsageBar name="vcores" amount={vcores} text={count} />
      <UsageBar name="GPUs" amount={gpus} text={count} />
      <span>
        pending{" "}
        <b>
          {count(pending.containers)} containers, {bytes(pending.memory_bytes)}, {count(pending.gpus)} GPUs
        </b>
      </span>
      <span>
        applications{" "}
        <b>
          {count(applications.running)} running, {count(applications.waiting)} waiting
        </b>
      </span>
    </p>
  );
}

// The part of an answer about one backend.
function PartOf<Backend extends ClusterBackend>({
  what,
  resource,
  name,
  children,
}: {
  what: string;
  resource: Resource<ClusterAnswer<Backend>>;
  name: string;
  children: (backend: Backend) => ComponentChildren;
}) {
  return (
    <ResourceView what={what} resource={resource}>
      {({backends}) => <>{backends.filter(backend => backend.name === name).map(children)}</>}
    </ResourceView>
  );
}

interface Parts {
  queues: Resource<ClusterAnswer<QueuesBackend>>;
  nodes: Resource<ClusterAnswer<NodesBackend>>;
  applications: Resource<ClusterAnswer<ApplicationsBackend>>;
}

function BackendSection({backend, parts, by}: {backend: ClusterSummary; parts: Parts; by: Grouping}) {
  const {name} = backend;
  return (
    <section aria-label={`backend ${name}`}>
      <h2>{name}</h2>
      <BackendProblem backend={backend} />
      <Summary backend={backend} />
      {backend.waiting_jobs && (
        <>
          <h3>Waiting jobs</h3>
          <WaitingJobs jobs={backend.waiting_jobs} label={`Waiting jobs of ${name}`} />
        </>
      )}
      <PartOf what="The list of queues" resource={parts.queues} name={name}>
        {({queues}) =>
          queues &&
          queues.length > 0 && (
            <>
              <h3>Queues</h3>
              <QueueTable queues={queues} label={`Queues of ${name}`} />
            </>
          )
        }
      </PartOf>
      <h3>Nodes</h3>
      <PartOf what="The list of nodes" resource={parts.nodes} name={name}>
        {({nodes}) => nodes && <NodeSquares nodes={nodes} by={by} />}
      </PartOf>
      <h3>Applications</h3>
      <PartOf what="The list of applications" resource={parts.applications} name={name}>
        {one => one.applications && <ApplicationGroups backend={one} />}
      </PartOf>
    </section>
  );
}

export function ClusterPage() {
  const {query} = useLocation();
  const by = oneOf(query["group"], GROUPINGS, GROUPINGS[0]);
  const summary = useResource<ClusterAnswer<ClusterSummary>>(apiUrl("cluster"), true);
  const parts: Parts = {
    queues: useResource<ClusterAnswer<QueuesBackend>>(apiUrl("cluster/queues"), true),
    nodes: useResource<ClusterAnswer<NodesBackend>>(apiUrl("cluster/nodes"), true),
    applications: useResource<ClusterAnswer<ApplicationsBackend>>(apiUrl("cluster/applications"), true),
  };
  const live = useClusterLive([summary, parts.queues, parts.nodes, parts.applications]);
  return (
    <>
      <div class="job-top">
        <h1>Cluster</h1>
        <LiveMark state={live} />
        <ChoiceBox
          label="Nodes by"
          value={by}
          choices={GROUPINGS}
          change={value => setQuery({group: value === GROUPINGS[0] ? null : value})}
        />
      </div>
      <ResourceView what="The state of the clusters" resource={summary}>
        {({backends}) => (
          <>
            {backends.map(backend => (
              <BackendSection key={backend.name} backend={backend} parts={parts} by={by} />
            ))}
          </>
        )}
      </ResourceView>
      <h2>Last 24 hours</h2>
      <p class="muted">As recorded by this portal while it ran.</p>
      <ClusterHistoryCharts />
    </>
  );
}
