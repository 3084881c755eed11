import type {ComponentChildren} from "preact";
import {useState} from "preact/hooks";
import {ApiError, post} from "../api/client";
import {CopyText} from "./copy_text";
import {Dialog} from "./dialog";

interface Props {
  title: string;
  explanation: string;
  command: string;
  confirm: string; // text of the button
  problem: string | null; // why the fields are not valid yet
  url: string;
  body: unknown;
  close: () => void;
  children: ComponentChildren; // the fields
}

// Asks once before it changes a job, and shows the command that does the same.
export function ActionForm({title, explanation, command, confirm, problem, url, body, close, children}: Props) {
  const [busy, setBusy] = useState(false);
  const [answer, setAnswer] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const send = (event: Event) => {
    event.preventDefault();
    if (problem || busy) return;
    setBusy(true);
    setError(null);
    post<{text: string}>(url, body)
      .then(
        result => setAnswer(result.text),
        (reason: unknown) => setError(reason instanceof ApiError ? reason : new ApiError(0, String(reason), null)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <Dialog title={title} close={close}>
      {answer !== null && (
        <>
          <p role="status">{answer}</p>
          <div class="buttons">
            <button type="button" onClick={close}>
              Close
            </button>
          </div>
        </>
      )}
      <form onSubmit={send} hidden={answer !== null}>
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
