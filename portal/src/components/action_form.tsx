import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {ApiError} from "../api/client";
import {CopyText} from "./copy_text";
import {Dialog} from "./dialog";

export interface ActionResult {
  text: string;
  id?: string | null; // of a new job
}

interface Props<Result extends ActionResult> {
  title: string;
  explanation: string;
  command: string;
  confirm: string; // text of the button
  problem: string | null; // why the fields are not valid yet
  send: () => Promise<Result>; // called within the click
  close: () => void;
  done?: (result: Result) => ComponentChildren; // shown below the answer's text
  children: ComponentChildren; // the fields
}

// Asks once before an action, and shows the command that does the same.
export function ActionForm<Result extends ActionResult = ActionResult>({
  title,
  explanation,
  command,
  confirm,
  problem,
  send,
  close,
  done,
  children,
}: Props<Result>) {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<Result | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const submit = (event: Event) => {
    event.preventDefault();
    if (problem || busy) return;
    setBusy(true);
    setError(null);
    send()
      .then(
        setAnswer,
        (reason: unknown) => setError(reason instanceof ApiError ? reason : new ApiError(0, String(reason), null)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} close={close}>
      {answer !== null && (
        <>
          <p role="status">{answer.text}</p>
          {done && done(answer)}
          <div class="buttons">
            <button type="button" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
      <form onSubmit={submit} hidden={answer !== null}>
        <p>{explanation}</p>
        {children}
        {problem && (
          <p class="problem" role="alert">
            {problem}
          </p>
        )}
        <p>The same on the command line:</p>
        <CopyText text={command} label="equivalent command" />
        {error && (
          <p class="problem" role="alert">
            {error.message} {error.advice}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={busy || problem !== null}>
            {busy ? "Sending…" : confirm}
          </button>
          <button type="button" onClick={close}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
}
