import {useState} from "preact/hooks";
import type {OpenedServer} from "../api/open_server";
import {ExternalLink} from "./link";

// Opens a TensorBoard in a new tab.
export function TensorBoardButton({
  open,
  disabled,
  label = "TensorBoard",
  of = "",
}: {
  open: () => Promise<OpenedServer>; // called within the click
  disabled: boolean;
  label?: string;
  of?: string; // for readers that do not see the row
}) {
  const [problem, setProblem] = useState<string | null>(null);
  const [url, setUrl] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const press = () => {
    setProblem(null);
    setBusy(true);
    open()
      .then(
        opened => setUrl(opened.url),
        (reason: unknown) => setProblem(reason instanceof Error ? reason.message : String(reason)),
      )
      .finally(() => setBusy(false));
  };
  return (
    <>
      <button type="button" disabled={disabled || busy} onClick={press}>
        {label}
        {of && <span class="sr-only"> {of}</span>}
      </button>
      {busy && <span role="status">starting…</span>}
      {url && <ExternalLink to={url}>TensorBoard, in a new tab</ExternalLink>}
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
