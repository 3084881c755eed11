import {useMemo} from "preact/hooks";
import {jobUrl} from "../../api/client";
import type {Attempt, JobDetail, Task} from "../../api/types";
import {CopyText} from "../../components/copy_text";
import {Failure} from "../../components/failure";
import {Link} from "../../components/link";
import {SortableHeader} from "../../components/sortable_header";
import {setQuery, useLocation} from "../../hooks/use_location";
import {useJobResource} from "../../hooks/use_job_resource";
import {ALL_ROWS, useVisibleRows} from "../../hooks/use_visible_rows";
import {count} from "../../pure/format";
import {execCommand} from "../../pure/shell_command";
import {jobPath} from "../../pure/url_state";
import {Quantiles} from "./quantiles";
import {sortedAttempts, TASK_COLUMNS, taskOf} from "./task_columns";

const ROW_HEIGHT = 30; // pixels, as in the style sheet

interface TasksAnswer {
  tasks: Task[];
  attempts: Attempt[];
}

export function TasksTab({job, version}: {job: JobDetail; version: number}) {
  const {query} = useLocation();
  const all = query["attempts"] === "all";
  const answer = useJobResource<TasksAnswer>(all ? jobUrl(job.id, "tasks") : null, version);
  const roles = [...new Set(job.tasks.map(task => task.role))];
  const sort = query["sort"] ?? "";
  const source: readonly Attempt[] = all && answer.data ? answer.data.attempts : job.tasks;
  const rows = useMemo(
    () =>
      sortedAttempts(
        source.filter(one => !query["role"] || one.role === query["role"]),
        sort,
      ),
    [source, query["role"], sort],
  );
  const view = useVisibleRows(rows.length, ROW_HEIGHT);
  const selected = query["task"];
  const task = job.tasks.find(one => taskOf(one) === selected);

  return (
    <>
      <div class="toolbar">
        <label>
          Role{" "}
          <select value={query["role"] ?? ""} onChange={event => setQuery({role: event.currentTarget.value}, true)}>
            <option value="">all</option>
            {roles.map(role => (
              <option key={role} value={role}>
                {role}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={all}
            onChange={event => setQuery({attempts: event.currentTarget.checked ? "all" : null}, true)}
          />{" "}
          all attempts
        </label>
        <span class="total" role="status">
          {count(rows.length)} rows
        </span>
      </div>
      {answer.error && <Failure what="The list of all attempts" error={answer.error} retry={answer.reload} />}
      {task && <OneTask job={job} task={task} />}
      <div
        class={rows.length > ALL_ROWS ? "scroll tall" : "scroll"}
        ref={view.box}
        onScroll={view.scrolled}
        tabIndex={0}
        role="region"
        aria-label="Tasks">
        <table class="rows" aria-rowcount={rows.length + 1}>
          <caption class="sr-only">Tasks</caption>
          <thead>
            <tr>
              {TASK_COLUMNS.map(column => (
                <SortableHeader
                  key={column.key}
                  title={column.title}
                  column={column.key}
                  sort={sort}
                  numeric={column.numeric ?? false}
                  change={next => setQuery({sort: next}, true)}
                />
              ))}
            </tr>
          </thead>
          <tbody>
            {view.above > 0 && <tr aria-hidden="true" style={{height: `${view.above}px`}} />}
            {rows.slice(view.first, view.last).map((row, i) => (
              <tr
                key={`${taskOf(row)} ${row.attempt}`}
                data-row
                aria-rowindex={view.first + i + 2}
                class={taskOf(row) === selected ? "selected" : undefined}>
                {TASK_COLUMNS.map(column => (
                  <td key={column.key} class={column.numeric ? "numeric" : undefined}>
                    {column.cell(row, job.id)}
                  </td>
                ))}
              </tr>
            ))}
            {view.below > 0 && <tr aria-hidden="true" style={{height: `${view.below}px`}} />}
          </tbody>
        </table>
        {rows.length === 0 && <p class="empty">The job has no tasks yet.</p>}
      </div>
      <Quantiles tasks={job.tasks} />
    </>
  );
}

// The links and commands for one task.
function OneTask({job, task}: {job: JobDetail; task: Task}) {
  const name = taskOf(task);
  return (
    <div class="card">
      <h2>{name}</h2>
      {task.reason && <p>{task.reason}</p>}
      <p class="pair-list">
        <Link to={jobPath(job.id)} query={{tab: "logs", task: name}}>
          log
        </Link>
        <Link to={jobPath(job.id)} query={{tab: "charts", tasks: name}}>
          charts
        </Link>
        <Link to={jobPath(job.id)} query={{tab: "tasks"}}>
          close
        </Link>
      </p>
      {task.state === "RUNNING" && <CopyText text={execCommand(job.id, job.on, name)} label="a shell in the task" />}
    </div>
  );
}
