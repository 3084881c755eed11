import {plural} from "../pure/format";
import {selectionProblem} from "../pure/selection";
import {Link} from "./link";

// Leads from selected runs to their comparison.
export function CompareLink({selected, clear}: {selected: readonly string[]; clear: () => void}) {
  const problem = selectionProblem(selected);
  return (
    <div class="toolbar">
      {problem ? (
        <span role="status" class="muted">
          compare ({selected.length}): {problem}
        </span>
      ) : (
        <Link to="/compare" query={{ids: selected.join(",")}} label={`compare ${plural(selected.length, "run")}`}>
          compare ({selected.length})
        </Link>
      )}
      {selected.length > 0 && (
        <button type="button" onClick={clear}>
          Clear the selection
        </button>
      )}
    </div>
  );
}
