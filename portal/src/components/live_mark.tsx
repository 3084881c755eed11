import type {LiveState} from "../api/live_stream";

const TEXTS: Readonly<Record<LiveState, string>> = {
  connecting: "○ connecting",
  live: "● live",
  polling: "◌ updated every 5 s",
};

// Whether the page follows the jobs as they change.
export function LiveMark({state}: {state: LiveState}) {
  return (
    <span class={`live live-${state}`} role="status">
      {TEXTS[state]}
    </span>
  );
}
