// One log: reading, following, jumping.
import {useEffect, useState} from "preact/hooks";
import {jobUrl} from "../../api/client";
import type {LogSource} from "../../api/types";
import {Failure} from "../../components/failure";
import {DownloadLink} from "../../components/link";
import {LiveMark} from "../../components/live_mark";
import {useLive} from "../../hooks/use_live";
import {setQuery} from "../../hooks/use_location";
import {useLogWindow, type Position} from "../../hooks/use_log_window";
import {bytes} from "../../pure/format";
import {logTopic} from "../../pure/stream_events";
import {jobPath, type Query} from "../../pure/url_state";
import {LogText} from "./log_text";

interface Props {
  id: string;
  source: LogSource;
  query: Query; // of the page: at, line, wrap, follow
  live: boolean;
}

function positionOf(query: Query, live: boolean): Position {
  const at = Number(query["at"] ?? NaN);
  const line = Number(query["line"] ?? NaN);
  if (Number.isSafeInteger(line) && line > 0) return {kind: "line", line};
  if (query["at"] === "end") return {kind: "end"};
  if (Number.isSafeInteger(at) && at >= 0) return {kind: "offset", offset: at};
  return isFollowing(query, live) ? {kind: "end"} : {kind: "begin"};
}

// A live log is followed unless the URL names a position or says otherwise.
function isFollowing(query: Query, live: boolean): boolean {
  if (query["follow"] !== undefined) return query["follow"] === "1";
  return live && query["at"] === undefined && query["line"] === undefined;
}

export function LogViewer({id, source, query, live}: Props) {
  const {task, attempt, rank, stream} = source;
  const which: Query = {attempt: String(attempt), rank: String(rank), stream};
  const topic = logTopic(id, task, attempt, rank, stream);
  const urlOf = (more: Query) => jobUrl(id, `logs/${task}`, {...which, ...more});
  const reader = useLogWindow(urlOf, topic);
  const {window: log, error, busy} = reader;
  const follow = isFollowing(query, live);
  const position = positionOf(query, live);
  const [ended, setEnded] = useState(!live);

  useEffect(() => reader.go(position), [topic, query["at"], query["line"]]);

  const state = useLive(live && !ended ? topic : null, () => [`${topic}@${log?.end ?? 0}`], {
    reload: () => reader.more(),
    event: (kind, data) => {
      if (kind !== "log") return;
      if (data["ended"] === true) setEnded(true);
      reader.more();
    },
  });
  // While following, the window always reaches the end of the log.
  useEffect(() => {
    if (follow && log && log.end < log.size) reader.more();
  }, [follow, log]);

  // Positions are in the URL. A jump to the position that it already names starts there again.
  const jump = (key: "at" | "line", value: string) => {
    if (query[key] === value) reader.go(position);
    else setQuery({at: null, line: null, follow: "0", [key]: value}, true);
  };
  const linkQuery = (offset: number): Query => ({
    tab: "logs",
    task,
    ...which,
    at: String(offset),
    ...(query["wrap"] ? {wrap: "1"} : {}),
  });

  return (
    <>
      <div class="toolbar">
        <label>
          <input
            type="checkbox"
            checked={follow}
            onChange={event => {
              const on = event.currentTarget.checked;
              setQuery({follow: on ? "1" : "0", at: null, line: null}, true);
              if (on) reader.go({kind: "end"});
            }}
          />{" "}
          follow
        </label>
        <label>
          <input
            type="checkbox"
            checked={query["wrap"] === "1"}
            onChange={event => setQuery({wrap: event.currentTarget.checked ? "1" : null}, true)}
          />{" "}
          wrap
        </label>
        <GoToLine go={line => jump("line", String(line))} />
        <button type="button" onClick={() => jump("at", "0")}>
          Begin
        </button>
        <button type="button" onClick={() => jump("at", "end")}>
          End
        </button>
        <DownloadLink to={urlOf({download: "1"})}>Download</DownloadLink>
        {log && (
          <span class="muted" role="status">
            bytes {log.begin.toLocaleString("en-US")}–{log.end.toLocaleString("en-US")} of {bytes(log.size)}
          </span>
        )}
        {live && !ended && <LiveMark state={state} />}
        {busy && <span class="muted">reading…</span>}
      </div>
      {error && <Failure what={`The ${stream} of ${task}`} error={error} retry={() => reader.go(position)} />}
      {log && log.size > log.end - log.begin && (
        <label class="log-position">
          Position{" "}
          <input
            type="range"
            min={0}
            max={log.size}
            value={log.begin}
            onChange={event => jump("at", event.currentTarget.value)}
          />
        </label>
      )}
      {log &&
        (log.size === 0 ? (
          <p class="empty">
            {task} has written nothing to {stream}
            {live && " yet"}.
          </p>
        ) : (
          <LogText
            window={log}
            target={reader.target}
            marked={query["at"] === undefined ? null : Number(query["at"])}
            wrap={query["wrap"] === "1"}
            follow={follow}
            path={jobPath(id)}
            linkQuery={linkQuery}
            more={reader.more}
            before={reader.before}
            leftEnd={() => setQuery({follow: "0"}, true)}
          />
        ))}
      {!log && !error && (
        <p class="loading" role="status">
          Loading…
        </p>
      )}
    </>
  );
}

function GoToLine({go}: {go: (line: number) => void}) {
  const [text, setText] = useState("");
  const line = Number(text);
  const valid = Number.isSafeInteger(line) && line > 0;
  return (
    <form
      class="inline"
      onSubmit={event => {
        event.preventDefault();
        if (valid) go(line);
      }}>
      <label>
        Line <input inputMode="numeric" size={8} value={text} onInput={event => setText(event.currentTarget.value)} />
      </label>
      <button type="submit" disabled={!valid}>
        Go
      </button>
    </form>
  );
}
