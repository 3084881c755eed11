// `/rerun/ID`: submits a changed copy of a job.
import {useState} from "preact/hooks";
import {jobUrl, post} from "../../api/client";
import type {RerunAnswer} from "../../api/types";
import {ActionForm, type ActionResult} from "../../components/action_form";
import {CopyText} from "../../components/copy_text";
import {Link} from "../../components/link";
import {ResourceView} from "../../components/resource_view";
import {usePlan} from "../../hooks/use_plan";
import {useResource} from "../../hooks/use_resource";
import {setsOf, sizeText, type Edits} from "../../pure/job_edits";
import {submitCommand} from "../../pure/shell_command";
import {jobPath} from "../../pure/url_state";
import {PlanView} from "./plan_view";
import {RoleFields} from "./role_fields";

function backendOf(id: string): string {
  return id.startsWith("application_") ? "yarn" : "local";
}

// A job that cannot be submitted from this machine: the command to type where it can.
function Elsewhere({id, answer}: {id: string; answer: RerunAnswer}) {
  return (
    <>
      <p class="problem" role="alert">
        {answer.problem}
      </p>
      <CopyText text={submitCommand(backendOf(id), [])} label="command to submit the job" />
      <h2>job.yaml</h2>
      <pre class="file" tabIndex={0} aria-label="job file">
        {answer.job}
      </pre>
    </>
  );
}

function Editor({id, answer, readOnly}: {id: string; answer: RerunAnswer; readOnly: boolean}) {
  const [text, setText] = useState(answer.job);
  const [edits, setEdits] = useState<Edits>({});
  const [asking, setAsking] = useState(false);
  const sets = setsOf(answer.roles, edits);
  const state = usePlan(text, sets, id);
  const ready = state.current && state.plan?.accepted === true;
  const command = submitCommand(backendOf(id), sets);
  return (
    <>
      <RoleFields roles={answer.roles} edits={edits} change={setEdits} />
      <label class="job-text">
        Job file
        <textarea
          value={text}
          rows={18}
          spellcheck={false}
          autocomplete="off"
          onInput={event => setText(event.currentTarget.value)}
        />
      </label>
      <p class="muted">
        The fields above change the job file as <code>--set</code> does. Hidden values (•••) keep those of {id}.
      </p>
      <PlanView state={state} />
      <p>The same on the command line, with the job file above saved as job.yaml:</p>
      <CopyText text={command} label="equivalent command" />
      <div class="buttons">
        <button type="button" class="primary" disabled={readOnly || !ready} onClick={() => setAsking(true)}>
          Submit…
        </button>
        {readOnly && <span class="muted">This portal was started with --read-only.</span>}
      </div>
      {asking && (
        <ActionForm
          title="Submit this job?"
          explanation={`Submits a new job: ${(state.plan?.roles ?? []).map(sizeText).join("; ")}.`}
          command={command}
          confirm="Submit the job"
          problem={ready ? null : "The job file is not valid."}
          send={() => post<ActionResult>(jobUrl(id, "rerun"), {job: text, set: sets})}
          close={() => setAsking(false)}
          done={result => (
            <p>{result.id ? <Link to={jobPath(result.id)}>{result.id}</Link> : <Link to="/">Jobs</Link>}</p>
          )}>
          {null}
        </ActionForm>
      )}
    </>
  );
}

export function RerunPage({id, readOnly}: {id: string; readOnly: boolean}) {
  const rerun = useResource<RerunAnswer>(jobUrl(id, "rerun"));
  return (
    <>
      <h1>Re-run {id}</h1>
      <p>
        <Link to={jobPath(id)}>Back to the job</Link>
      </p>
      <ResourceView what="The job file" resource={rerun}>
        {answer =>
          answer.problem ? (
            <Elsewhere id={id} answer={answer} />
          ) : (
            <Editor id={id} answer={answer} readOnly={readOnly} />
          )
        }
      </ResourceView>
    </>
  );
}
