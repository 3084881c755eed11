import {BUCKETS, type Hardware, type Resources} from "../api/types";
import {count, UNKNOWN} from "../pure/format";

const KINDS = [
  {key: "gpu_seconds", title: "GPU h"},
  {key: "vcore_seconds", title: "vcore h"},
  {key: "memory_gib_seconds", title: "GiB h"},
] as const;

function hours(hardware: Hardware | null | undefined, key: (typeof KINDS)[number]["key"]): string {
  return hardware ? count(hardware[key] / 3600) : UNKNOWN;
}

// The hardware that the job held, by bucket.
export function ResourceBreakdown({resources}: {resources: Resources}) {
  const kinds = KINDS.filter(kind => kind.key !== "gpu_seconds" || (resources.held?.gpu_seconds ?? 0) > 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Hardware held">
      <table class="plain">
        <caption>Hardware held, by what the job did meanwhile</caption>
        <thead>
          <tr>
            <th scope="col">bucket</th>
            {kinds.map(kind => (
              <th key={kind.key} scope="col" class="numeric">
                {kind.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(["held", ...BUCKETS] as const).map(bucket => (
            <tr key={bucket} class={bucket === "held" ? "total" : undefined}>
              <th scope="row">{bucket}</th>
              {kinds.map(kind => (
                <td key={kind.key} class="numeric">
                  {hours(resources[bucket], kind.key)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
