import {jobUrl} from "../../api/client";
import type {JobDetail, LogSource} from "../../api/types";
import {ChoiceBox} from "../../components/choice_box";
import {ResourceView} from "../../components/resource_view";
import {useJobResource} from "../../hooks/use_job_resource";
import {setQuery, useLocation} from "../../hooks/use_location";
import {bytes} from "../../pure/format";
import {isLive} from "../../pure/job_state";
import type {Query} from "../../pure/url_state";
import {LogSearch} from "./log_search";
import {LogViewer} from "./log_viewer";

interface LogsAnswer {
  sources: LogSource[];
  location: string | null;
}

// The log that the URL names; what it leaves open is the first task, its newest attempt, rank 0 and stdout.
export function chosenSource(sources: readonly LogSource[], query: Query): LogSource | null {
  const task = query["task"] ?? sources[0]?.task;
  const ofTask = sources.filter(source => source.task === task);
  const attempt = Number(query["attempt"] ?? Math.max(...ofTask.map(source => source.attempt)));
  const ofAttempt = ofTask.filter(source => source.attempt === attempt);
  const rank = Number(query["rank"] ?? ofAttempt[0]?.rank);
  const ofRank = ofAttempt.filter(source => source.rank === rank);
  const stream = query["stream"];
  return (stream === undefined ? ofRank[0] : ofRank.find(source => source.stream === stream)) ?? ofRank[0] ?? null;
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}

// Changes which log is shown; the position in the old one has no meaning there.
function choose(changes: Record<string, string | null>): void {
  setQuery({at: null, line: null, follow: null, ...changes}, true);
}

function Choice({sources, source}: {sources: readonly LogSource[]; source: LogSource}) {
  const ofTask = sources.filter(one => one.task === source.task);
  const ofAttempt = ofTask.filter(one => one.attempt === source.attempt);
  const attempts = unique(ofTask.map(one => one.attempt));
  const ranks = unique(ofAttempt.map(one => one.rank));
  const streams = ofAttempt.filter(one => one.rank === source.rank);
  return (
    <>
      <ChoiceBox
        label="Task"
        value={source.task}
        choices={unique(sources.map(one => one.task))}
        change={value => choose({task: value, attempt: null, rank: null})}
      />
      {attempts.length > 1 && (
        <ChoiceBox
          label="Attempt"
          value={String(source.attempt)}
          choices={attempts.map(String)}
          change={value => choose({attempt: value, rank: null})}
        />
      )}
      {ranks.length > 1 && (
        <ChoiceBox
          label="Process"
          value={String(source.rank)}
          choices={ranks.map(String)}
          change={value => choose({rank: value})}
        />
      )}
      <label>
        Stream{" "}
        <select value={source.stream} onChange={event => choose({stream: event.currentTarget.value})}>
          {streams.map(one => (
            <option key={one.stream} value={one.stream}>
              {one.stream}
              {one.size !== null && ` (${bytes(one.size)})`}
            </option>
          ))}
        </select>
      </label>
    </>
  );
}

export function LogsTab({job, version}: {job: JobDetail; version: number}) {
  const {query} = useLocation();
  const logs = useJobResource<LogsAnswer>(jobUrl(job.id, "logs"), version);
  return (
    <ResourceView what="The list of logs" resource={logs}>
      {({sources, location}) => {
        const source = chosenSource(sources, query);
        if (!source) {
          return (
            <p class="empty">
              {sources.length > 0
                ? `There is no log of ${query["task"]}, attempt ${query["attempt"] ?? "–"}.`
                : "No task has written a log yet."}
            </p>
          );
        }
        const key = `${source.task} ${source.attempt} ${source.rank} ${source.stream}`;
        const task = job.tasks.find(one => `${one.role}:${one.index}` === source.task);
        const live = isLive(job.state) && (task === undefined || task.attempt === source.attempt);
        return (
          <>
            <div class="toolbar">
              <Choice sources={sources} source={source} />
            </div>
            <LogSearch id={job.id} task={source.task} stream={source.stream} query={query} />
            <LogViewer key={key} id={job.id} source={source} query={query} live={live} />
            {location && (
              <p class="muted">
                Files: <code>{location}</code>
              </p>
            )}
          </>
        );
      }}
    </ResourceView>
  );
}
