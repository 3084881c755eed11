#include "howdah/backend/yarn/gang_queue.h"

#include <algorithm>
#include <set>
#include <utility>

#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/base/epoch.h"
#include "howdah/core/policy/gang.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn {
namespace {

using ::hadoop::yarn::ApplicationReportProto;

std::string IdOf(const ApplicationReportProto& report) {
  return hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()));
}

std::string AttemptOf(const ApplicationReportProto& report) {
  return hadoop::yarn::ToText(hadoop::yarn::FromProto(report.currentapplicationattemptid()));
}

std::string NameOf(const ::hadoop::yarn::NodeIdProto& node) {
  return hadoop::yarn::ToText(hadoop::yarn::FromProto(node));
}

std::string LabelOfNode(const ::hadoop::yarn::NodeReportProto& node) {
  return node.node_labels_size() > 0 ? node.node_labels(0) : "";
}

std::optional<admission::Demand> DemandOf(const ApplicationReportProto& report) {
  for (const std::string& tag : report.applicationtags()) {
    if (auto demand = admission::ParseTag(tag)) return demand;
  }
  return std::nullopt;
}

// The time that stands for the submission in the order of the queue. Schedulers serve applications in the order of
// their ids (SchedulerApplicationAttempt.compareInputOrderTo), which can differ from the times of their submissions.
Instant PlaceInTime(const hadoop::yarn::ApplicationId& id) {
  return FromMillis(id.cluster_timestamp) + std::chrono::milliseconds(id.id);
}

// Whether the first gang of the job is complete, as far as its AM has said so.
bool IsComplete(const ApplicationReportProto& report) { return report.progress() > 0; }

// The earliest time at which the first gang can have been complete.
Instant LaunchOf(const ApplicationReportProto& report) {
  return FromMillis(report.launchtime() > 0 ? report.launchtime() : report.starttime());
}

// The AM has a container, whether it runs already or not.
bool HasAm(const ApplicationReportProto& report) { return report.app_resource_usage().num_used_containers() > 0; }

// Removes the tasks that have a container. Reports have only sums, so the largest tasks that fit into the sum of the
// containers are taken to have them.
std::vector<admission::Tasks> Missing(std::vector<admission::Tasks> tasks, int containers, admission::Resources held) {
  std::stable_sort(tasks.begin(), tasks.end(), [](const admission::Tasks& a, const admission::Tasks& b) {
    return std::pair(a.each.gpus, a.each.memory_mib) > std::pair(b.each.gpus, b.each.memory_mib);
  });
  for (admission::Tasks& some : tasks) {
    while (some.count > 0 && containers > 0 && admission::Fits(some.each, held)) {
      held -= some.each;
      --some.count;
      --containers;
    }
  }
  std::erase_if(tasks, [](const admission::Tasks& some) { return some.count == 0; });
  return tasks;
}

// The containers of the role as the scheduler grants them.
admission::Resources GrantedFor(const jobspec::RoleSpec& role, int64_t least_memory_mib) {
  admission::Resources each = ToAdmission(ContainerSize(role));
  if (least_memory_mib > 0) {
    each.memory_mib = (each.memory_mib + least_memory_mib - 1) / least_memory_mib * least_memory_mib;
  }
  return each;
}

// Turns reports into the jobs and nodes of a scope.
class Conversion {
 public:
  Conversion(const QueueReports& reports, const QueueScope& scope) : reports_(reports), scope_(scope) {}

  std::optional<admission::Job> JobOf(const ApplicationReportProto& report) const {
    auto demand = DemandOf(report);
    if (!demand || LabelOf(report) != scope_.label) return std::nullopt;
    for (admission::Tasks& some : demand->tasks) some.each = Counted(some.each);
    admission::Job job;
    job.id = IdOf(report);
    job.user = report.user();
    job.queue = report.queue();
    job.priority = report.priority().priority();
    job.submitted = PlaceInTime(hadoop::yarn::FromProto(report.applicationid()));
    job.demand = std::move(*demand);
    job.am_size = Counted(scope_.am_size);
    job.am_attempts = report.currentapplicationattemptid().attemptid();
    if (HasAm(report)) AddContainers(report, job);
    if (IsComplete(report) || job.demand.tasks.empty()) job.complete = LaunchOf(report);
    if (const auto held = reports_.held.find(job.id); held != reports_.held.end()) {
      for (const auto& [node, amount] : held->second) job.held[node] = Counted(amount);
    }
    return job;
  }

  admission::Node NodeOf(const ::hadoop::yarn::NodeReportProto& report) const {
    const admission::Resources total = ToAdmission(hadoop::yarn::FromProto(report.capability()));
    const admission::Resources used = ToAdmission(hadoop::yarn::FromProto(report.used()));
    return {NameOf(report.nodeid()), Counted(total), Counted(total - used)};
  }

  void AddLimits(const std::string& name, const ::hadoop::yarn::QueueInfoProto& info, admission::Limits& limits) const {
    // The statistics cover the default partition only.
    const auto maximum = FactsOf(info, scope_.label).maximum;
    if (!scope_.label.empty() || !maximum || maximum->memory_mib == 0 || !info.has_queuestatistics()) return;
    constexpr int64_t kUnlimited = INT64_MAX / 4;
    const auto& used = info.queuestatistics();
    admission::Resources left{maximum->memory_mib - used.allocatedmemorymb(),
                              scope_.counts_vcores ? maximum->vcores - used.allocatedvcores() : kUnlimited,
                              kUnlimited,
                              {}};
    for (const auto& [type, amount] : maximum->others) left.others[type] = kUnlimited;
    limits.queue[name] = std::move(left);
  }

 private:
  admission::Resources Counted(admission::Resources amount) const {
    if (!scope_.counts_vcores) amount.vcores = 0;
    return amount;
  }

  // Adds the AM's container, and takes the tasks that have a container out of the demand.
  void AddContainers(const ApplicationReportProto& report, admission::Job& job) const {
    const auto& usage = report.app_resource_usage();
    admission::Resources used = Counted(ToAdmission(hadoop::yarn::FromProto(usage.used_resources())));
    const auto known = reports_.ams.find(AttemptOf(report));
    job.am = known == reports_.ams.end() ? admission::AmContainer{"", job.am_size} : known->second;
    job.am->size = Counted(job.am->size);
    if (known == reports_.ams.end() && usage.num_used_containers() == 1) job.am->size = used;
    job.may_step_aside = known != reports_.ams.end();
    used -= job.am->size;
    job.demand.tasks = Missing(std::move(job.demand.tasks), usage.num_used_containers() - 1, used);
  }

  const QueueReports& reports_;
  const QueueScope& scope_;
};

}  // namespace

std::string LabelOf(const ApplicationReportProto& report) {
  const std::string& label = report.appnodelabelexpression();
  return label == "<Not set>" || label == "<DEFAULT_PARTITION>" ? "" : label;  // NodeLabel in Hadoop
}

admission::Resources ToAdmission(const hadoop::yarn::Resource& resource) {
  static constexpr int64_t kMost = 1'000'000'000;  // of a node, in MiB: sums of many cannot overflow
  const auto bounded = [](int64_t some) { return std::clamp(some, int64_t{0}, int64_t{kMost}); };
  admission::Resources amount{
      bounded(resource.memory_mib), bounded(resource.vcores), bounded(resource.other(hadoop::yarn::kGpu)), {}};
  for (const auto& [type, count] : resource.others) {
    if (type != hadoop::yarn::kGpu) amount.others[type] = bounded(count);
  }
  return amount;
}

std::optional<std::string> GangTag(const jobspec::JobSpec& spec, int64_t least_memory_mib) {
  admission::Demand demand;
  demand.run = spec.timeouts.run;
  for (const int index : core::policy::FirstGang(spec)) {
    const jobspec::RoleSpec& role = spec.roles[static_cast<size_t>(index)];
    if (NodeLabel(spec, role) != spec.node_label) continue;
    demand.Add(role.instances.min, GrantedFor(role, least_memory_mib));
  }
  if (demand.tasks.empty()) return std::nullopt;
  return admission::ToTag(demand);
}

std::optional<std::string> OptionalTag(const jobspec::JobSpec& spec, int64_t least_memory_mib) {
  admission::Demand demand;
  for (const jobspec::RoleSpec& role : spec.roles) {
    const int count = role.instances.max - role.instances.min;
    if (count > 0) demand.Add(count, GrantedFor(role, least_memory_mib));
  }
  if (demand.tasks.empty()) return std::nullopt;
  return admission::ToOptionalTag(demand.tasks);
}

std::vector<admission::Tasks> OptionalTasksOf(const ApplicationReportProto& report) {
  for (const std::string& tag : report.applicationtags()) {
    if (auto tasks = admission::ParseOptionalTag(tag)) return std::move(*tasks);
  }
  return {};
}

bool CountsVcores(const std::vector<::hadoop::yarn::NodeReportProto>& nodes) {
  return std::ranges::none_of(nodes, [](const auto& node) {
    return hadoop::yarn::FromProto(node.used()).vcores > hadoop::yarn::FromProto(node.capability()).vcores;
  });
}

admission::Cluster ClusterOf(const QueueReports& reports, const QueueScope& scope) {
  const Conversion conversion(reports, scope);
  admission::Cluster cluster;
  for (const auto& node : reports.nodes) {
    const std::string label = LabelOfNode(node);
    const bool is_shared = scope.label.empty() && reports.shared_labels.contains(label);
    if (label == scope.label || is_shared) cluster.nodes.push_back(conversion.NodeOf(node));
  }
  for (const auto& application : reports.applications) {
    if (auto job = conversion.JobOf(application)) cluster.jobs.push_back(std::move(*job));
  }
  for (const auto& [name, info] : reports.queues) conversion.AddLimits(name, info, cluster.limits);
  return cluster;
}

Status QueueReader::ReadApplications(hadoop::yarn::ResourceManager& rm) {
  ::hadoop::yarn::GetApplicationsRequestProto filter;
  filter.add_application_types(kApplicationType);
  for (const auto state : {::hadoop::yarn::SUBMITTED, ::hadoop::yarn::ACCEPTED, ::hadoop::yarn::RUNNING}) {
    filter.add_application_states(state);
  }
  HOWDAH_TRY(reports_.applications, rm.Applications(filter));
  reports_.held.clear();
  reports_.queues.clear();
  return {};
}

Status QueueReader::ReadNodes(hadoop::yarn::ResourceManager& rm) {
  HOWDAH_TRY(reports_.nodes, rm.ClusterNodes());
  const bool has_labels =
      std::ranges::any_of(reports_.nodes, [](const auto& node) { return !LabelOfNode(node).empty(); });
  reports_.shared_labels.clear();
  if (has_labels) {
    HOWDAH_TRY(const auto labels, rm.NodeLabels());
    for (const auto& label : labels) {
      if (!label.isexclusive()) reports_.shared_labels.insert(label.name());
    }
  }
  return {};
}

Status QueueReader::ReadJobs(hadoop::yarn::ResourceManager& rm, const QueueScope& scope, bool with_held) {
  std::set<std::string> attempts, applications;
  for (const ApplicationReportProto& application : reports_.applications) {
    attempts.insert(AttemptOf(application));
    applications.insert(IdOf(application));
  }
  std::erase_if(reports_.ams, [&](const auto& entry) { return !attempts.contains(entry.first); });
  std::erase_if(held_, [&](const auto& entry) { return !applications.contains(entry.first); });
  for (const ApplicationReportProto& application : reports_.applications) {
    const auto demand = DemandOf(application);
    if (!demand || LabelOf(application) != scope.label || !HasAm(application)) continue;
    if (!IsComplete(application)) {
      ReadAm(rm, application);
    } else if (with_held && demand->run) {
      ReadHeld(rm, application);
    }
  }
  return ReadQueues(rm, ClusterOf(reports_, scope));
}

Status QueueReader::ReadQueues(hadoop::yarn::ResourceManager& rm, const admission::Cluster& cluster) {
  for (const admission::Job& job : cluster.jobs) {
    if (!job.waits() || reports_.queues.contains(job.queue)) continue;
    auto info = rm.QueueInfo(job.queue);
    if (!info.ok() && info.error().code != ErrorCode::kNotFound) return info.error();
    if (info.ok()) reports_.queues[job.queue] = std::move(*info);
  }
  return {};
}

// The AM of an attempt never moves, so it is read once.
void QueueReader::ReadAm(hadoop::yarn::ResourceManager& rm, const ApplicationReportProto& application) {
  const std::string attempt = AttemptOf(application);
  if (reports_.ams.contains(attempt)) return;
  const hadoop::yarn::AttemptId id = hadoop::yarn::FromProto(application.currentapplicationattemptid());
  const auto containers = rm.Containers(id);
  if (!containers.ok()) return;
  // The AM's container is the first of its attempt.
  const ::hadoop::yarn::ContainerReportProto* am = nullptr;
  for (const auto& container : *containers) {
    const auto container_id = hadoop::yarn::FromProto(container.container_id());
    if (container_id.attempt != id) continue;
    if (am == nullptr || container_id.number() < hadoop::yarn::FromProto(am->container_id()).number()) am = &container;
  }
  if (am == nullptr) return;
  reports_.ams[attempt] = {NameOf(am->node_id()), ToAdmission(hadoop::yarn::FromProto(am->resource()))};
}

// The number of containers shows whether they have changed.
void QueueReader::ReadHeld(hadoop::yarn::ResourceManager& rm, const ApplicationReportProto& application) {
  const std::string id = IdOf(application);
  const int containers = application.app_resource_usage().num_used_containers();
  const auto known = held_.find(id);
  if (known == held_.end() || known->second.containers != containers) {
    const auto reports = rm.Containers(hadoop::yarn::FromProto(application.currentapplicationattemptid()));
    if (!reports.ok()) return;
    HeldAt held{containers, {}};
    for (const auto& container : *reports) {
      if (container.container_state() == ::hadoop::yarn::C_COMPLETE) continue;
      held.by_node[NameOf(container.node_id())] += ToAdmission(hadoop::yarn::FromProto(container.resource()));
    }
    held_[id] = std::move(held);
  }
  reports_.held[id] = held_.at(id).by_node;
}

}  // namespace howdah::backend::yarn
