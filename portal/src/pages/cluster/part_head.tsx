import type {LiveState} from "../../api/live_stream";
import {Link} from "../../components/link";
import {LiveMark} from "../../components/live_mark";

// The head of the page of a part of a cluster, with the way back to it.
export function PartHead({title, live}: {title: string; live: LiveState}) {
  return (
    <>
      <div class="job-top">
        <h1>{title}</h1>
        <LiveMark state={live} />
      </div>
      <p>
        <Link to="/cluster">Cluster</Link>
      </p>
    </>
  );
}
