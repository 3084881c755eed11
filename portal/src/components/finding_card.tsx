import type {Finding, Saving} from "../api/types";
import {count} from "../pure/format";
import {shellQuoted} from "../pure/shell_command";
import {jobPath} from "../pure/url_state";
import {CopyText} from "./copy_text";
import {Link} from "./link";
import {SeverityBadge} from "./severity_badge";

function amounts(saving: Omit<Saving, "per_week">): string {
  const parts = [
    [saving.gpu_hours, "GPU h"],
    [saving.memory_gib_hours, "GiB h"],
    [saving.vcore_hours, "vcore h"],
    [saving.hours, "h"],
  ] as const;
  return parts
    .filter(([amount]) => amount > 0)
    .map(([amount, unit]) => `${count(amount)} ${unit}`)
    .join(", ");
}

export function FindingCard({finding}: {finding: Finding}) {
  const {change, saving, job} = finding;
  const perRun = saving ? amounts(saving) : "";
  const perWeek = saving?.per_week ? amounts(saving.per_week) : "";
  const set = change?.set ?? [];
  return (
    <article class="card finding" data-row>
      <h2>
        <Link to={`/advice/${encodeURIComponent(finding.check)}`}>{finding.check}</Link>{" "}
        <SeverityBadge severity={finding.severity} />
      </h2>
      <p>{finding.text}</p>
      {job && (
        <p>
          <Link to={jobPath(job.id)} query={{tab: "advice"}}>
            {job.name}
          </Link>{" "}
          <code>{job.id}</code>
          {job.user && ` ${job.user}`}
        </p>
      )}
      <ul class="evidence">
        {(finding.evidence ?? []).map(line => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {change?.yaml && <CopyText text={change.yaml} label="change of the job file" />}
      {set.length > 0 && (
        <CopyText text={set.map(change => `--set ${shellQuoted(change)}`).join(" ")} label="arguments of howdah run" />
      )}
      {change?.other && <p>{change.other}</p>}
      <p class="muted">
        {perRun ? `saves ${perRun} per run` : "saving not known"}
        {perWeek && `, ${perWeek} per week`}
        {" · "}confidence {finding.confidence}
        {finding.runs > 1 && `, ${finding.runs} runs`}
      </p>
    </article>
  );
}
