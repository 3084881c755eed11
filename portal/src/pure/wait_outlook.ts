// The use of a backend or queue, and the jobs that wait there, for a user who is about to submit one more.
import {queueShareText, usageText, type UsedTotal} from "./cluster";
import {bytes, count, plural} from "./format";

interface Waiting {
  waiting_jobs: readonly {name: string; reason: string | null}[] | null;
}

interface Queue extends Waiting {
  queue: string;
  leaf: boolean;
  used_share: number | null;
  capacity_share: number | null;
  maximum_share: number | null;
  waiting: number | null;
}

interface Backend extends Waiting {
  memory_bytes: UsedTotal | null;
  gpus: UsedTotal | null;
  applications: {waiting: number} | null;
}

function waitingText(number: number | null | undefined, {waiting_jobs: jobs}: Waiting): string {
  const first = jobs?.find(job => job.reason !== null);
  const reason = first ? `: ${first.name}, because ${first.reason}` : "";
  if (!number) return "no application waits";
  return `${plural(number, "application")} ${number === 1 ? "waits" : "wait"}${reason}`;
}

// queue: as the user writes it: a path or its last part; "": none was chosen.
export function waitOutlook(backend: Backend, queues: readonly Queue[], queue: string): string {
  const found = queues.find(one => one.leaf && (one.queue === queue || one.queue.endsWith(`.${queue}`)));
  if (queue !== "" && queues.length > 0 && !found) return `There is no queue ${queue} to which jobs can be submitted.`;
  if (queue !== "" && found) {
    return `The queue ${found.queue} uses ${queueShareText(found)}; ${waitingText(found.waiting, found)}.`;
  }
  const parts = backend.memory_bytes ? [`memory ${usageText(backend.memory_bytes, bytes)}`] : [];
  if (backend.gpus?.total) parts.push(`GPUs ${usageText(backend.gpus, count)}`);
  return `In use: ${parts.join(", ") || "not known"}; ${waitingText(backend.applications?.waiting, backend)}.`;
}
