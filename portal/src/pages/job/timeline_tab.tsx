import {useMemo, useState} from "preact/hooks";
import {jobUrl} from "../../api/client";
import type {JobDetail, TimelineAnswer} from "../../api/types";
import {Gantt} from "../../components/gantt";
import {symbolOf, type Mark, type Stretch} from "../../components/gantt_drawing";
import {DownloadLink} from "../../components/link";
import {ResourceView} from "../../components/resource_view";
import {StateBadge} from "../../components/state_badge";
import {TimeText} from "../../components/time_text";
import {useJobResource} from "../../hooks/use_job_resource";
import {setQuery, useLocation} from "../../hooks/use_location";
import {duration, parseTime} from "../../pure/format";
import {clamped, rowsOf, type GanttAttempt, type GanttRow, type Range} from "../../pure/gantt";
import {listOf} from "../../pure/url_state";

const FEW_TASKS = 32; // with more tasks, roles are folded at first

interface Timeline {
  whole: Range;
  attempts: GanttAttempt[];
  stretches: Stretch[];
  marks: Mark[];
}

// The answer with its times as numbers. A span that has not ended lasts until `to`.
function timelineOf(answer: TimelineAnswer): Timeline {
  const from = parseTime(answer.from) ?? 0;
  const to = Math.max(from + 10, parseTime(answer.to) ?? Date.now());
  const range = (span: {from: string; to: string | null}) => ({
    from: parseTime(span.from) ?? from,
    to: parseTime(span.to) ?? to,
  });
  return {
    whole: {from, to},
    attempts: answer.attempts.map(attempt => ({
      ...attempt,
      spans: attempt.spans.map(span => ({state: span.state, ...range(span)})),
    })),
    stretches: answer.stretches.map(stretch => ({what: stretch.what, ...range(stretch)})),
    marks: answer.marks.map(mark => ({...mark, at: parseTime(mark.at) ?? from})),
  };
}

export function TimelineTab({job, version}: {job: JobDetail; version: number}) {
  const answer = useJobResource<TimelineAnswer>(jobUrl(job.id, "timeline"), version);
  return (
    <ResourceView what="The timeline" resource={answer}>
      {data => (
        <>
          <Picture answer={data} fold={job.tasks.length > FEW_TASKS} />
          <p>
            <DownloadLink to={jobUrl(job.id, "trace.json")}>Download for Perfetto</DownloadLink>
          </p>
        </>
      )}
    </ResourceView>
  );
}

function Picture({answer, fold}: {answer: TimelineAnswer; fold: boolean}) {
  const timeline = useMemo(() => timelineOf(answer), [answer]);
  const {query} = useLocation();
  const [chosen, setChosen] = useState<GanttRow | null>(null);
  const roles = [...new Set(timeline.attempts.map(attempt => attempt.role))];
  const open = query["open"] === undefined ? (fold ? [] : roles) : listOf(query["open"]);
  const rows = useMemo(() => rowsOf(timeline.attempts, role => open.includes(role)), [timeline, open.join()]);
  const from = Number(query["from"] ?? NaN);
  const to = Number(query["to"] ?? NaN);
  const range = from < to ? clamped({from, to}, timeline.whole) : timeline.whole;
  const change = (next: Range) => {
    const all = next.from <= timeline.whole.from && next.to >= timeline.whole.to;
    setQuery({from: all ? null : String(Math.round(next.from)), to: all ? null : String(Math.round(next.to))}, true);
  };
  const toggle = (role: string) =>
    setQuery(
      {open: (open.includes(role) ? open.filter(name => name !== role) : [...open, role]).join(",") || "none"},
      true,
    );
  return (
    <>
      <div class="toolbar">
        <fieldset class="inline">
          <legend>Show the tasks of</legend>
          {roles.map(role => (
            <label key={role}>
              <input type="checkbox" checked={open.includes(role)} onChange={() => toggle(role)} /> {role}
            </label>
          ))}
        </fieldset>
        <span class="muted">
          {duration((range.to - range.from) / 1000)} of {duration((timeline.whole.to - timeline.whole.from) / 1000)}
        </span>
        <button type="button" onClick={() => change(timeline.whole)}>
          Show everything
        </button>
      </div>
      <Gantt
        rows={rows}
        stretches={timeline.stretches}
        marks={timeline.marks}
        whole={timeline.whole}
        range={range}
        change={change}
        choose={setChosen}
      />
      <p class="muted">
        A thick bar is a running attempt, a thin one waits for a container, for files or for the start. ✕ failed, ⚡
        lost.
      </p>
      {chosen && <Attempts row={chosen} />}
      <Marks marks={timeline.marks} />
    </>
  );
}

function Attempts({row}: {row: GanttRow}) {
  return (
    <div class="card">
      <h2>{row.label}</h2>
      <ul>
        {row.attempts.slice(0, 50).map(attempt => (
          <li key={`${attempt.task} ${attempt.attempt}`}>
            {attempt.task}, attempt {attempt.attempt}
            {attempt.node && ` on ${attempt.node}`}: <StateBadge state={attempt.state} />{" "}
            {attempt.spans.map(span => `${span.state} ${duration((span.to - span.from) / 1000)}`).join(", ")}
            {attempt.reason && <> — {attempt.reason}</>}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Marks({marks}: {marks: readonly Mark[]}) {
  if (marks.length === 0) return null;
  const newest = marks.slice(-100).reverse();
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="What happened">
      <table class="plain">
        <caption>
          What happened, newest first{marks.length > newest.length && ` (the last ${newest.length} of ${marks.length})`}
        </caption>
        <thead>
          <tr>
            <th scope="col">time</th>
            <th scope="col">kind</th>
            <th scope="col">task</th>
            <th scope="col">text</th>
          </tr>
        </thead>
        <tbody>
          {newest.map((mark, i) => (
            <tr key={i}>
              <td>
                <TimeText at={new Date(mark.at).toISOString()} />
              </td>
              <td>
                <span aria-hidden="true">{symbolOf(mark.kind)}</span> {mark.kind}
              </td>
              <td>{mark.task ?? ""}</td>
              <td>{mark.text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
