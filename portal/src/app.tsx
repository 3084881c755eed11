// The frame of all pages: header, page, keyboard help.
import {Component, type ComponentChildren} from "preact";
import {useEffect, useState} from "preact/hooks";
import {apiUrl} from "./api/client";
import type {Health} from "./api/types";
import {deferred} from "./components/deferred";
import {HelpDialog} from "./components/help_dialog";
import {Link} from "./components/link";
import {PageHeader} from "./components/page_header";
import {useLocation} from "./hooks/use_location";
import {useResource, type Resource} from "./hooks/use_resource";
import {useShortcuts} from "./hooks/use_shortcuts";
import {JobsPage} from "./pages/jobs/jobs_page";
import {routeOf, type Route} from "./pure/url_state";

// The code of the list is loaded at first, and that of other pages with the first page that needs it.
const JobPage = deferred(() => import("./pages/job/job_page").then(code => code.JobPage));
const AboutPage = deferred(() => import("./pages/rarer_pages").then(code => code.AboutPage));
const AdvicePage = deferred(() => import("./pages/rarer_pages").then(code => code.AdvicePage));
const ClusterPage = deferred(() => import("./pages/rarer_pages").then(code => code.ClusterPage));
const NodePage = deferred(() => import("./pages/rarer_pages").then(code => code.NodePage));
const QueuePage = deferred(() => import("./pages/rarer_pages").then(code => code.QueuePage));
const ComparePage = deferred(() => import("./pages/rarer_pages").then(code => code.ComparePage));
const GoodputPage = deferred(() => import("./pages/rarer_pages").then(code => code.GoodputPage));
const NamePage = deferred(() => import("./pages/rarer_pages").then(code => code.NamePage));
const NotebooksPage = deferred(() => import("./pages/rarer_pages").then(code => code.NotebooksPage));
const RerunPage = deferred(() => import("./pages/rarer_pages").then(code => code.RerunPage));

const HEALTH_MS = 10_000; // how often the state of the backends is read

function titleOf(route: Route): string {
  switch (route.page) {
    case "jobs":
      return "Jobs";
    case "job":
      return route.id;
    case "compare":
      return "Compare runs";
    case "rerun":
      return `Re-run ${route.id}`;
    case "name":
      return `Runs of ${route.name}`;
    case "cluster":
      return "Cluster";
    case "queue":
      return `Queue ${route.queue}`;
    case "node":
      return `Node ${route.node}`;
    case "goodput":
      return "Goodput";
    case "advice":
      return route.check ? `Advice: ${route.check}` : "Advice";
    case "notebooks":
      return "Notebooks";
    case "about":
      return "About";
    case "unknown":
      return "No such page";
  }
}

// The page of the header that a page belongs to.
function sectionOf(route: Route): string {
  if (["queue", "node"].includes(route.page)) return "cluster";
  return ["job", "compare", "name", "rerun"].includes(route.page) ? "jobs" : route.page;
}

function Page({route, health}: {route: Route; health: Resource<Health>}) {
  switch (route.page) {
    case "jobs":
      return <JobsPage />;
    case "job":
      return <JobPage key={route.id} id={route.id} tab={route.tab} readOnly={health.data?.read_only ?? false} />;
    case "compare":
      return <ComparePage readOnly={health.data?.read_only ?? false} />;
    case "rerun":
      return <RerunPage key={route.id} id={route.id} readOnly={health.data?.read_only ?? false} />;
    case "name":
      return <NamePage key={route.name} name={route.name} />;
    case "cluster":
      return <ClusterPage />;
    case "queue":
      return <QueuePage key={route.queue} queue={route.queue} />;
    case "node":
      return <NodePage key={route.node} node={route.node} />;
    case "goodput":
      return <GoodputPage />;
    case "advice":
      return <AdvicePage key={route.check ?? ""} check={route.check} />;
    case "notebooks":
      return <NotebooksPage health={health.data} />;
    case "about":
      return <AboutPage health={health} />;
    case "unknown":
      return (
        <>
          <h1>No such page</h1>
          <p>
            <Link to="/">Jobs</Link>
          </p>
        </>
      );
  }
}

// An error of one page must not take the header away: the other pages still work.
class Guard extends Component<{children: ComponentChildren}, {error: Error | null}> {
  override state = {error: null as Error | null};

  static override getDerivedStateFromError(error: Error) {
    return {error};
  }

  override componentDidCatch(error: Error): void {
    console.error(error);
  }

  override render() {
    const {error} = this.state;
    if (!error) return this.props.children;
    return (
      <div class="failure" role="alert">
        <p>
          <strong>This page has a defect.</strong> {String(error.message)}
        </p>
      </div>
    );
  }
}

export function App() {
  const location = useLocation();
  const route = routeOf(location);
  const [help, setHelp] = useState(false);
  const health = useResource<Health>(apiUrl("health"));
  useShortcuts(() => setHelp(true));
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) health.reload();
    }, HEALTH_MS);
    return () => window.clearInterval(timer);
  }, [health.reload]);
  useEffect(() => {
    document.title = `${titleOf(route)} · Howdah`;
  }, [location.path]);
  return (
    <>
      <a href="#main" class="skip">
        Skip to the page
      </a>
      <PageHeader page={sectionOf(route)} health={health.data} help={() => setHelp(true)} />
      <main id="main" tabIndex={-1}>
        <Guard key={location.path}>
          <Page route={route} health={health} />
        </Guard>
      </main>
      {help && <HelpDialog close={() => setHelp(false)} />}
    </>
  );
}
