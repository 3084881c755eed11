#include "howdah/backend/yarn/cluster_facts.h"

#include <algorithm>

namespace howdah::backend::yarn {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

std::string StateText(::hadoop::yarn::NodeStateProto state) {
  switch (state) {
    case ::hadoop::yarn::NS_NEW:
      return "NEW";
    case ::hadoop::yarn::NS_RUNNING:
      return "RUNNING";
    case ::hadoop::yarn::NS_UNHEALTHY:
      return "UNHEALTHY";
    case ::hadoop::yarn::NS_DECOMMISSIONED:
      return "DECOMMISSIONED";
    case ::hadoop::yarn::NS_LOST:
      return "LOST";
    case ::hadoop::yarn::NS_REBOOTED:
      return "REBOOTED";
    case ::hadoop::yarn::NS_DECOMMISSIONING:
      return "DECOMMISSIONING";
    case ::hadoop::yarn::NS_SHUTDOWN:
      return "SHUTDOWN";
  }
  return "UNKNOWN";
}

Status FetchQueue(hadoop::yarn::ResourceManager& rm, const std::string& label, ClusterFacts& facts) {
  const auto info = rm.QueueInfo(facts.queue.name, /*with_children=*/true);
  if (!info.ok()) return info.error().code == ErrorCode::kNotFound ? Status() : Status(info.error());
  const std::string asked = facts.queue.name;
  facts.queue = FactsOf(*info, label);
  facts.queue.name = asked;
  ::hadoop::yarn::GetApplicationsRequestProto filter;
  filter.add_queues(asked);
  for (const auto state : {::hadoop::yarn::ACCEPTED, ::hadoop::yarn::RUNNING}) filter.add_application_states(state);
  HOWDAH_TRY(const auto applications, rm.Applications(filter));
  for (const auto& application : applications) facts.queue.applications.push_back(FactsOf(application));
  return {};
}

}  // namespace

NodeFacts FactsOf(const ::hadoop::yarn::NodeReportProto& report) {
  NodeFacts node{report.nodeid().host(),
                 report.nodeid().port(),
                 report.rackname(),
                 report.node_labels_size() > 0 ? report.node_labels(0) : "",
                 StateText(report.node_state()),
                 "",
                 hadoop::yarn::FromProto(report.capability()),
                 hadoop::yarn::FromProto(report.used()),
                 hadoop::yarn::AttributesOf(report)};
  if (!node.running()) node.health = hadoop::yarn::FirstLine(report.health_report());
  return node;
}

QueueFacts FactsOf(const ::hadoop::yarn::QueueInfoProto& info, const std::string& label) {
  QueueFacts queue;
  queue.name = info.queuename();
  queue.exists = true;
  queue.parent = info.childqueues_size() > 0;
  queue.stopped = info.state() == ::hadoop::yarn::Q_STOPPED;
  queue.labels = {info.accessiblenodelabels().begin(), info.accessiblenodelabels().end()};
  for (const auto& partition : info.queueconfigurationsmap()) {
    if (partition.partitionname() != label) continue;
    const auto& limits = partition.queueconfigurations();
    queue.maximum_share = limits.absolutemaxcapacity();
    if (limits.has_maxampercentage()) queue.am_share = limits.maxampercentage();
    if (limits.has_effectivemincapacity()) queue.capacity = hadoop::yarn::FromProto(limits.effectivemincapacity());
    if (limits.has_effectivemaxcapacity()) queue.maximum = hadoop::yarn::FromProto(limits.effectivemaxcapacity());
  }
  // The statistics cover only the nodes without a label.
  if (label.empty() && info.has_queuestatistics()) {
    queue.allocated = hadoop::yarn::Resource{
        info.queuestatistics().allocatedmemorymb(), info.queuestatistics().allocatedvcores(), {}};
  }
  return queue;
}

ApplicationFacts FactsOf(const ::hadoop::yarn::ApplicationReportProto& report) {
  const auto& usage = report.app_resource_usage();
  const std::string id = hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()));
  // RMServerUtils.DUMMY_APPLICATION_RESOURCE_USAGE_REPORT has -1 in all fields.
  if (usage.num_used_containers() < 0) {
    return {id, report.user(), report.yarn_application_state() == ::hadoop::yarn::RUNNING, {}, /*hidden=*/true};
  }
  return {id, report.user(), usage.num_used_containers() > 0, hadoop::yarn::FromProto(usage.used_resources())};
}

std::vector<std::string> AllowedQueues(const std::vector<::hadoop::yarn::QueueUserACLInfoProto>& acls) {
  std::vector<std::string> queues;
  for (const auto& queue : acls) {
    const auto& allowed = queue.useracls();
    const bool submits =
        std::find(allowed.begin(), allowed.end(), ::hadoop::yarn::QACL_SUBMIT_APPLICATIONS) != allowed.end();
    const bool parent = std::any_of(acls.begin(), acls.end(), [&](const auto& other) {
      return other.queuename().starts_with(queue.queuename() + ".");
    });
    if (submits && !parent) queues.push_back(queue.queuename());
  }
  return queues;
}

hadoop::yarn::Resource LargestAmounts(const std::vector<NodeFacts>& nodes) {
  hadoop::yarn::Resource largest;
  for (const NodeFacts& node : nodes) {
    if (!node.running()) continue;
    largest.memory_mib = std::max(largest.memory_mib, node.total.memory_mib);
    largest.vcores = std::max(largest.vcores, node.total.vcores);
    for (const auto& [type, amount] : node.total.others) {
      largest.others[type] = std::max(largest.other(type), amount);
    }
  }
  return largest;
}

hadoop::yarn::Resource NodeFacts::free() const {
  hadoop::yarn::Resource left = total;
  left -= used;
  return left;
}

hadoop::yarn::Resource QueueFacts::visible_use() const {
  hadoop::yarn::Resource sum;
  for (const ApplicationFacts& application : applications) sum += application.used;
  return sum;
}

hadoop::yarn::Resource QueueFacts::used() const {
  hadoop::yarn::Resource sum = visible_use();
  // The statistics of a queue contain only memory and cores, so the sum is better if it is complete.
  const bool incomplete = std::any_of(applications.begin(), applications.end(), [](const auto& a) { return a.hidden; });
  if (incomplete && allocated) {
    sum.memory_mib = std::max(sum.memory_mib, allocated->memory_mib);
    sum.vcores = std::max(sum.vcores, allocated->vcores);
  }
  return sum;
}

Result<ClusterFacts> FetchClusterFacts(hadoop::yarn::ResourceManager& rm, const std::string& user,
                                       const std::string& queue, const std::string& label) {
  ClusterFacts facts;
  facts.user = user;
  facts.queue.name = queue.empty() ? kDefaultQueue : queue;
  HOWDAH_TRY(const auto nodes, rm.ClusterNodes({}));
  for (const auto& node : nodes) facts.nodes.push_back(FactsOf(node));
  HOWDAH_TRY_STATUS(FetchQueue(rm, label, facts));
  HOWDAH_TRY(const auto acls, rm.QueueUserAcls());
  facts.allowed_queues = AllowedQueues(acls);
  HOWDAH_TRY(const auto labels, rm.NodeLabels());
  for (const auto& known : labels) facts.labels.push_back(known.name());
  HOWDAH_TRY(const auto types, rm.ResourceTypes());
  for (const auto& type : types) facts.resource_types.push_back(type.name());
  return facts;
}

hadoop::yarn::Resource ContainerSize(const jobspec::RoleSpec& role) {
  hadoop::yarn::Resource shape;
  shape.memory_mib = (role.memory_bytes + kMebibyte - 1) / kMebibyte;
  shape.vcores = role.vcores;
  if (role.gpus > 0) shape.others[hadoop::yarn::kGpu] = role.gpus;
  for (const jobspec::NamedResource& resource : role.resources) shape.others[resource.name] = resource.amount;
  return shape;
}

std::vector<hadoop::yarn::AttributeCondition> AttributeConditions(const jobspec::RoleSpec& role) {
  std::vector<hadoop::yarn::AttributeCondition> conditions;
  for (const jobspec::NodeAttribute& attribute : role.placement.attributes) {
    conditions.push_back({attribute.name, attribute.values, attribute.none});
  }
  return conditions;
}

std::string NodeLabel(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  return role.node_label.empty() ? spec.node_label : role.node_label;
}

}  // namespace howdah::backend::yarn
