// `/goodput`: where the hardware of jobs went.
import {useState} from "preact/hooks";
import {apiUrl, ApiError, downloadCsv} from "../api/client";
import {BUCKETS, type GoodputAnswer, type GoodputGroup, type Hardware} from "../api/types";
import {ChoiceBox} from "../components/choice_box";
import {Failure} from "../components/failure";
import {Link} from "../components/link";
import {Notes} from "../components/notes";
import {ResourceView} from "../components/resource_view";
import {ShareBar} from "../components/share_bar";
import {setQuery, useLocation} from "../hooks/use_location";
import {useResource} from "../hooks/use_resource";
import {count, duration, percent, UNKNOWN} from "../pure/format";
import {term} from "../pure/filter";
import {jobPath, oneOf, type Query} from "../pure/url_state";

const GROUPINGS = ["job", "user", "queue", "name", "framework", "tag", "day", "backend"] as const;
type Grouping = (typeof GROUPINGS)[number];
const SINCE = ["1d", "7d", "30d", "90d", "365d"];
const DEFAULT_BY: Grouping = "user";
const DEFAULT_SINCE = "7d";

type Kind = "gpu_seconds" | "vcore_seconds";

function hours(hardware: Hardware | null | undefined, kind: keyof Hardware): number | null {
  const seconds = hardware?.[kind];
  return typeof seconds === "number" ? seconds / 3600 : null;
}

function sum(...values: (number | null)[]): number | null {
  return values.every(value => value === null)
    ? null
    : values.reduce<number>((total, value) => total + (value ?? 0), 0);
}

// The jobs of a group, as a filter of the jobs list; null: the list has no filter for it.
function jobsOf(by: Grouping, group: string, since: string): Query | null {
  if (by === "job" || by === "day") return null;
  return {q: `${term(by, group)} since:${since}`};
}

function GroupName({by, group, since}: {by: Grouping; group: GoodputGroup; since: string}) {
  const name = group.group ?? UNKNOWN;
  if (by === "job" && group.group) return <Link to={jobPath(group.group)}>{name}</Link>;
  const query = group.group === null || name === UNKNOWN ? null : jobsOf(by, name, since);
  return query ? (
    <Link to="/" query={query}>
      {name}
    </Link>
  ) : (
    <>{name}</>
  );
}

function Row({
  by,
  group,
  kind,
  since,
  total,
}: {
  by: Grouping;
  group: GoodputGroup;
  kind: Kind;
  since: string;
  total?: boolean;
}) {
  const of = (bucket: keyof GoodputGroup) => hours(group[bucket] as Hardware | null, kind);
  const start = sum(of("localization"), of("start"), of("rendezvous"));
  return (
    <tr data-row class={total ? "total" : undefined}>
      <th scope="row">{total ? "all" : <GroupName by={by} group={group} since={since} />}</th>
      {[
        count(group.jobs),
        count(group.failed),
        duration(group.queue_seconds),
        count(of("held")),
        count(of("useful")),
        count(of("waiting")),
        count(start),
        count(of("lost")),
        count(of("recovering")),
        count(of("tail")),
        percent(group.goodput),
        percent(group.busy),
        count(hours(group.held, "memory_gib_seconds")),
        count(hours(group.held, "vcore_seconds")),
        group.cost === null || group.cost === undefined ? UNKNOWN : `${count(group.cost)} ${group.currency ?? ""}`,
      ].map((text, i) => (
        <td key={i} class="numeric">
          {text}
        </td>
      ))}
    </tr>
  );
}

function Table({answer, by, since, kind}: {answer: GoodputAnswer; by: Grouping; since: string; kind: Kind}) {
  const unit = kind === "gpu_seconds" ? "GPU h" : "vcore h";
  const titles = [
    "Jobs",
    "Failed",
    "Queue",
    `Held ${unit}`,
    "Useful",
    "Waiting",
    "Start",
    "Lost",
    "Recovering",
    "Tail",
    "Goodput",
    "Busy",
    "Memory GiB h",
    "vcore h",
    "Cost",
  ];
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Goodput report">
      <table class="rows">
        <caption class="sr-only">Goodput by {by}</caption>
        <thead>
          <tr>
            <th scope="col">{by}</th>
            {titles.map(title => (
              <th key={title} scope="col" class="numeric">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {answer.groups.map(group => (
            <Row key={group.group ?? ""} by={by} group={group} kind={kind} since={since} />
          ))}
          {answer.total && <Row by={by} group={answer.total} kind={kind} since={since} total />}
        </tbody>
      </table>
      {answer.groups.length === 0 && <p class="empty">No job existed in this time.</p>}
    </div>
  );
}

function kindOf(total: GoodputGroup | null): Kind {
  return (total?.held?.gpu_seconds ?? 0) > 0 ? "gpu_seconds" : "vcore_seconds";
}

// One bar per day. Its length is the hardware held, compared with the busiest day.
function Days({since, zone}: {since: string; zone: string}) {
  const days = useResource<GoodputAnswer>(apiUrl("goodput", {by: "day", since, time_zone: zone}));
  return (
    <ResourceView what="The report by day" resource={days}>
      {answer => {
        const kind = kindOf(answer.total);
        const unit = kind === "gpu_seconds" ? "GPU h" : "vcore h";
        const most = Math.max(...answer.groups.map(day => hours(day.held, kind) ?? 0), 0);
        if (most === 0) return null;
        return (
          <section>
            <h2>Days</h2>
            {answer.groups.map(day => {
              const held = hours(day.held, kind) ?? 0;
              const shares = BUCKETS.map(bucket => {
                const value = hours(day[bucket], kind);
                return {name: bucket, value: value ?? 0, text: `${count(value)} ${unit}`};
              });
              return (
                <div key={day.group} class="day">
                  <span>
                    {day.group}{" "}
                    <span class="muted">
                      {count(held)} {unit}
                    </span>
                  </span>
                  <div style={{width: `${Math.max(2, (held / most) * 100)}%`}}>
                    <ShareBar label={`${day.group}, ${count(held)} ${unit}`} shares={shares} legend={false} />
                  </div>
                </div>
              );
            })}
            <Legend />
          </section>
        );
      }}
    </ResourceView>
  );
}

function Legend() {
  return (
    <p class="legend-line">
      {BUCKETS.map(bucket => (
        <span key={bucket} class="legend">
          <span class={`swatch part-${bucket}`} aria-hidden="true" /> {bucket}
        </span>
      ))}
    </p>
  );
}

export function GoodputPage() {
  const {query} = useLocation();
  const by = oneOf(query["by"], GROUPINGS, DEFAULT_BY);
  const since = query["since"] ?? DEFAULT_SINCE;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const url = apiUrl("goodput", {by, since, time_zone: zone});
  const report = useResource<GoodputAnswer>(url, true);
  const [csvError, setCsvError] = useState<ApiError | null>(null);
  const choices = SINCE.includes(since) ? SINCE : [since, ...SINCE];
  const csv = () => {
    setCsvError(null);
    downloadCsv(url, `goodput-by-${by}.csv`).catch((error: unknown) =>
      setCsvError(error instanceof ApiError ? error : new ApiError(0, String(error), null)),
    );
  };
  return (
    <>
      <h1>Goodput</h1>
      <p class="muted">Which share of the held hardware did useful work, and where the rest went.</p>
      <div class="toolbar">
        <ChoiceBox label="By" value={by} choices={GROUPINGS} change={value => setQuery({by: value}, true)} />
        <ChoiceBox label="Since" value={since} choices={choices} change={value => setQuery({since: value}, true)} />
        <button type="button" onClick={csv}>
          CSV
        </button>
      </div>
      {csvError && <Failure what="The CSV file" error={csvError} />}
      <ResourceView what="The goodput report" resource={report}>
        {answer => (
          <>
            <Notes notes={answer.notes} />
            <Table answer={answer} by={by} since={since} kind={kindOf(answer.total)} />
          </>
        )}
      </ResourceView>
      <Days since={since} zone={zone} />
    </>
  );
}
