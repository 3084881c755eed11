import {useState} from "preact/hooks";
import {jobUrl, post} from "../api/client";
import type {JobDetail} from "../api/types";
import {scaleCommand} from "../pure/shell_command";
import {ActionForm, type ActionResult} from "./action_form";
import {ChoiceBox} from "./choice_box";

function sizeOf(job: JobDetail, role: string): number {
  return job.tasks.filter(task => task.role === role).length;
}

export function ScaleForm({job, close}: {job: JobDetail; close: () => void}) {
  const roles = [...new Set(job.tasks.map(task => task.role))];
  const [role, setRole] = useState(roles[0] ?? "");
  const [instances, setInstances] = useState(sizeOf(job, roles[0] ?? ""));
  const choose = (next: string) => {
    setRole(next);
    setInstances(sizeOf(job, next));
  };
  const problem = Number.isInteger(instances) && instances >= 0 ? null : "The number of tasks must be a whole number.";
  return (
    <ActionForm
      title="Scale this job?"
      confirm="Scale the role"
      send={() => post<ActionResult>(jobUrl(job.id, "scale"), {role, instances})}
      command={scaleCommand(job.id, job.on, role, instances)}
      problem={problem}
      close={close}
      explanation={`Changes the number of tasks of ${role} from ${sizeOf(job, role)}. The role must be elastic.`}>
      <ChoiceBox label="Role" value={role} choices={roles} change={choose} />
      <label>
        Tasks{" "}
        <input
          type="number"
          min={0}
          value={instances}
          onInput={event => setInstances(event.currentTarget.valueAsNumber)}
        />
      </label>
    </ActionForm>
  );
}
