import {useState} from "preact/hooks";
import {openServer} from "../api/open_server";
import type {JobDetail} from "../api/types";
import {ExternalLink} from "./link";

// Opens the TensorBoard of a running job in a new tab.
export function TensorBoardButton({job, disabled}: {job: JobDetail; disabled: boolean}) {
  const [problem, setProblem] = useState<string | null>(null);
  const [url, setUrl] = useState<string | null>(null);
  const open = () => {
    setProblem(null);
    openServer(job.id, {tensorboard: true}).then(
      opened => setUrl(opened.url),
      (reason: unknown) => setProblem(reason instanceof Error ? reason.message : String(reason)),
    );
  };
  return (
    <>
      <button type="button" disabled={disabled} onClick={open}>
        TensorBoard
      </button>
      {url && <ExternalLink to={url}>TensorBoard, in a new tab</ExternalLink>}
      {problem && (
        <span class="problem" role="alert">
          {problem}
        </span>
      )}
    </>
  );
}
