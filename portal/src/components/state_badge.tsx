import {toneOf} from "../pure/job_state";

// A state, with a symbol beside the colour.
export function StateBadge({state}: {state: string}) {
  const {tone, symbol} = toneOf(state);
  return (
    <span class={`state tone-${tone}`}>
      <span aria-hidden="true">{symbol}</span> {state}
    </span>
  );
}
