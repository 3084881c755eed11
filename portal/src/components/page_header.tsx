import type {Health} from "../api/types";
import {Link} from "./link";
import {ThemeSwitch} from "./theme_switch";

const PAGES = [
  {name: "jobs", title: "Jobs", path: "/"},
  {name: "cluster", title: "Cluster", path: "/cluster"},
  {name: "goodput", title: "Goodput", path: "/goodput"},
  {name: "advice", title: "Advice", path: "/advice"},
  {name: "notebooks", title: "Notebooks", path: "/notebooks"},
  {name: "about", title: "About", path: "/about"},
];

const SYMBOLS: Readonly<Record<string, string>> = {ok: "✓", loading: "…", failing: "✕"};

interface Props {
  page: string;
  health: Health | null;
  help: () => void;
}

export function PageHeader({page, health, help}: Props) {
  return (
    <header class="top">
      <Link to="/" class="brand">
        Howdah
      </Link>
      <nav aria-label="Pages">
        {PAGES.map(({name, title, path}) => (
          <Link key={name} to={path} current={name === page}>
            {title}
          </Link>
        ))}
      </nav>
      <div class="top-right">
        {health?.backends.map(backend => (
          <span key={backend.name} class={`backend backend-${backend.state}`} title={backend.detail ?? backend.state}>
            {backend.name} <span aria-hidden="true">{SYMBOLS[backend.state] ?? "?"}</span>
            <span class="sr-only">{backend.state}</span>
          </span>
        ))}
        {health && (
          <span class="user">
            {health.user}
            {health.read_only && " (read-only)"}
          </span>
        )}
        <button type="button" class="plain" onClick={help} aria-label="Keyboard help">
          ?
        </button>
        <ThemeSwitch />
      </div>
    </header>
  );
}
