import {useState} from "preact/hooks";
import {jobUrl, post} from "../api/client";
import type {JobDetail, ProcessStacks, StacksAnswer} from "../api/types";
import {stacksCommand} from "../pure/shell_command";
import {ActionForm} from "./action_form";
import {ChoiceBox} from "./choice_box";

const NO_SIGNAL = "none";

function OneProcess({process}: {process: ProcessStacks}) {
  const rank = process.local_rank === null ? "" : `, local rank ${process.local_rank}`;
  const title = `pid ${process.pid}${rank}`;
  return (
    <>
      <h3>{title}</h3>
      <p>{process.state}</p>
      {process.problem && <p>{process.problem}</p>}
      {process.stacks && (
        <pre class="stacks" tabIndex={0} aria-label={`stacks of ${title}`}>
          {process.stacks}
        </pre>
      )}
    </>
  );
}

// Samples the stacks of a running task, and shows them.
export function StacksForm({job, task: first, close}: {job: JobDetail; task?: string; close: () => void}) {
  const tasks = job.tasks.filter(one => one.state === "RUNNING").map(one => `${one.role}:${one.index}`);
  const [task, setTask] = useState(first ?? tasks[0] ?? "");
  const [native, setNative] = useState(false);
  const [signal, setSignal] = useState(NO_SIGNAL);
  const options = {native, signal: signal === NO_SIGNAL ? "" : signal};
  return (
    <ActionForm<StacksAnswer>
      title="Sample the stacks of a task?"
      confirm="Sample the stacks"
      send={() => post<StacksAnswer>(jobUrl(job.id, "stacks"), {task, native, signal: options.signal || null})}
      command={stacksCommand(job.id, job.on, task, options)}
      problem={task ? null : "No task of this job is running."}
      explanation={
        "Shows where the processes of the task are. Each process is paused while it is read, usually for milliseconds."
      }
      close={close}
      done={answer => (
        <>
          {answer.processes.map(process => (
            <OneProcess key={process.pid} process={process} />
          ))}
          {answer.omitted > 0 && <p>Further processes, not sampled: {answer.omitted}</p>}
        </>
      )}>
      <ChoiceBox label="Task" value={task} choices={tasks} change={setTask} />
      <label>
        <input type="checkbox" checked={native} onChange={event => setNative(event.currentTarget.checked)} /> native
        frames, too (needs memory of the task&apos;s container)
      </label>
      <ChoiceBox
        label="Without py-spy: signal for which the program has registered faulthandler"
        value={signal}
        choices={[NO_SIGNAL, "USR1", "USR2"]}
        change={setSignal}
      />
    </ActionForm>
  );
}
