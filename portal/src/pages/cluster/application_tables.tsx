import type {ApplicationGroup, ApplicationsBackend, ClusterApplication} from "../../api/types";
import {FigureTable, type Figure} from "../../components/figure_table";
import {Link} from "../../components/link";
import {RowTable, type Column} from "../../components/row_table";
import {AgoText} from "../../components/time_text";
import {bytes, count, UNKNOWN} from "../../pure/format";
import {jobPath} from "../../pure/url_state";

const COLUMNS: readonly Column[] = [
  "Application",
  "Type",
  "User",
  "State",
  "Submitted",
  {numeric: "Containers"},
  {numeric: "Memory"},
  {numeric: "vcores"},
  {numeric: "GPUs"},
];

// The resources that applications or users hold.
export const HELD: readonly Figure<{
  containers: number | null;
  memory_bytes: number | null;
  vcores: number | null;
  gpus: number | null;
}>[] = [
  {title: "containers", text: one => count(one.containers)},
  {title: "memory", text: one => bytes(one.memory_bytes)},
  {title: "vcores", text: one => count(one.vcores)},
  {title: "GPUs", text: one => count(one.gpus)},
];

const GROUP: readonly Figure<ApplicationGroup>[] = [
  {title: "running", text: group => count(group.running)},
  {title: "waiting", text: group => count(group.waiting)},
  ...HELD,
];

function Groups({field, groups}: {field: "type" | "user"; groups: readonly ApplicationGroup[]}) {
  const label = `Applications by ${field}`;
  const name = (group: ApplicationGroup) => group[field] ?? UNKNOWN;
  return <FigureTable label={label} caption={label} heading={field} name={name} figures={GROUP} rows={groups} />;
}

export function ApplicationGroups({backend}: {backend: ApplicationsBackend}) {
  if (!backend.by_type || backend.by_type.length === 0) return <p class="muted">No application runs or waits.</p>;
  return (
    <div class="side-by-side">
      <Groups field="type" groups={backend.by_type} />
      <Groups field="user" groups={backend.by_user ?? []} />
    </div>
  );
}

export function ApplicationTable({applications}: {applications: readonly ClusterApplication[]}) {
  if (applications.length === 0) return <p class="muted">No application runs or waits.</p>;
  return (
    <RowTable label="Applications" columns={COLUMNS} tall>
    {applications.map(one => (
      <tr key={one.id} data-row>
        <th scope="row">
          {one.job ? (
            <Link to={jobPath(one.id)} class="job-name">
              {one.name ?? one.id}
            </Link>
          ) : (
            <span title={one.id}>{one.name ?? one.id}</span>
          )}
        </th>
        <td>{one.type}</td>
        <td>{one.user ?? UNKNOWN}</td>
        <td>{one.state}</td>
        <td>
          <AgoText at={one.submitted} />
        </td>
        <td class="numeric">{count(one.containers)}</td>
        <td class="numeric">{bytes(one.memory_bytes)}</td>
        <td class="numeric">{count(one.vcores)}</td>
        <td class="numeric">{count(one.gpus)}</td>
      </tr>
    ))}
    </RowTable>
  );
}
