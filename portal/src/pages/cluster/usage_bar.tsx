import {shareOf, usageText, type UsedTotal} from "../../pure/cluster";
import type {Maybe} from "../../pure/format";

interface Props {
  name: string;
  amount: UsedTotal;
  text: (value: Maybe<number>) => string;
}

// "memory ▓▓▓░ 81% (12 GiB of 16 GiB)"
export function UsageBar({name, amount, text}: Props) {
  const share = shareOf(amount);
  return (
    <span class="usage">
      {name}{" "}
      {share !== null && <progress max={1} value={Math.min(1, share)} aria-label={`used ${name}`} />}{" "}
      <b>{usageText(amount, text)}</b>
    </span>
  );
}
