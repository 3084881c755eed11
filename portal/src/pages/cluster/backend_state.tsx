import type {ClusterBackend} from "../../api/types";
import {AgoText, TimeText} from "../../components/time_text";

// Why the state of a backend is old or missing; nothing if it is neither.
export function BackendProblem({backend}: {backend: ClusterBackend}) {
  if (backend.state === "ok") return null;
  if (backend.state === "loading") {
    return <p role="status">The backend {backend.name} has not answered yet.</p>;
  }
  return (
    <div class="failure" role="status">
      <p>
        <strong>
          {backend.name} has not answered since <TimeText at={backend.since} />.
        </strong>{" "}
        {backend.detail}
      </p>
      {backend.at !== null && (
        <p>
          The state below is that of <TimeText at={backend.at} />, <AgoText at={backend.at} />.
        </p>
      )}
    </div>
  );
}
