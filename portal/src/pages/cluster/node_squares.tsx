import {Link} from "../../components/link";
import {groupsOf, squareOf, type ClusterNode, type Grouping} from "../../pure/cluster";
import {nodePath} from "../../pure/url_state";

function NodeSquare({node}: {node: ClusterNode}) {
  const square = squareOf(node);
  return (
    <li data-row title={square.label}>
      <Link to={nodePath(node.node)} class={`square ${node.usable ? "" : "square-out"}`}>
        <span class="sr-only">{square.label}</span>
        <span class="square-memory" aria-hidden="true">
          {square.mark && <b class="square-mark">{square.mark} </b>}
          {square.memory}
        </span>
        <span class="square-gpus" aria-hidden="true">
          {square.gpus}
        </span>
        <span class={`square-level level-${square.level ?? "unknown"}`} />
      </Link>
    </li>
  );
}

// One square per node: the used memory as a number and a colour, the number of free GPUs, and a mark for a node that is
// not offered to jobs.
export function NodeSquares({nodes, by}: {nodes: readonly ClusterNode[]; by: Grouping}) {
  return (
    <>
      {groupsOf(nodes, by).map(group => (
        <section key={group.key}>
          {group.title && <h4>{group.title}</h4>}
          <ul class="squares">
            {group.nodes.map(node => (
              <NodeSquare key={`${node.node}:${node.port ?? ""}`} node={node} />
            ))}
          </ul>
        </section>
      ))}
      <p class="muted">
        Each square is a node: used memory, free GPUs, and ✕ if the node is not offered to jobs (↓ if it is being taken
        out of service).
      </p>
    </>
  );
}
