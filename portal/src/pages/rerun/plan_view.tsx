import type {JobProblem, PlanAnswer} from "../../api/types";
import {Notes} from "../../components/notes";
import {sizeText} from "../../pure/job_edits";
import type {PlanState} from "../../hooks/use_plan";

function problemText(problem: JobProblem): string {
  const place = problem.line > 0 ? `line ${problem.line}: ` : "";
  return place + (problem.key ? `${problem.key}: ` : "") + problem.text;
}

function Problems({plan}: {plan: PlanAnswer}) {
  const texts = [...plan.problems.map(problemText), ...plan.refusals];
  if (texts.length === 0) return null;
  return (
    <ul class="problem">
      {texts.map(text => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}

// The result of the check, in words that a screen reader reads when it changes.
export function PlanView({state}: {state: PlanState}) {
  const {plan, error, current} = state;
  return (
    <div role="status" aria-live="polite">
      {error && (
        <p class="problem">
          The job file was not checked. {error.message} {error.advice}
        </p>
      )}
      {!error && !current && <p class="muted">Checking…</p>}
      {plan && <Problems plan={plan} />}
      {plan?.accepted && current && (
        <>
          <p>The job file is valid. The job has {plan.roles.map(sizeText).join("; ")}.</p>
          <Notes notes={[...plan.hints.map(problemText), ...plan.ignored, ...plan.notes]} />
        </>
      )}
    </div>
  );
}
