import {useState} from "preact/hooks";
import {openServer, type OpenedServer} from "../api/open_server";
import type {JobDetail} from "../api/types";
import {openCommand, type ServerToOpen} from "../pure/shell_command";
import {ActionForm} from "./action_form";
import {ChoiceBox} from "./choice_box";
import {ExternalLink} from "./link";

const PORT = "a port of a task", NOTEBOOK = "JupyterLab of `howdah notebook`", TENSORBOARD = "TensorBoard";

// Opens a server of a running job in a new tab.
export function OpenForm({job, task: first, close}: {job: JobDetail; task?: string; close: () => void}) {
  const tasks = job.tasks.filter(one => one.state === "RUNNING").map(one => `${one.role}:${one.index}`);
  const choices = [PORT, NOTEBOOK, ...(job.urls?.tensorboard ? [TENSORBOARD] : [])];
  const [choice, setChoice] = useState(PORT);
  const [task, setTask] = useState(first ?? tasks[0] ?? "");
  const [port, setPort] = useState("");
  const what: ServerToOpen =
    choice === TENSORBOARD
      ? {tensorboard: true}
      : choice === NOTEBOOK
        ? {notebook: true}
        : {task: task || "ROLE:INDEX", port: Number(port)};
  const validPort = /^\d{1,5}$/.test(port) && Number(port) >= 1 && Number(port) <= 65535;
  const problem =
    tasks.length === 0
      ? "No task of this job is running."
      : choice === PORT && !validPort
        ? "Enter the port on which the server listens."
        : null;
  return (
    <ActionForm<OpenedServer>
      title="Open a server of this job?"
      confirm="Open in a new tab"
      send={() => openServer(job.id, what)}
      command={openCommand(job.id, job.on, what)}
      problem={problem}
      explanation={
        "Shows a server that runs in a task, in an origin of its own. " +
        "Whatever it shows comes from the job, and can neither read nor change this page."
      }
      close={close}
      done={answer => answer.url && <ExternalLink to={answer.url}>Open the server</ExternalLink>}>
      <ChoiceBox label="Server" value={choice} choices={choices} change={setChoice} />
      {choice === PORT && (
        <>
          <ChoiceBox label="Task" value={task} choices={tasks} change={setTask} />
          <label>
            Port{" "}
            <input
              value={port}
              inputMode="numeric"
              size={6}
              placeholder="8888"
              autocomplete="off"
              onInput={event => setPort(event.currentTarget.value.trim())}
            />
          </label>
        </>
      )}
    </ActionForm>
  );
}
