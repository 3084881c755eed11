import type {Account} from "../api/types";
import {duration} from "../pure/format";
import {ShareBar} from "./share_bar";

const PARTS = ["queue", "localization", "start", "rendezvous", "running", "lost", "recovering"] as const;

// Where the job's wall time went.
export function TimeBreakdown({account}: {account: Account}) {
  const shares = PARTS.map(name => {
    const seconds = account[`${name}_seconds`];
    return {name, value: seconds ?? 0, text: duration(seconds)};
  });
  return (
    <>
      <ShareBar label="Time breakdown" shares={shares} />
      {account.lost_seconds === null && <p class="muted">Lost work is not known: the job reported no checkpoint.</p>}
    </>
  );
}
