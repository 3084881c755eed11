import {jobUrl} from "../../api/client";
import type {Finding, JobDetail} from "../../api/types";
import {FindingCard} from "../../components/finding_card";
import {ResourceView} from "../../components/resource_view";
import {useJobResource} from "../../hooks/use_job_resource";

export function AdviceTab({job, version}: {job: JobDetail; version: number}) {
  const advice = useJobResource<{findings: Finding[]}>(jobUrl(job.id, "advice"), version);
  return (
    <ResourceView what="The advice" resource={advice}>
      {({findings}) =>
        findings.length === 0 ? (
          <p class="empty">No advice: no check has found anything to change.</p>
        ) : (
          findings.map(finding => (
            <FindingCard key={`${finding.check} ${finding.role} ${finding.task}`} finding={finding} />
          ))
        )
      }
    </ResourceView>
  );
}
