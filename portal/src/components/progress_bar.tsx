import type {Progress} from "../api/types";
import {count, tick, UNKNOWN} from "../pure/format";

// "step 41.2k/60k", with a bar if the total is known.
export function ProgressBar({progress}: {progress: Progress | null | undefined}) {
  if (!progress || progress.step === null || progress.step === undefined) return <>{UNKNOWN}</>;
  const {step, steps} = progress;
  if (!steps) return <span title={`step ${count(step)}`}>step {tick(step, "")}</span>;
  return (
    <span class="progress" title={`step ${count(step)} of ${count(steps)}`}>
      <span>
        step {tick(step, "")}/{tick(steps, "")}
      </span>
      <progress max={steps} value={Math.min(step, steps)} aria-label={`step ${step} of ${steps}`} />
    </span>
  );
}
