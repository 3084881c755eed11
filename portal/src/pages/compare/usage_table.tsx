import type {ComparedRun, RoleUsage} from "../../api/types";
import {rolesOf} from "../../pure/comparison";
import {bytes, count, duration, percent, UNKNOWN} from "../../pure/format";
import {RunTitles} from "./run_titles";
import {ScrollTable} from "./settings_table";

function memory(usage: RoleUsage): string {
  if (usage.memory_peak_bytes === null) return UNKNOWN;
  const requested = usage.memory_bytes === null ? "" : ` of ${bytes(usage.memory_bytes)}`;
  return bytes(usage.memory_peak_bytes) + requested;
}

const FIGURES: readonly {title: string; text: (usage: RoleUsage) => string}[] = [
  {title: "tasks", text: usage => count(usage.tasks)},
  {title: "failed tasks", text: usage => count(usage.failed)},
  {title: "restarts of tasks", text: usage => count(usage.restarts)},
  {title: "peak memory of a task", text: memory},
  {title: "vcores of a task", text: usage => count(usage.vcores)},
  {title: "GPUs of a task", text: usage => count(usage.gpus)},
  {title: "CPU time", text: usage => duration(usage.cpu_seconds)},
  {title: "GPU use", text: usage => percent(usage.gpu_utilisation)},
  {title: "GPU memory", text: usage => percent(usage.gpu_memory_average)},
  {title: "step", text: usage => count(usage.step)},
];

function cell(run: ComparedRun, role: string, text: (usage: RoleUsage) => string): string {
  const usage = run.roles?.find(one => one.role === role);
  return usage ? text(usage) : UNKNOWN;
}

// The usage of each role, aligned by its name. A figure that no run has is left out.
export function UsageTable({runs}: {runs: readonly ComparedRun[]}) {
  return (
    <ScrollTable label="Usage by role">
      <RunTitles first="figure" runs={runs} />
      {rolesOf(runs).map(role => (
        <tbody key={role}>
          <tr>
            <th scope="rowgroup" colSpan={runs.length + 1} class="group">
              {role}
            </th>
          </tr>
          {FIGURES.map(({title, text}) => ({title, cells: runs.map(run => cell(run, role, text))}))
            .filter(({cells}) => cells.some(one => one !== UNKNOWN))
            .map(({title, cells}) => (
              <tr key={title}>
                <th scope="row">{title}</th>
                {cells.map((text, i) => (
                  <td key={i} class="numeric">
                    {text}
                  </td>
                ))}
              </tr>
            ))}
        </tbody>
      ))}
    </ScrollTable>
  );
}
