// `/cluster/nodes/N`: one node, what runs there, and what failed there.
import {apiUrl} from "../../api/client";
import type {ClusterAnswer, NodeDetail, NodesBackend} from "../../api/types";
import {Link} from "../../components/link";
import {Notes} from "../../components/notes";
import {ResourceView} from "../../components/resource_view";
import {RowTable, type Column} from "../../components/row_table";
import {StateBadge} from "../../components/state_badge";
import {TimeText} from "../../components/time_text";
import {useClusterLive} from "../../hooks/use_cluster";
import {useResource} from "../../hooks/use_resource";
import {usageText} from "../../pure/cluster";
import {bytes, count, plural, UNKNOWN} from "../../pure/format";
import {jobPath} from "../../pure/url_state";
import {BackendProblem} from "./backend_state";
import {PartHead} from "./part_head";

const TASK_COLUMNS: readonly Column[] = ["Task", "Job", "State", {numeric: "Attempt"}, "Started"];
const FAILURE_COLUMNS: readonly Column[] = ["When", "Task", "Job", "What happened"];

function Facts({node}: {node: NodeDetail}) {
  const facts: [string, string][] = [
    ["State", `${node.usable ? "" : "✕ "}${node.state}`],
    ["Health", node.health ?? UNKNOWN],
    ["Label", node.label ?? UNKNOWN],
    ["Rack", node.rack ?? UNKNOWN],
    ["Port", node.port === null ? UNKNOWN : String(node.port)],
    ["Memory", usageText(node.memory_bytes, bytes)],
    ["vcores", usageText(node.vcores, count)],
    ["GPUs", usageText(node.gpus, count)],
    ["Containers", count(node.containers)],
  ];
  return (
    <dl class="facts">
      {facts.map(([name, text]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}

function Avoided({node}: {node: NodeDetail}) {
  if (!node.avoided || node.avoided.length === 0) return null;
  return (
    <div class="failure" role="status">
      {node.avoided.map(one => (
        <p key={one.job}>
          <strong>
            Avoided by <Link to={jobPath(one.job)}>{one.name}</Link> until <TimeText at={one.until} />.
          </strong>{" "}
          {one.reason}
        </p>
      ))}
    </div>
  );
}

function Tasks({node}: {node: NodeDetail}) {
  const tasks = node.tasks ?? [];
  const masters = node.masters ?? [];
  return (
    <>
      <p>
        {plural(tasks.length, "task")} of jobs in this portal, {plural(masters.length, "application master")} of
        theirs, {count(node.others)} other containers.
      </p>
      {tasks.length > 0 && (
        <RowTable label="Tasks" columns={TASK_COLUMNS}>
        {tasks.map(task => (
          <tr key={`${task.job} ${task.task}`} data-row>
            <th scope="row">
              <Link to={jobPath(task.job)} query={{tab: "tasks", task: task.task}}>
                {task.task}
              </Link>
            </th>
            <td>{task.name}</td>
            <td>
              <StateBadge state={task.state} />
            </td>
            <td class="numeric">{count(task.attempt)}</td>
            <td>
              <TimeText at={task.started} />
            </td>
          </tr>
        ))}
        </RowTable>
      )}
    </>
  );
}

function Failures({node}: {node: NodeDetail}) {
  const failures = node.failures ?? [];
  if (failures.length === 0) return <p class="muted">No task has failed here.</p>;
  return (
    <RowTable label="Failures" columns={FAILURE_COLUMNS} wide>
    {failures.map(failure => (
      <tr key={`${failure.job} ${failure.task} ${failure.attempt}`} data-row>
        <td>
          <TimeText at={failure.at} />
        </td>
        <th scope="row">
          <Link to={jobPath(failure.job)} query={{tab: "tasks", task: failure.task, attempts: "all"}}>
            {failure.task}
          </Link>
        </th>
        <td>{failure.name}</td>
        <td class="sentence">
          {failure.lost && "container lost: "}
          {failure.reason ?? UNKNOWN}
        </td>
      </tr>
    ))}
    </RowTable>
  );
}

export function NodePage({node: name}: {node: string}) {
  const resource = useResource<ClusterAnswer<NodesBackend>>(apiUrl("cluster/nodes", {node: name}), true);
  const live = useClusterLive([resource]);
  return (
    <>
      <PartHead title={`Node ${name}`} live={live} />
      <ResourceView what="The node" resource={resource}>
        {({backends}) => (
          <>
            {backends.map(backend =>
              (backend.nodes ?? []).map(node => (
                <section key={`${backend.name} ${node.port ?? ""}`} aria-label={`${name} of ${backend.name}`}>
                  <h2>{backend.name}</h2>
                  <BackendProblem backend={backend} />
                  <Avoided node={node} />
                  <Facts node={node} />
                  <Notes notes={node.notes} />
                  {node.complete === false && <p role="status">Not all jobs could be read in time.</p>}
                  <h3>What runs here</h3>
                  <Tasks node={node} />
                  <h3>Failures of the last 24 hours</h3>
                  <Failures node={node} />
                </section>
              )),
            )}
          </>
        )}
      </ResourceView>
    </>
  );
}
