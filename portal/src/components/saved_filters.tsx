import {useStored} from "../hooks/use_stored";
import {changed, type Query} from "../pure/url_state";
import {Link} from "./link";

interface Saved {
  name: string;
  filter: string;
}

const GIVEN: readonly Saved[] = [
  {name: "mine", filter: "user:me"},
  {name: "running", filter: "state:RUNNING"},
  {name: "waiting", filter: "state:waiting"},
  {name: "failed today", filter: "state:FAILED since:1d"},
];

// Filters by name: some that everybody has, and those that this browser keeps.
export function SavedFilters({query}: {query: Query}) {
  const filter = query["q"] ?? "";
  const [saved, setSaved] = useStored<Saved[]>("filters", []);
  const all = [...GIVEN, ...saved];
  const isSaved = all.some(one => one.filter === filter);
  return (
    <div class="saved">
      <span class="muted" id="saved-filters">
        Saved filters:
      </span>
      <ul aria-labelledby="saved-filters">
        {all.map(one => (
          <li key={one.filter}>
            <Link to="/" query={changed(query, {q: one.filter, after: null})} current={one.filter === filter}>
              {one.name}
            </Link>
            {saved.includes(one) && (
              <button
                type="button"
                class="plain"
                aria-label={`Forget the filter ${one.name}`}
                onClick={() => setSaved(saved.filter(other => other !== one))}>
                ✕
              </button>
            )}
          </li>
        ))}
      </ul>
      {filter && !isSaved && (
        <button type="button" onClick={() => setSaved([...saved, {name: filter, filter}])}>
          Save this filter
        </button>
      )}
    </div>
  );
}
