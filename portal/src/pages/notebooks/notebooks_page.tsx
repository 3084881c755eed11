// `/notebooks`: running notebooks, and TensorBoards.
import {useEffect, useState} from "preact/hooks";
import {apiUrl} from "../../api/client";
import type {Health, NotebooksAnswer, TensorBoardsAnswer} from "../../api/types";
import {LiveMark} from "../../components/live_mark";
import {ResourceView} from "../../components/resource_view";
import {useLive, useThrottled} from "../../hooks/use_live";
import {useResource} from "../../hooks/use_resource";
import {NewNotebook} from "./new_notebook";
import {NotebookTable} from "./notebook_table";
import {TensorBoardTable} from "./tensorboard_table";

const RELOAD_MS = 1000;
const USE_MS = 10_000; // how often the times of use are read: the use of a server causes no event

export function NotebooksPage({health}: {health: Health | null}) {
  const notebooks = useResource<NotebooksAnswer>(apiUrl("notebooks"), true);
  const boards = useResource<TensorBoardsAnswer>(apiUrl("tensorboards"), true);
  const [asking, setAsking] = useState(false);
  const reload = () => {
    notebooks.reload();
    boards.reload();
  };
  const soon = useThrottled(reload, RELOAD_MS);
  const live = useLive("jobs", () => ["jobs"], {reload, event: soon});
  useEffect(() => {
    const timer = window.setInterval(() => {
      if (!document.hidden) reload();
    }, USE_MS);
    return () => window.clearInterval(timer);
  }, [notebooks.reload, boards.reload]);
  const readOnly = health?.read_only ?? false;
  return (
    <>
      <div class="job-top">
        <h1>Notebooks</h1>
        <LiveMark state={live} />
        <div class="buttons">
          <button type="button" disabled={readOnly || !health} onClick={() => setAsking(true)}>
            New notebook…
          </button>
        </div>
      </div>
      <ResourceView what="The list of notebooks" resource={notebooks}>
        {data => <NotebookTable rows={data.notebooks} readOnly={readOnly} />}
      </ResourceView>
      <h2>TensorBoards</h2>
      <ResourceView what="The list of TensorBoards" resource={boards}>
        {data => <TensorBoardTable answer={data} readOnly={readOnly} reload={boards.reload} />}
      </ResourceView>
      {asking && health && (
        <NewNotebook
          backends={health.backends.filter(backend => backend.runs_jobs).map(backend => backend.name)}
          close={() => setAsking(false)}
        />
      )}
    </>
  );
}
