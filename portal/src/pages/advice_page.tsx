// `/advice`: what to change, over all jobs. `/advice/CHECK`: the same for one check, with its explanation.
import {apiUrl} from "../api/client";
import type {Check, Finding} from "../api/types";
import {ChoiceBox} from "../components/choice_box";
import {FindingCard} from "../components/finding_card";
import {Link} from "../components/link";
import {Notes} from "../components/notes";
import {ResourceView} from "../components/resource_view";
import {setQuery, useLocation} from "../hooks/use_location";
import {useResource} from "../hooks/use_resource";
import {plural} from "../pure/format";

const SINCE = ["1d", "7d", "30d"];
const DEFAULT_SINCE = "7d";
const SEVERITIES = ["low", "moderate", "severe", "critical"];

function Explanation({check}: {check: Check}) {
  return (
    <dl class="explanation">
      <dt>Examines</dt>
      <dd>{check.examines}</dd>
      <dt>Why</dt>
      <dd>{check.why}</dd>
      <dt>Fix</dt>
      <dd>{check.fix}</dd>
    </dl>
  );
}

function CheckList({checks}: {checks: readonly Check[]}) {
  return (
    <details class="checks">
      <summary>All checks</summary>
      <ul>
        {checks.map(check => (
          <li key={check.check}>
            <Link to={`/advice/${encodeURIComponent(check.check)}`}>{check.check}</Link>: {check.examines}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function AdvicePage({check}: {check: string | null}) {
  const {query} = useLocation();
  const since = query["since"] ?? DEFAULT_SINCE;
  const severity = query["severity"] ?? "";
  const user = query["user"] ?? "";
  const choices = SINCE.includes(since) ? SINCE : [since, ...SINCE];
  const advice = useResource<{findings: Finding[]; notes?: string[]}>(
    apiUrl("advice", {since, user, check: check ?? ""}),
    true,
  );
  const checks = useResource<{checks: Check[]}>(apiUrl("advice/checks"));
  const explained = checks.data?.checks.find(one => one.check === check);
  const least = SEVERITIES.indexOf(severity);
  return (
    <>
      <h1>{check ? `Advice: ${check}` : "Advice"}</h1>
      {check && (
        <p>
          <Link to="/advice">All advice</Link>
        </p>
      )}
      {explained && <Explanation check={explained} />}
      {check && checks.data && !explained && <p class="problem">There is no check “{check}”.</p>}
      <div class="toolbar">
        <ChoiceBox label="Since" value={since} choices={choices} change={value => setQuery({since: value}, true)} />
        <label>
          Severity{" "}
          <select value={severity} onChange={event => setQuery({severity: event.currentTarget.value}, true)}>
            <option value="">any</option>
            {SEVERITIES.map(name => (
              <option key={name} value={name}>
                at least {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          User{" "}
          <input
            data-filter
            value={user}
            size={10}
            spellcheck={false}
            onChange={event => setQuery({user: event.currentTarget.value.trim()}, true)}
          />
        </label>
      </div>
      <ResourceView what="The advice" resource={advice}>
        {({findings, notes}) => {
          const shown = findings.filter(finding => SEVERITIES.indexOf(finding.severity) >= least);
          return (
            <>
              <Notes notes={notes} />
              <p class="muted" role="status">
                {plural(shown.length, "finding")}, largest saving first
              </p>
              {shown.length === 0 && <p class="empty">No advice for the jobs of this time.</p>}
              {shown.map(finding => (
                <FindingCard
                  key={`${finding.job?.id} ${finding.check} ${finding.role} ${finding.task}`}
                  finding={finding}
                />
              ))}
            </>
          );
        }}
      </ResourceView>
      {checks.data && <CheckList checks={checks.data.checks} />}
    </>
  );
}
