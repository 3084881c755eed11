import {useState} from "preact/hooks";
import {apiUrl, post} from "../../api/client";
import type {ClusterAnswer, ClusterSummary, QueuesBackend} from "../../api/types";
import {ActionForm, type ActionResult} from "../../components/action_form";
import {ChoiceBox} from "../../components/choice_box";
import {Link} from "../../components/link";
import {useResource} from "../../hooks/use_resource";
import {notebookBody, notebookCommand, notebookProblem, type NotebookFields} from "../../pure/shell_command";
import {jobPath} from "../../pure/url_state";
import {waitOutlook} from "../../pure/wait_outlook";

const EMPTY: NotebookFields = {
  name: "",
  memory: "",
  vcores: "",
  gpus: "",
  python: "",
  queue: "",
  directory: "",
  idle: "",
  limit: "",
};

// Labels, and the defaults of the command, which an empty field has.
const FIELDS: readonly [keyof NotebookFields, string, string][] = [
  ["name", "Name", "notebook"],
  ["memory", "Memory", "2GiB"],
  ["vcores", "Virtual cores", "1"],
  ["gpus", "GPUs", "0"],
  ["python", "Packed Python environment", "none"],
  ["queue", "Queue", "the default one"],
  ["directory", "Directory on the task's machine", "the working directory"],
  ["idle", "Ends if unused for", "1h"],
  ["limit", "Ends after", "24h"],
];

export function NewNotebook({backends, close}: {backends: readonly string[]; close: () => void}) {
  const [backend, setBackend] = useState(backends[0] ?? "local");
  const [fields, setFields] = useState(EMPTY);
  return (
    <ActionForm<ActionResult>
      title="Start a notebook?"
      confirm="Start the notebook"
      send={() => post<ActionResult>(apiUrl("notebooks"), notebookBody(backend, fields))}
      command={notebookCommand(backend, fields)}
      problem={notebookProblem(fields)}
      explanation="Runs JupyterLab as a job. It waits for its resources like any other job; the list says for what."
      close={close}
      done={answer => answer.id && <Link to={jobPath(answer.id)}>The page of the notebook</Link>}>
      {backends.length > 1 && (
        <ChoiceBox label="Backend" value={backend} choices={backends} change={setBackend} />
      )}
      {FIELDS.map(([field, label, otherwise]) => (
        <label key={field}>
          {label}{" "}
          <input
            value={fields[field]}
            placeholder={otherwise}
            autocomplete="off"
            onInput={event => {
              const text = event.currentTarget.value.trim();
              setFields(old => ({...old, [field]: text}));
            }}
          />
        </label>
      ))}
      <WaitOutlook backend={backend} queue={fields.queue} />
    </ActionForm>
  );
}

// The state of the queue, which says how long the notebook may wait.
function WaitOutlook({backend, queue}: {backend: string; queue: string}) {
  const cluster = useResource<ClusterAnswer<ClusterSummary>>(apiUrl("cluster"));
  const queues = useResource<ClusterAnswer<QueuesBackend>>(apiUrl("cluster/queues"));
  const named = <T extends {name: string}>(answer: ClusterAnswer<T> | null) =>
    answer?.backends.find(one => one.name === backend);
  const summary = named(cluster.data);
  if (!summary || !queues.data) return null;
  return <p>{waitOutlook(summary, named(queues.data)?.queues ?? [], queue)}</p>;
}
