// `/about`: versions, backends and licences.
import {useEffect, useState} from "preact/hooks";
import {ApiError, getText} from "../api/client";
import type {Health} from "../api/types";
import {Failure} from "../components/failure";
import {ResourceView} from "../components/resource_view";
import {TimeText} from "../components/time_text";
import type {Resource} from "../hooks/use_resource";
import {count, UNKNOWN} from "../pure/format";

const LICENCES = "/assets/licences.txt";

function Backends({health}: {health: Health}) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Backends">
      <table class="plain">
        <caption>Backends</caption>
        <thead>
          <tr>
            <th scope="col">name</th>
            <th scope="col">state</th>
            <th scope="col">since</th>
            <th scope="col" class="numeric">
              jobs
            </th>
            <th scope="col" class="numeric">
              live
            </th>
            <th scope="col">detail</th>
          </tr>
        </thead>
        <tbody>
          {health.backends.map(backend => (
            <tr key={backend.name}>
              <th scope="row">{backend.name}</th>
              <td>{backend.state}</td>
              <td>
                <TimeText at={backend.since} />
              </td>
              <td class="numeric">{count(backend.jobs)}</td>
              <td class="numeric">{count(backend.live)}</td>
              <td>{backend.detail ?? UNKNOWN}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Licences() {
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    getText(LICENCES).then(setText, (reason: unknown) => {
      setError(reason instanceof ApiError ? reason : new ApiError(0, String(reason), null));
    });
  }, []);
  if (error) return <Failure what="The licences" error={error} />;
  return text === null ? (
    <p class="loading" role="status">
      Loading…
    </p>
  ) : (
    <pre class="file" tabIndex={0} aria-label="licences">
      {text}
    </pre>
  );
}

export function AboutPage({health}: {health: Resource<Health>}) {
  return (
    <>
      <h1>About</h1>
      <ResourceView what="The state of the portal" resource={health}>
        {data => (
          <>
            <dl class="facts">
              <div class="fact">
                <dt>Version</dt>
                <dd>{data.version}</dd>
              </div>
              <div class="fact">
                <dt>User</dt>
                <dd>
                  {data.user} on {data.host}
                </dd>
              </div>
              <div class="fact">
                <dt>Running since</dt>
                <dd>
                  <TimeText at={data.started} />
                </dd>
              </div>
              <div class="fact">
                <dt>Changes</dt>
                <dd>{data.read_only ? "not allowed (--read-only)" : "allowed"}</dd>
              </div>
            </dl>
            <Backends health={data} />
          </>
        )}
      </ResourceView>
      <h2>Licences of the code in these pages</h2>
      <p>Howdah itself is licensed under the Apache License 2.0.</p>
      <Licences />
    </>
  );
}
