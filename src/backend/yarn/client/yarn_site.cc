#include "yarn_site.h"

#include <algorithm>
#include <set>

#include "doctor.h"
#include "howdah/admission/queue_watch.h"
#include "howdah/autoscale/cluster_link.h"
#include "howdah/backend/queue_view.h"
#include "howdah/backend/yarn/cluster_info.h"
#include "howdah/backend/yarn/gang_queue.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/epoch.h"
#include "howdah/os/process/clock.h"
#include "published.h"
#include "yarn_link.h"

namespace howdah::backend::yarn::client {
namespace {

using ::hadoop::yarn::ApplicationReportProto;

constexpr const char* kRootQueue = "root";  // of the CapacityScheduler and the FairScheduler

// Returns those of all users, as far as the ResourceManager shows them to this one.
Result<std::vector<backend::ApplicationInfo>> LiveApplications(hadoop::yarn::ResourceManager& rm) {
  ::hadoop::yarn::GetApplicationsRequestProto filter;
  for (const auto state : {::hadoop::yarn::NEW, ::hadoop::yarn::NEW_SAVING, ::hadoop::yarn::SUBMITTED,
                           ::hadoop::yarn::ACCEPTED, ::hadoop::yarn::RUNNING}) {
    filter.add_application_states(state);
  }
  HOWDAH_TRY(const auto reports, rm.Applications(filter));
  std::vector<backend::ApplicationInfo> applications;
  for (const auto& report : reports) applications.push_back(InfoOf(report));
  return applications;
}

hadoop::yarn::ApplicationId ApplicationOf(const JobId& id) {
  return hadoop::yarn::ParseApplicationId(id.text).value_or(hadoop::yarn::ApplicationId());
}

// Adds the facts of the report that the queue of gangs does not need.
void AddReport(const ApplicationReportProto& report, backend::QueuedJob& job) {
  const auto& usage = report.app_resource_usage();
  job.id.text = hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()));
  job.name = report.name();
  job.user = report.user();
  job.queue = report.queue();
  job.priority = report.priority().priority();
  job.submitted = FromMillis(report.submittime() > 0 ? report.submittime() : report.starttime());
  backend::SetHeld(job, ToAdmission(hadoop::yarn::FromProto(usage.used_resources())),
                   std::max(usage.num_used_containers(), 0));
}

}  // namespace

std::string YarnSite::User() {
  const auto cluster = connection_.Open(options_);
  return cluster.ok() ? (*cluster)->user() : UserWithoutKerberos(options_.environment, options_.user);
}

Result<backend::ClusterInfo> YarnSite::Info() {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto rm, cluster->Rm());
  backend::ClusterInfo info;
  HOWDAH_TRY(const auto nodes, rm->ClusterNodes({}));
  for (const auto& node : nodes) info.nodes.push_back(InfoOf(node));
  HOWDAH_TRY(info.applications, LiveApplications(*rm));
  const auto root = rm->QueueInfo(kRootQueue, /*with_children=*/true);
  if (!root.ok() && root.error().code != ErrorCode::kNotFound) return root.error();
  if (!root.ok()) return info;
  info.queues = QueuesOf(*root);
  info.pending = info.queues.front().pending;
  return info;
}

std::vector<backend::Finding> YarnSite::CheckSetup() {
  const auto cluster = connection_.Open(options_);
  return client::CheckSetup(options_, cluster.ok() ? Result<HadoopClient*>(*cluster) : cluster.error());
}

Result<std::vector<backend::QueuedJob>> YarnSite::Jobs() {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto rm, cluster->Rm());
  QueueReader reader;
  HOWDAH_TRY_STATUS(reader.ReadApplications(*rm));
  HOWDAH_TRY_STATUS(reader.ReadNodes(*rm));
  std::map<std::string, backend::QueuedJob> jobs;  // by id; also those whose tasks start one by one
  std::set<std::string> labels;
  for (const ApplicationReportProto& report : reader.reports().applications) {
    backend::QueuedJob job;
    AddReport(report, job);
    labels.insert(LabelOf(report));
    jobs[job.id.text] = std::move(job);
  }
  for (const std::string& label : labels) {
    const QueueScope scope{.label = label, .counts_vcores = CountsVcores(reader.reports().nodes)};
    HOWDAH_TRY_STATUS(reader.ReadJobs(*rm, scope, /*with_held=*/true));
    admission::Cluster queue = ClusterOf(reader.reports(), scope);
    const std::vector<admission::Place> places = admission::QueueWatch().Look(queue, os::process::Clock().Now());
    for (const admission::Job& job : queue.jobs) {
      const backend::QueuedJob before = jobs.at(job.id);
      backend::QueuedJob& row = jobs.at(job.id) = backend::QueuedJobOf(queue, places, job);
      row.name = before.name;
      row.submitted = before.submitted;
      row.held = before.held;
      row.held_text = before.held_text;
    }
  }
  std::vector<backend::QueuedJob> rows;
  for (auto& [id, job] : jobs) rows.push_back(std::move(job));
  backend::SortQueue(rows);
  return rows;
}

howdah::Status YarnSite::SetPriority(const JobId& id, int priority) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto rm, cluster->Rm());
  HOWDAH_TRY(const int set, rm->UpdatePriority(ApplicationOf(id), priority));
  if (set == priority) return {};
  const std::string most = std::to_string(set);
  return Error{ErrorCode::kUnavailable, "the priority of " + id.text + " is now " + most +
                                            ", because yarn.cluster.max-application-priority of this cluster is " +
                                            most};
}

howdah::Status YarnSite::MoveToQueue(const JobId& id, const std::string& queue) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto rm, cluster->Rm());
  const howdah::Status moved = rm->MoveToQueue(ApplicationOf(id), queue);
  if (moved.ok() || moved.error().remote_class.empty()) return moved;
  return Error{ErrorCode::kUnavailable, moved.error().message};
}

Result<std::unique_ptr<autoscale::Publication>> YarnSite::Autoscaler() {
  if (options_.autoscaler.empty()) return std::unique_ptr<autoscale::Publication>();
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(auto published, ReadPublished(*cluster, options_.autoscaler));
  return std::make_unique<autoscale::Publication>(std::move(published));
}

Result<std::unique_ptr<autoscale::ClusterLink>> YarnSite::OpenLink(const autoscale::Provider& provider) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  return std::unique_ptr<autoscale::ClusterLink>(std::make_unique<YarnLink>(*cluster, provider));
}

}  // namespace howdah::backend::yarn::client
