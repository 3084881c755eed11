import type {Task} from "../../api/types";
import {bytes, count, duration} from "../../pure/format";
import {quantiles} from "../../pure/job_state";

const KINDS = [
  {name: "memory peak", value: (task: Task) => task.usage?.memory_peak_bytes, text: bytes},
  {name: "CPU time", value: (task: Task) => task.usage?.cpu_seconds, text: duration},
  {name: "step", value: (task: Task) => task.progress?.step, text: count},
] as const;

// How the tasks of each role differ. Only shown where there are several tasks.
export function Quantiles({tasks}: {tasks: readonly Task[]}) {
  const roles = [...new Set(tasks.map(task => task.role))];
  const rows = roles
    .flatMap(role =>
      KINDS.map(kind => {
        const values = tasks
          .filter(task => task.role === role)
          .map(kind.value)
          .filter((value): value is number => typeof value === "number");
        return {role, kind, spread: values.length > 2 ? quantiles(values) : null};
      }),
    )
    .filter(row => row.spread !== null);
  if (rows.length === 0) return null;
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Quantiles by role">
      <table class="plain">
        <caption>Quantiles by role</caption>
        <thead>
          <tr>
            <th scope="col">role</th>
            <th scope="col">value</th>
            {["min", "25%", "median", "75%", "max"].map(name => (
              <th key={name} scope="col" class="numeric">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(
            ({role, kind, spread}) =>
              spread && (
                <tr key={`${role} ${kind.name}`}>
                  <th scope="row">{role}</th>
                  <td>{kind.name}</td>
                  {[spread.min, spread.q25, spread.median, spread.q75, spread.max].map((value, i) => (
                    <td key={i} class="numeric">
                      {kind.text(value)}
                    </td>
                  ))}
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
  );
}
