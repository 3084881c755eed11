import {apiUrl, post} from "../../api/client";
import {openServer, openTensorBoard} from "../../api/open_server";
import type {NamedJob, TensorBoardsAnswer} from "../../api/types";
import {Link} from "../../components/link";
import {RowTable} from "../../components/row_table";
import {TensorBoardButton} from "../../components/tensorboard_button";
import {AgoText, TimeText} from "../../components/time_text";
import {UNKNOWN} from "../../pure/format";
import {jobPath} from "../../pure/url_state";

const COLUMNS = ["Runs", "State", "Last request", "Ends", "Note", "Actions"];

function Jobs({jobs}: {jobs: readonly NamedJob[]}) {
  return (
    <>
      {jobs.map((job, i) => (
        <span key={job.id}>
          {i > 0 && ", "}
          <Link to={jobPath(job.id)}>{job.name ?? job.id}</Link>
        </span>
      ))}
    </>
  );
}

// Those of running jobs, and those that the portal runs.
export function TensorBoardTable({
  answer: {tensorboards, live},
  readOnly,
  reload,
}: {
  answer: TensorBoardsAnswer;
  readOnly: boolean;
  reload: () => void;
}) {
  if (tensorboards.length === 0 && live.length === 0) {
    return (
      <p class="empty">
        None. A job that has ended, and a comparison of runs, have a button that starts one.
      </p>
    );
  }
  const stop = (id: string) => {
    post(apiUrl(`tensorboards/${encodeURIComponent(id)}/stop`), {}).then(reload, reload);
  };
  return (
    <RowTable label="TensorBoards" columns={COLUMNS} wide>
      {live.map(job => (
        <tr key={job.id} data-row>
          <th scope="row">
            <Jobs jobs={[job]} />
          </th>
          <td>of the running job</td>
          <td>{UNKNOWN}</td>
          <td>with the job</td>
          <td>{UNKNOWN}</td>
          <td>
            <TensorBoardButton
              open={() => openServer(job.id, {tensorboard: true})}
              disabled={readOnly}
              label="Open"
              of={`TensorBoard of ${job.name ?? job.id}`}
            />
          </td>
        </tr>
      ))}
      {tensorboards.map(board => (
        <tr key={board.id} data-row>
          <th scope="row">
            <Jobs jobs={board.jobs} />
          </th>
          <td>{board.state}</td>
          <td>
            <AgoText at={board.used} />
          </td>
          <td>
            <TimeText at={board.ends} />
          </td>
          <td>{board.problem ?? UNKNOWN}</td>
          <td>
            <TensorBoardButton
              open={() => openTensorBoard(board.id).finally(reload)}
              disabled={readOnly || board.state === "failed"}
              label="Open"
              of={`TensorBoard ${board.id}`}
            />{" "}
            <button type="button" class="danger" disabled={readOnly} onClick={() => stop(board.id)}>
              Stop<span class="sr-only"> TensorBoard {board.id}</span>
            </button>
          </td>
        </tr>
      ))}
    </RowTable>
  );
}
