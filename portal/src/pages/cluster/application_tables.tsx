import type {ApplicationGroup, ApplicationsBackend, ClusterApplication} from "../../api/types";
import {Link} from "../../components/link";
import {AgoText} from "../../components/time_text";
import {bytes, count, UNKNOWN} from "../../pure/format";
import {jobPath} from "../../pure/url_state";

function Groups({field, groups}: {field: "type" | "user"; groups: readonly ApplicationGroup[]}) {
  const label = `Applications by ${field}`;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="plain">
        <caption>{label}</caption>
        <thead>
          <tr>
            <th scope="col">{field}</th>
            {["running", "waiting", "containers", "memory", "vcores", "GPUs"].map(title => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map(group => (
            <tr key={group[field] ?? ""}>
              <th scope="row">{group[field] ?? UNKNOWN}</th>
              <td class="numeric">{count(group.running)}</td>
              <td class="numeric">{count(group.waiting)}</td>
              <td class="numeric">{count(group.containers)}</td>
              <td class="numeric">{bytes(group.memory_bytes)}</td>
              <td class="numeric">{count(group.vcores)}</td>
              <td class="numeric">{count(group.gpus)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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
    <div class="scroll tall" tabIndex={0} role="region" aria-label="Applications">
      <table class="rows">
        <caption class="sr-only">Applications</caption>
        <thead>
          <tr>
            <th scope="col">Application</th>
            <th scope="col">Type</th>
            <th scope="col">User</th>
            <th scope="col">State</th>
            <th scope="col">Submitted</th>
            <th scope="col" class="numeric">
              Containers
            </th>
            <th scope="col" class="numeric">
              Memory
            </th>
            <th scope="col" class="numeric">
              vcores
            </th>
            <th scope="col" class="numeric">
              GPUs
            </th>
          </tr>
        </thead>
        <tbody>
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
        </tbody>
      </table>
    </div>
  );
}
