import {useNow} from "../hooks/use_now";
import {ago, duration, localTime, parseTime, UNKNOWN, utcTime} from "../pure/format";

// A time: local, with UTC in the tooltip.
export function TimeText({at}: {at: string | null | undefined}) {
  const time = parseTime(at);
  if (time === null) return <>{UNKNOWN}</>;
  return (
    <time dateTime={at ?? ""} title={utcTime(time)}>
      {localTime(time, Date.now())}
    </time>
  );
}

// "2m ago", which stays right while it is shown.
export function AgoText({at}: {at: string | null | undefined}) {
  const now = useNow();
  const time = parseTime(at);
  if (time === null) return <>{UNKNOWN}</>;
  return (
    <time dateTime={at ?? ""} title={utcTime(time)}>
      {ago(time, now)}
    </time>
  );
}

function RunningText({since}: {since: number}) {
  return <>{duration(Math.max(0, (useNow() - since) / 1000))}</>;
}

// How long something took, or takes until now.
export function TookText({from, to, seconds}: {from: string | null; to: string | null; seconds?: number | null}) {
  const begin = parseTime(from);
  const end = parseTime(to);
  if (begin !== null && end === null) return <RunningText since={begin} />;
  return <>{duration(seconds ?? (begin !== null && end !== null ? (end - begin) / 1000 : null))}</>;
}

// How long it is until a time.
export function LeftText({until}: {until: string | null}) {
  const now = useNow();
  const time = parseTime(until);
  if (time === null) return <>{UNKNOWN}</>;
  return (
    <time dateTime={until ?? ""} title={utcTime(time)}>
      {duration(Math.max(0, (time - now) / 1000))}
    </time>
  );
}
