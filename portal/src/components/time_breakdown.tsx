import type {Account} from "../api/types";
import {duration} from "../pure/format";
import {ShareBar, type Share} from "./share_bar";

const PARTS = ["queue", "localization", "start", "rendezvous", "running", "lost", "recovering"] as const;

export function breakdownShares(account: Account): Share[] {
  return PARTS.map(name => {
    const seconds = account[`${name}_seconds`];
    return {name, value: seconds ?? 0, text: duration(seconds)};
  });
}

// Where the job's wall time went.
export function TimeBreakdown({account}: {account: Account}) {
  return (
    <>
      <ShareBar label="Time breakdown" shares={breakdownShares(account)} />
      {account.lost_seconds === null && <p class="muted">Lost work is not known: the job reported no checkpoint.</p>}
    </>
  );
}
