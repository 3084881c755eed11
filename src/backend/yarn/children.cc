#include "howdah/backend/yarn/children.h"

#include <algorithm>

#include "howdah/core/child_tag.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn {
namespace {

using ::hadoop::yarn::ApplicationReportProto;

constexpr Duration kKillLimit = std::chrono::seconds(10);

Result<std::vector<ApplicationReportProto>> Children(hadoop::yarn::ResourceManager& rm, const JobId& job) {
  ::hadoop::yarn::GetApplicationsRequestProto filter;
  filter.add_applicationtags(core::ChildTag(job.text));
  return rm.Applications(filter);
}

bool Ended(const ApplicationReportProto& report) {
  const auto state = report.yarn_application_state();
  return state == ::hadoop::yarn::FINISHED || state == ::hadoop::yarn::FAILED || state == ::hadoop::yarn::KILLED;
}

// A finished application may have reported a failure.
std::string StateOf(const ApplicationReportProto& report) {
  if (report.yarn_application_state() != ::hadoop::yarn::FINISHED)
    return ::hadoop::yarn::YarnApplicationStateProto_Name(report.yarn_application_state());
  switch (report.final_application_status()) {
    case ::hadoop::yarn::APP_FAILED:
      return "FAILED";
    case ::hadoop::yarn::APP_KILLED:
      return "KILLED";
    default:
      return "FINISHED";
  }
}

}  // namespace

Result<std::vector<journal::ChildView>> ChildrenOf(HadoopClient& cluster, const JobId& job) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  HOWDAH_TRY(const auto reports, Children(*rm, job));
  std::vector<journal::ChildView> children;
  for (const ApplicationReportProto& report : reports) {
    children.push_back({hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid())), report.name(),
                        report.applicationtype(), StateOf(report), report.trackingurl()});
  }
  std::sort(children.begin(), children.end(),
            [](const journal::ChildView& a, const journal::ChildView& b) { return a.id < b.id; });
  return children;
}

Status KillChildren(HadoopClient& cluster, const JobId& job) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  HOWDAH_TRY(const auto reports, Children(*rm, job));
  Status first;
  for (const ApplicationReportProto& report : reports) {
    if (Ended(report)) continue;
    const Status killed =
        rm->Kill(hadoop::yarn::FromProto(report.applicationid()),
                 "the Howdah job " + job.text + ", which started this application, has ended", kKillLimit);
    if (!killed.ok() && first.ok()) first = killed;
  }
  return first;
}

}  // namespace howdah::backend::yarn
