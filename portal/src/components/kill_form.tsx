import {useState} from "preact/hooks";
import {jobUrl, post} from "../api/client";
import {plural} from "../pure/format";
import {graceError, killCommand} from "../pure/shell_command";
import {ActionForm, type ActionResult} from "./action_form";

interface KilledJob {
  id: string;
  name: string;
  on: string;
}

export function KillForm({job, running, close}: {job: KilledJob; running: number; close: () => void}) {
  const [grace, setGrace] = useState("");
  const explanation =
    `Stops ${job.name} (${job.id}): ${plural(running, "running task")}. ` +
    "Each process gets the stop signal, and SIGKILL after the grace period.";
  return (
    <ActionForm
      title="Kill this job?"
      confirm="Kill the job"
      send={() => post<ActionResult>(jobUrl(job.id, "kill"), grace ? {grace} : {})}
      command={killCommand(job.id, job.on, grace)}
      problem={graceError(grace)}
      explanation={explanation}
      close={close}>
      <label>
        Grace period{" "}
        <input
          value={grace}
          placeholder="that of the job"
          size={12}
          autocomplete="off"
          onInput={event => setGrace(event.currentTarget.value.trim())}
        />
      </label>
    </ActionForm>
  );
}
