import {Link} from "./link";
import type {Query} from "../pure/url_state";

export interface Tab {
  name: string;
  title: string;
}

// Links between the views of one page. Each view has its own URL.
export function Tabs({
  path,
  tabs,
  current,
  query,
}: {
  path: string;
  tabs: readonly Tab[];
  current: string;
  query: (tab: string) => Query;
}) {
  return (
    <nav class="tabs" aria-label="Views of this job">
      {tabs.map(tab => (
        <Link key={tab.name} to={path} query={query(tab.name)} current={tab.name === current}>
          {tab.title}
        </Link>
      ))}
    </nav>
  );
}
