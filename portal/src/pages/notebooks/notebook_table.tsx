import {useState} from "preact/hooks";
import {openServer, type OpenedServer} from "../../api/open_server";
import type {JobRow, NotebookRow} from "../../api/types";
import {ActionForm} from "../../components/action_form";
import {KillForm} from "../../components/kill_form";
import {ExternalLink, Link} from "../../components/link";
import {RowTable} from "../../components/row_table";
import {StateBadge} from "../../components/state_badge";
import {LeftText, TookText} from "../../components/time_text";
import {count, duration, UNKNOWN} from "../../pure/format";
import {openCommand} from "../../pure/shell_command";
import {jobPath} from "../../pure/url_state";

const COLUMNS = [
  "Name",
  "State",
  "Backend",
  "Queue",
  {numeric: "GPUs"},
  {numeric: "Took"},
  {numeric: "Idle for"},
  {numeric: "Ends in"},
  "Reason",
  "Actions",
];

type Action = {kind: "open" | "stop"; row: JobRow} | null;

// The running notebooks, and their buttons.
export function NotebookTable({rows, readOnly}: {rows: readonly NotebookRow[]; readOnly: boolean}) {
  const [action, setAction] = useState<Action>(null);
  const close = () => setAction(null);
  if (rows.length === 0 && !action) return <p class="empty">No notebook is running.</p>;
  return (
    <>
      <RowTable label="Notebooks" columns={COLUMNS} wide>
        {rows.map(row => (
          <tr key={row.id} data-row>
            <th scope="row">
              <Link to={jobPath(row.id)}>{row.name}</Link>
            </th>
            <td>
              <StateBadge state={row.state} />
            </td>
            <td>{row.on}</td>
            <td>{row.queue ?? UNKNOWN}</td>
            <td class="numeric">{count(row.gpus)}</td>
            <td class="numeric">
              <TookText from={row.started} to={row.finished} seconds={row.took_seconds} />
            </td>
            <td class="numeric">{duration(row.idle_seconds)}</td>
            <td class="numeric">
              <LeftText until={row.ends_at} />
            </td>
            <td>{row.reason ?? UNKNOWN}</td>
            <td>
              <button
                type="button"
                aria-label={`Open ${row.name}`}
                disabled={readOnly || row.state !== "RUNNING"}
                onClick={() => setAction({kind: "open", row})}>
                Open…
              </button>{" "}
              <button
                type="button"
                class="danger"
                aria-label={`Stop ${row.name}`}
                disabled={readOnly}
                onClick={() => setAction({kind: "stop", row})}>
                Stop…
              </button>
            </td>
          </tr>
        ))}
      </RowTable>
      {action?.kind === "open" && <OpenNotebook row={action.row} close={close} />}
      {action?.kind === "stop" && <KillForm job={action.row} running={action.row.tasks?.running ?? 0} close={close} />}
    </>
  );
}

function OpenNotebook({row, close}: {row: JobRow; close: () => void}) {
  return (
    <ActionForm<OpenedServer>
      title="Open this notebook?"
      confirm="Open in a new tab"
      send={() => openServer(row.id, {notebook: true})}
      command={openCommand(row.id, row.on, {notebook: true})}
      problem={null}
      explanation="Shows JupyterLab in an origin of its own. It can take a minute to start."
      close={close}
      done={answer => answer.url && <ExternalLink to={answer.url}>Open the notebook</ExternalLink>}>
      {null}
    </ActionForm>
  );
}
