// Search in the logs of one or all tasks.
import {useEffect, useRef, useState} from "preact/hooks";
import {ApiError, jobUrl, streamLines} from "../../api/client";
import type {LogCounts, LogHit} from "../../api/types";
import {Failure} from "../../components/failure";
import {Link} from "../../components/link";
import {withoutEscapes} from "../../pure/ansi";
import {count, plural} from "../../pure/format";
import {visible} from "../../pure/log_lines";
import {jobPath, type Query} from "../../pure/url_state";
import {setQuery} from "../../hooks/use_location";

const SHOWN = 500; // hits in the list
const REFRESH_MS = 150; // how often the list changes while hits arrive

interface Found {
  hits: LogHit[];
  counts: LogCounts | null;
  error: ApiError | null;
  busy: boolean;
}

const NOTHING: Found = {hits: [], counts: null, error: null, busy: false};

function useSearch(url: string | null): Found {
  const [found, setFound] = useState<Found>(NOTHING);
  useEffect(() => {
    if (url === null) {
      setFound(NOTHING);
      return undefined;
    }
    const controller = new AbortController();
    const hits: LogHit[] = [];
    let counts: LogCounts | null = null;
    const show = (busy: boolean, error: ApiError | null = null) =>
      setFound({hits: hits.slice(0, SHOWN), counts, error, busy});
    const timer = window.setInterval(() => show(true), REFRESH_MS);
    show(true);
    streamLines(
      url,
      value => {
        if ((value as {counts?: unknown}).counts !== undefined) counts = value as LogCounts;
        else hits.push(value as LogHit);
      },
      controller.signal,
    )
      .then(
        () => show(false),
        (reason: unknown) => {
          if (!controller.signal.aborted)
            show(false, reason instanceof ApiError ? reason : new ApiError(0, String(reason), null));
        },
      )
      .finally(() => window.clearInterval(timer));
    return () => {
      window.clearInterval(timer);
      controller.abort();
    };
  }, [url]);
  return found;
}

interface Props {
  id: string;
  task: string;
  stream: string;
  query: Query; // of the page: find, regex, everywhere
}

export function LogSearch({id, task, stream, query}: Props) {
  const [text, setText] = useState(query["find"] ?? "");
  const find = query["find"] ?? "";
  useEffect(() => setText(find), [find]);
  const everywhere = query["everywhere"] === "1";
  const regex = query["regex"] === "1";
  const url =
    find === ""
      ? null
      : jobUrl(id, "logs/search", {
          q: find,
          ...(regex ? {regex: "1"} : {}),
          ...(everywhere ? {} : {tasks: task, stream}),
        });
  const found = useSearch(url);
  return (
    <>
      <form
        role="search"
        class="toolbar"
        aria-label="Search in the logs"
        onSubmit={event => {
          event.preventDefault();
          setQuery({find: text}, true);
        }}>
        <label>
          Search{" "}
          <input data-filter value={text} spellcheck={false} onInput={event => setText(event.currentTarget.value)} />
        </label>
        <button type="submit">Search</button>
        <label>
          <input
            type="checkbox"
            checked={regex}
            onChange={event => setQuery({regex: event.currentTarget.checked ? "1" : null}, true)}
          />{" "}
          regular expression
        </label>
        <label>
          <input
            type="checkbox"
            checked={everywhere}
            onChange={event => setQuery({everywhere: event.currentTarget.checked ? "1" : null}, true)}
          />{" "}
          all tasks
        </label>
        {find && (
          <button type="button" onClick={() => setQuery({find: null}, true)}>
            Clear
          </button>
        )}
      </form>
      {found.error && <Failure what="The search" error={found.error} />}
      {url !== null && !found.error && <Hits id={id} found={found} query={query} />}
    </>
  );
}

function Hits({id, found, query}: {id: string; found: Found; query: Query}) {
  const {hits, counts, busy} = found;
  const list = useRef<HTMLOListElement>(null);
  const total = counts?.total ?? hits.length;
  return (
    <div class="card hits">
      <p role="status">
        {busy ? `${count(total)} so far, searching…` : plural(total, "hit")}
        {counts && !counts.complete && ", and there are more"}
        {hits.length < total && `; the first ${hits.length} are listed`}
        {counts?.note && ` (${counts.note})`}
      </p>
      {counts && counts.counts.length > 1 && (
        <p class="pair-list">
          {counts.counts.slice(0, 50).map(one => (
            <span key={`${one.task} ${one.stream}`}>
              {one.task} {one.stream}: {count(one.hits)}
            </span>
          ))}
        </p>
      )}
      <ol ref={list} tabIndex={0} aria-label="Hits">
        {hits.map(hit => (
          <li key={`${hit.task} ${hit.attempt} ${hit.rank} ${hit.stream} ${hit.offset}`} data-row>
            <Link
              to={jobPath(id)}
              query={{
                ...query,
                task: hit.task,
                attempt: String(hit.attempt),
                rank: String(hit.rank),
                stream: hit.stream,
                at: String(hit.offset),
                line: "",
                follow: "",
              }}>
              {hit.task} {hit.stream}
              {hit.line !== null && hit.line !== undefined && `:${hit.line}`}
            </Link>{" "}
            <code>{visible(withoutEscapes(hit.text)).slice(0, 500)}</code>
          </li>
        ))}
      </ol>
    </div>
  );
}
