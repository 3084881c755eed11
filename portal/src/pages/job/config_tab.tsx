import {useEffect, useState} from "preact/hooks";
import {getText, jobUrl, ApiError} from "../../api/client";
import type {ConfigAnswer, JobDetail} from "../../api/types";
import {DifferenceTable} from "../../components/difference_table";
import {Failure} from "../../components/failure";
import {DownloadLink, Link} from "../../components/link";
import {ResourceView} from "../../components/resource_view";
import {useResource} from "../../hooks/use_resource";
import {jobPath, type Query} from "../../pure/url_state";

function JobFile({id, reveal}: {id: string; reveal: boolean}) {
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  const query: Query = reveal ? {reveal: "1"} : {};
  useEffect(() => {
    let current = true;
    getText(jobUrl(id, "job.yaml", query)).then(
      yaml => {
        if (current) {
          setText(yaml);
          setError(null);
        }
      },
      (reason: unknown) => {
        if (current && reason instanceof ApiError) setError(reason);
      },
    );
    return () => {
      current = false;
    };
  }, [id, reveal]);
  if (error) return <Failure what="The job file" error={error} />;
  return text === null ? (
    <p class="loading" role="status">
      Loading…
    </p>
  ) : (
    <pre class="file" tabIndex={0} aria-label="effective job file">
      {text}
    </pre>
  );
}

export function ConfigTab({job}: {job: JobDetail}) {
  const [reveal, setReveal] = useState(false);
  const config = useResource<ConfigAnswer>(jobUrl(job.id, "config"));
  return (
    <>
      <ResourceView what="The differences to the previous run" resource={config}>
        {({previous, hidden}) => (
          <>
            {hidden.length > 0 && (
              <p>
                {hidden.length === 1 ? "One value looks" : `${hidden.length} values look`} secret:{" "}
                {hidden.join(", ")}.{" "}
                <button type="button" aria-pressed={reveal} onClick={() => setReveal(!reveal)}>
                  {reveal ? "Hide again" : "Reveal"}
                </button>
              </p>
            )}
            <Previous previous={previous} />
          </>
        )}
      </ResourceView>
      <h2>Effective job file</h2>
      <p>
        <DownloadLink to={jobUrl(job.id, "job.yaml", {download: "1"})}>Download job.yaml</DownloadLink>
      </p>
      <JobFile id={job.id} reveal={reveal} />
    </>
  );
}

function Previous({previous}: {previous: ConfigAnswer["previous"]}) {
  if (!previous) return <p class="muted">There is no earlier run of this name.</p>;
  const heading = (
    <h2>
      Differences to <Link to={jobPath(previous.id)}>{previous.id}</Link>
    </h2>
  );
  if (previous.differences.length === 0)
    return (
      <>
        {heading}
        <p>None: both runs have the same job file.</p>
      </>
    );
  return (
    <>
      {heading}
      <DifferenceTable differences={previous.differences} />
    </>
  );
}
