// `/jobs/ID`: one job.
import {useState} from "preact/hooks";
import {openServer, showTensorBoard} from "../../api/open_server";
import type {JobDetail} from "../../api/types";
import {Failure} from "../../components/failure";
import {KillForm} from "../../components/kill_form";
import {Link} from "../../components/link";
import {LiveMark} from "../../components/live_mark";
import {OpenForm} from "../../components/open_form";
import {TensorBoardButton} from "../../components/tensorboard_button";
import {ScaleForm} from "../../components/scale_form";
import {StacksForm} from "../../components/stacks_form";
import {Tabs, type Tab} from "../../components/tabs";
import {useJob, type LiveJob} from "../../hooks/use_job";
import {useLocation} from "../../hooks/use_location";
import {isLive} from "../../pure/job_state";
import {jobPath, namePath, oneOf, rerunPath} from "../../pure/url_state";
import {AdviceTab} from "./advice_tab";
import {ChartsTab} from "./charts_tab";
import {ConfigTab} from "./config_tab";
import {EventsTab} from "./events_tab";
import {JobHead} from "./job_head";
import {LogsTab} from "./logs_tab";
import {MetricsTab} from "./metrics_tab";
import {OverviewTab} from "./overview_tab";
import {taskOf} from "./task_columns";
import {TasksTab} from "./tasks_tab";
import {TimelineTab} from "./timeline_tab";

const NAMES = ["overview", "tasks", "logs", "metrics", "charts", "timeline", "advice", "config", "events"] as const;
type TabName = (typeof NAMES)[number];

function titleOf(name: TabName, job: JobDetail): string {
  const title = name.charAt(0).toUpperCase() + name.slice(1);
  if (name === "tasks") return `${title} ${job.tasks.length}`;
  if (name === "advice" && job.findings) return `${title} ${job.findings}`;
  return title;
}

function TabBody({name, job, version}: {name: TabName; job: JobDetail; version: number}) {
  switch (name) {
    case "overview":
      return <OverviewTab job={job} />;
    case "tasks":
      return <TasksTab job={job} version={version} />;
    case "logs":
      return <LogsTab job={job} version={version} />;
    case "metrics":
      return <MetricsTab job={job} />;
    case "charts":
      return <ChartsTab job={job} />;
    case "timeline":
      return <TimelineTab job={job} version={version} />;
    case "advice":
      return <AdviceTab job={job} version={version} />;
    case "config":
      return <ConfigTab job={job} />;
    case "events":
      return <EventsTab job={job} version={version} />;
  }
}

type Action = "kill" | "open" | "scale" | "stacks" | null;

function Page({state, tab, readOnly}: {state: LiveJob & {job: JobDetail}; tab: string; readOnly: boolean}) {
  const {job, version} = state;
  const {query} = useLocation();
  const [action, setAction] = useState<Action>(null);
  const runs = job.tasks.filter(task => task.state === "RUNNING");
  const running = runs.length;
  const selected = runs.map(taskOf).find(task => task === query["task"]);
  const name = oneOf(tab, NAMES, "overview");
  const tabs: Tab[] = NAMES.map(each => ({name: each, title: titleOf(each, job)}));
  return (
    <>
      <div class="job-top">
        <h1>{job.name || job.id}</h1>
        <LiveMark state={state.live} />
        {job.name && <Link to={namePath(job.name)}>all runs of this name</Link>}
        <Link to={rerunPath(job.id)}>re-run with edits</Link>
        {!isLive(job.state) && job.urls?.tensorboard && (
          <TensorBoardButton open={() => showTensorBoard([job.id])} disabled={readOnly} />
        )}
        {isLive(job.state) && (
          <div class="buttons">
            {job.urls?.tensorboard && (
              <TensorBoardButton open={() => openServer(job.id, {tensorboard: true})} disabled={readOnly} />
            )}
            <button type="button" disabled={readOnly} onClick={() => setAction("open")}>
              Open…
            </button>
            <button type="button" disabled={readOnly} onClick={() => setAction("scale")}>
              Scale…
            </button>
            <button type="button" disabled={readOnly} onClick={() => setAction("stacks")}>
              Stacks…
            </button>
            <button type="button" class="danger" disabled={readOnly} onClick={() => setAction("kill")}>
              Kill…
            </button>
          </div>
        )}
      </div>
      {state.error && <Failure what="The newest state of the job" error={state.error} retry={state.reload} />}
      <JobHead job={job} />
      <Tabs
        path={jobPath(job.id)}
        tabs={tabs}
        current={name}
        query={(each): Record<string, string> => (each === "overview" ? {} : {tab: each})}
      />
      <div class="tab-body">
        <TabBody key={name} name={name} job={job} version={version} />
      </div>
      {action === "kill" && <KillForm job={job} running={running} close={() => setAction(null)} />}
      {action === "open" && <OpenForm job={job} task={selected} close={() => setAction(null)} />}
      {action === "scale" && <ScaleForm job={job} close={() => setAction(null)} />}
      {action === "stacks" && <StacksForm job={job} task={selected} close={() => setAction(null)} />}
    </>
  );
}

export function JobPage({id, tab, readOnly}: {id: string; tab: string; readOnly: boolean}) {
  const state = useJob(id);
  if (state.job) return <Page state={{...state, job: state.job}} tab={tab} readOnly={readOnly} />;
  return (
    <>
      <h1>{id}</h1>
      {state.error && <Failure what={`The job ${id}`} error={state.error} retry={state.reload} />}
      {state.loading && !state.error && (
        <p class="loading" role="status">
          Loading…
        </p>
      )}
    </>
  );
}
