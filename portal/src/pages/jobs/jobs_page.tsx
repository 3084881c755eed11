// `/`: the list of jobs.
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {apiUrl, ApiError, downloadCsv} from "../../api/client";
import type {JobRow, JobsAnswer} from "../../api/types";
import {Failure} from "../../components/failure";
import {CompareLink} from "../../components/compare_link";
import {FilterBox} from "../../components/filter_box";
import {Link} from "../../components/link";
import {LiveMark} from "../../components/live_mark";
import {Notes} from "../../components/notes";
import {SavedFilters} from "../../components/saved_filters";
import {useLive, useThrottled} from "../../hooks/use_live";
import {setQuery, useLocation} from "../../hooks/use_location";
import {useResource} from "../../hooks/use_resource";
import {groupsOf} from "../../pure/fold";
import {count, plural} from "../../pure/format";
import {newRows, received, released, updated, type ListState} from "../../pure/live_rows";
import {toggled} from "../../pure/selection";
import {changed, listOf, type Query} from "../../pure/url_state";
import {ColumnMenu} from "./column_menu";
import {chosenColumns} from "./columns";
import {JobsTable} from "./jobs_table";

const SORT = "-submitted";
const LIMIT = "50";
const LIMITS = ["50", "200", "1000"];
const RELOAD_MS = 1000;

function listUrl(query: Query): string {
  return apiUrl("jobs", {
    q: query["q"] ?? "",
    sort: query["sort"] ?? SORT,
    limit: query["limit"] ?? LIMIT,
    after: query["after"] ?? "",
  });
}

// The rows on the page. While `hold` is true no row moves.
function useRows(answer: JobsAnswer | null, url: string) {
  const [list, setList] = useState<ListState<JobRow>>({shown: [], waiting: null});
  const hold = useRef(false);
  const shownUrl = useRef("");
  useEffect(() => {
    if (!answer) return;
    const sameList = shownUrl.current === url;
    shownUrl.current = url;
    setList(old => received(old, answer.jobs, hold.current && sameList));
  }, [answer]);
  const setHold = (value: boolean) => {
    hold.current = value;
    if (!value) setList(released);
  };
  const update = (rows: JobRow[]) => setList(old => ({...old, shown: updated(old.shown, rows)}));
  return {list, setHold, update, release: () => setList(released)};
}

export function JobsPage() {
  const {query} = useLocation();
  const url = listUrl(query);
  const jobs = useResource<JobsAnswer>(url, true);
  const {list, setHold, update, release} = useRows(jobs.data, url);
  const reload = useThrottled(jobs.reload, RELOAD_MS);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [csvError, setCsvError] = useState<ApiError | null>(null);

  const live = useLive("jobs", () => ["jobs"], {
    reload: jobs.reload,
    event: (_, data) => {
      if (Array.isArray(data["jobs"])) update(data["jobs"] as JobRow[]);
      reload(); // a row may be new, may have ended, or may no longer match the filter
    },
  });

  const filter = query["q"] ?? "";
  const fold = query["fold"] !== "0";
  const groups = useMemo(() => groupsOf(list.shown, fold), [list.shown, fold]);
  const selected = listOf(query["sel"]);
  const columns = chosenColumns(listOf(query["cols"]));
  const badFilter = jobs.error?.status === 400 ? jobs.error : null;
  const toggle = (key: string) =>
    setOpened(old => {
      const next = new Set(old);
      if (!next.delete(key)) next.add(key);
      return next;
    });
  const csv = () => {
    setCsvError(null);
    downloadCsv(apiUrl("jobs", {q: filter, sort: query["sort"] ?? SORT}), "jobs.csv").catch((error: unknown) =>
      setCsvError(error instanceof ApiError ? error : new ApiError(0, String(error), null)),
    );
  };
  const unseen = newRows(list);

  return (
    <>
      <h1 class="sr-only">Jobs</h1>
      <FilterBox value={filter} error={badFilter} change={q => setQuery({q, after: null}, true)} />
      <div class="toolbar">
        <SavedFilters query={query} />
        <div class="toolbar-right">
          <ColumnMenu chosen={columns} change={cols => setQuery({cols}, true)} />
          <label>
            <input
              type="checkbox"
              checked={fold}
              onChange={event => setQuery({fold: event.currentTarget.checked ? null : "0"}, true)}
            />{" "}
            fold runs of one name
          </label>
          <button type="button" onClick={csv}>
            CSV
          </button>
          <span role="status" class="total">
            {jobs.data ? plural(jobs.data.total, "job") : ""}
            {jobs.data && !jobs.data.complete && " so far"}
          </span>
          <LiveMark state={live} />
        </div>
      </div>
      {csvError && <Failure what="The CSV file" error={csvError} />}
      {jobs.error && !badFilter && <Failure what="The list of jobs" error={jobs.error} retry={jobs.reload} />}
      <Notes notes={jobs.data?.notes} />
      {unseen > 0 && (
        <p>
          <button type="button" onClick={release}>
            Show {plural(unseen, "new job")}
          </button>
        </p>
      )}
      <div
        class="scroll"
        tabIndex={0}
        role="region"
        aria-label="List of jobs"
        onMouseEnter={() => setHold(true)}
        onMouseLeave={() => setHold(false)}>
        <JobsTable
          groups={groups}
          columns={columns}
          query={query}
          sort={query["sort"] ?? SORT}
          opened={opened}
          toggle={toggle}
          selected={selected}
          select={id => setQuery({sel: toggled(selected, id).join(",")}, true)}
          changeSort={sort => setQuery({sort: sort === SORT ? null : sort, after: null}, true)}
        />
        {jobs.data && list.shown.length === 0 && <Empty filter={filter} complete={jobs.data.complete} />}
        {!jobs.data && jobs.loading && (
          <p class="loading" role="status">
            Loading…
          </p>
        )}
      </div>
      <div class="below-list">
        <CompareLink selected={selected} clear={() => setQuery({sel: null}, true)} />
        <Paging query={query} next={jobs.data?.next ?? null} />
      </div>
    </>
  );
}

function Paging({query, next}: {query: Query; next: string | null}) {
  return (
    <nav class="paging" aria-label="Pages of the list">
      {query["after"] && (
        <Link to="/" query={changed(query, {after: null})}>
          « first page
        </Link>
      )}
      {next && (
        <Link to="/" query={changed(query, {after: next})}>
          next page ›
        </Link>
      )}
      <label>
        rows{" "}
        <select
          value={query["limit"] ?? LIMIT}
          onChange={event =>
            setQuery(
              {limit: event.currentTarget.value === LIMIT ? null : event.currentTarget.value, after: null},
              true,
            )
          }>
          {LIMITS.map(limit => (
            <option key={limit} value={limit}>
              {count(Number(limit))}
            </option>
          ))}
        </select>
      </label>
    </nav>
  );
}

function Empty({filter, complete}: {filter: string; complete: boolean}) {
  if (!complete) return <p class="empty">The list is being read…</p>;
  if (filter) return <p class="empty">No job matches this filter.</p>;
  return (
    <p class="empty">
      There are no jobs yet. <code>howdah run job.yaml</code> starts one; it appears here at once.
    </p>
  );
}
