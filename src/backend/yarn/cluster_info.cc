#include "howdah/backend/yarn/cluster_info.h"

#include <cstdint>

#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/base/epoch.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::backend::yarn {
namespace {

constexpr int64_t kBytesPerMib = int64_t{1} << 20;

// The ResourceManager may report any number.
std::optional<int64_t> Bytes(int64_t mib) {
  if (mib < 0) return std::nullopt;
  return mib > INT64_MAX / kBytesPerMib ? INT64_MAX : mib * kBytesPerMib;
}

std::optional<int64_t> Count(int64_t count) { return count < 0 ? std::nullopt : std::optional(count); }

Amounts AmountsOf(const hadoop::yarn::Resource& resource) {
  return {Bytes(resource.memory_mib), Count(resource.vcores), Count(resource.other(hadoop::yarn::kGpu))};
}

// A queue of the CapacityScheduler has its path or its last part as the name.
std::string PathOf(const ::hadoop::yarn::QueueInfoProto& queue, const std::string& parent) {
  if (!queue.queuepath().empty()) return queue.queuepath();
  const std::string& name = queue.queuename();
  const bool whole = parent.empty() || name.starts_with(parent + ".");
  return whole ? name : parent + "." + name;
}

std::optional<double> Share(bool known, float share) {
  const bool valid = known && share >= 0 && share < 1e6F;  // not NaN
  return valid ? std::optional<double>(share) : std::nullopt;
}

// Fills in the shares and limits of the default partition.
void TakeLimits(const ::hadoop::yarn::QueueInfoProto& report, QueueInfo& queue) {
  queue.capacity_share = Share(report.has_capacity(), report.capacity());
  queue.maximum_share = Share(report.has_maximumcapacity(), report.maximumcapacity());
  for (const auto& partition : report.queueconfigurationsmap()) {
    if (!partition.partitionname().empty()) continue;
    const auto& limits = partition.queueconfigurations();
    queue.capacity_share = Share(limits.has_absolutecapacity(), limits.absolutecapacity());
    queue.maximum_share = Share(limits.has_absolutemaxcapacity(), limits.absolutemaxcapacity());
    queue.master_share = Share(limits.has_maxampercentage(), limits.maxampercentage());
    if (limits.has_effectivemincapacity())
      queue.capacity = AmountsOf(hadoop::yarn::FromProto(limits.effectivemincapacity()));
    if (limits.has_effectivemaxcapacity())
      queue.maximum = AmountsOf(hadoop::yarn::FromProto(limits.effectivemaxcapacity()));
  }
}

// The pending requests of a queue and its descendants.
PendingInfo PendingOf(const ::hadoop::yarn::QueueInfoProto& queue) {
  if (!queue.has_queuestatistics()) return {};
  const auto& statistics = queue.queuestatistics();
  return {Count(statistics.pendingcontainers()),
          {Bytes(statistics.pendingmemorymb()), Count(statistics.pendingvcores()), std::nullopt}};
}

void AddQueues(const ::hadoop::yarn::QueueInfoProto& report, const std::string& parent,
               std::vector<QueueInfo>& queues) {
  QueueInfo queue;
  queue.path = PathOf(report, parent);
  queue.parent = parent;
  queue.leaf = report.childqueues().empty();
  queue.stopped = report.state() != ::hadoop::yarn::Q_RUNNING;
  queue.used_share = Share(report.has_currentcapacity(), report.currentcapacity());
  TakeLimits(report, queue);
  if (report.has_queuestatistics()) {
    const auto& statistics = report.queuestatistics();
    queue.used = {Bytes(statistics.allocatedmemorymb()), Count(statistics.allocatedvcores()), std::nullopt};
    queue.running = Count(statistics.numappsrunning());
    queue.waiting = Count(statistics.numappspending());
  }
  queue.pending = PendingOf(report);
  const std::string path = queue.path;
  queues.push_back(std::move(queue));
  for (const auto& child : report.childqueues()) AddQueues(child, path, queues);
}

}  // namespace

NodeInfo InfoOf(const ::hadoop::yarn::NodeReportProto& report) {
  const NodeFacts facts = FactsOf(report);
  NodeInfo node;
  node.host = facts.host;
  node.port = facts.port;
  node.rack = facts.rack;
  node.label = facts.label;
  node.state = facts.state;
  node.usable = facts.running();
  node.health = facts.health;
  if (report.has_numcontainers()) node.containers = Count(report.numcontainers());
  node.total = AmountsOf(facts.total);
  // The ResourceManager reports no use of a node that it has no scheduler's record of, such as a lost one.
  if (report.has_used()) node.used = AmountsOf(facts.used);
  return node;
}

ApplicationInfo InfoOf(const ::hadoop::yarn::ApplicationReportProto& report) {
  const auto& usage = report.app_resource_usage();
  ApplicationInfo application;
  application.id = hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()));
  application.type = report.applicationtype();
  application.name = report.name();
  application.user = report.user();
  application.queue = report.queue();
  if (usage.has_num_used_containers()) application.containers = Count(usage.num_used_containers());
  application.running =
      report.yarn_application_state() == ::hadoop::yarn::RUNNING || application.containers.value_or(0) > 0;
  if (application.containers && usage.has_used_resources())
    application.used = AmountsOf(hadoop::yarn::FromProto(usage.used_resources()));
  if (report.host() != "N/A") application.master_host = report.host();
  const int64_t submitted = report.submittime() > 0 ? report.submittime() : report.starttime();
  if (submitted > 0) application.submitted = FromMillis(submitted);
  return application;
}

std::vector<QueueInfo> QueuesOf(const ::hadoop::yarn::QueueInfoProto& root) {
  std::vector<QueueInfo> queues;
  AddQueues(root, "", queues);
  return queues;
}

}  // namespace howdah::backend::yarn
