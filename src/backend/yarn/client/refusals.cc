#include "refusals.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "howdah/base/bytes.h"
#include "howdah/base/text.h"
#include "howdah/jobspec/setting.h"
#include "howdah/keyfile/nearest.h"

namespace howdah::backend::yarn::client {
namespace {

bool Has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// The ResourceManager may report allowed queues by name or by full path.
bool IsAllowed(const ClusterFacts& facts) {
  const std::string& name = facts.queue.name;
  return std::any_of(facts.allowed_queues.begin(), facts.allowed_queues.end(), [&](const std::string& allowed) {
    return allowed == name || allowed.ends_with("." + name) || name.ends_with("." + allowed);
  });
}

// Whether each part of the queue's name is printable ASCII that neither begins nor ends with a space. The FairScheduler
// of Hadoop 3.3 creates no queue with an empty part, or with white space at the ends of a part: its ResourceManager
// exits (InvalidQueueNameException in QueueManager.buildNewQueueList). Such a name must never be submitted.
bool IsValidName(std::string_view name) {
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part.front() == ' ' || part.back() == ' ') return false;
    if (!std::all_of(part.begin(), part.end(), [](char c) { return c >= ' ' && c <= '~'; })) return false;
    begin = end + 1;
  }
  return true;
}

// Returns the allowed queue with the most similar name, in the form in which the queue is named: its path, or the last
// part of it. Returns "" if no name is similar.
std::string NearestQueue(const ClusterFacts& facts) {
  const bool is_path = facts.queue.name.find('.') != std::string::npos;
  std::vector<std::string_view> names;
  for (const std::string_view path : facts.allowed_queues) {
    names.push_back(is_path ? path : path.substr(path.rfind('.') + 1));
  }
  return std::string(keyfile::Nearest(facts.queue.name, names));
}

// Returns the key that requests the resource type.
std::string KeyOf(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const std::string& type) {
  const bool is_gpus = type == hadoop::yarn::kGpu && role.gpus > 0;
  return jobspec::SettingName(spec, role, is_gpus ? "gpus" : "resources." + type);
}

// Returns what to change in the role so that a task fits into `most`: "lower roles.worker.memory to 4GiB".
std::string Remedy(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const hadoop::yarn::Resource& most) {
  constexpr int64_t kMib = int64_t{1} << 20;
  const hadoop::yarn::Resource size = ContainerSize(role);
  std::vector<std::string> changes;
  const auto limit = [&](const std::string& key, int64_t wanted, int64_t offered, const std::string& value) {
    if (wanted > offered) changes.push_back(offered > 0 ? "lower " + key + " to " + value : "remove " + key);
  };
  limit(jobspec::SettingName(spec, role, "memory"), size.memory_mib, most.memory_mib,
        BytesToText(std::min(most.memory_mib, INT64_MAX / kMib) * kMib));
  limit(jobspec::SettingName(spec, role, "vcores"), size.vcores, most.vcores, std::to_string(most.vcores));
  for (const auto& [type, amount] : size.others) {
    limit(KeyOf(spec, role, type), amount, most.other(type), std::to_string(most.other(type)));
  }
  return Join(changes);
}

std::string LabelRefusal(const ClusterFacts& facts, const std::string& who, const std::string& label) {
  if (label.empty()) return "";
  if (!Has(facts.labels, label)) {
    return who + ": the node label '" + label + "' does not exist; " +
           (facts.labels.empty() ? "this cluster has no labels: remove node_label"
                                 : "existing labels: " + Join(facts.labels));
  }
  if (facts.queue.exists && !Has(facts.queue.labels, label) && !Has(facts.queue.labels, "*")) {
    return who + ": the queue '" + facts.queue.name + "' may not use nodes with the label '" + label + "'" +
           (facts.queue.labels.empty() ? "" : "; it may use " + Join(facts.queue.labels));
  }
  return "";
}

// Whether a node has the label and is available for jobs, now or later (lost and unhealthy nodes may recover).
bool IsUsable(const NodeFacts& node, const std::string& label) {
  return node.label == label && node.state != "DECOMMISSIONED" && node.state != "SHUTDOWN";
}

// Returns the largest node with the label. Compares the resource types that the request names first, then memory, then
// cores.
const NodeFacts* Largest(const ClusterFacts& facts, const std::string& label, const hadoop::yarn::Resource& size) {
  const NodeFacts* largest = nullptr;
  const auto key = [&](const NodeFacts& node) {
    int64_t others = 0;
    for (const auto& [type, amount] : size.others) others += std::min(node.total.other(type), amount);
    return std::make_tuple(others, node.total.memory_mib, node.total.vcores);
  };
  for (const NodeFacts& node : facts.nodes) {
    if (!IsUsable(node, label)) continue;
    if (largest == nullptr || key(node) > key(*largest)) largest = &node;
  }
  return largest;
}

// Whether a node that may be added holds a task of the role.
bool GrowsFor(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const std::vector<GrowthFacts>& growth) {
  return std::ranges::any_of(growth, [&](const GrowthFacts& some) {
    return some.count > 0 && some.label == NodeLabel(spec, role) && ContainerSize(role).FitsIn(some.node);
  });
}

std::string WithCause(std::string refusal, const ClusterFacts& facts) {
  return refusal + (facts.no_growth.empty() ? "" : "; " + facts.no_growth);
}

// Returns the values that nodes have for the attribute: "v100 (3 nodes), a100 (1 node)"; "" if no node has it.
std::string ValuesText(const ClusterFacts& facts, const std::string& name) {
  std::map<std::string, int> count;
  for (const NodeFacts& node : facts.nodes) {
    for (const auto& [full, value] : node.attributes) {
      if (full == name || full.substr(full.find('/') + 1) == name) ++count[value];
    }
  }
  std::vector<std::string> values;
  for (const auto& [value, nodes] : count) {
    values.push_back(value + " (" + std::to_string(nodes) + (nodes == 1 ? " node)" : " nodes)"));
  }
  return Join(values);
}

// Nodes that an autoscaler may add can have any attributes.
std::string AttributeRefusal(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const ClusterFacts& facts) {
  const std::vector<hadoop::yarn::AttributeCondition> conditions = AttributeConditions(role);
  const std::string label = NodeLabel(spec, role);
  const bool meets = std::ranges::any_of(facts.nodes, [&](const NodeFacts& node) {
    return IsUsable(node, label) && hadoop::yarn::Meets(node.attributes, conditions);
  });
  if (conditions.empty() || meets || !facts.growth.empty()) return "";
  std::string found;
  for (const hadoop::yarn::AttributeCondition& condition : conditions) {
    const std::string values = ValuesText(facts, condition.name);
    found += (found.empty() ? "" : "; ") + condition.name + ": " + (values.empty() ? "no node has it" : values);
  }
  return "roles." + role.name +
         ".placement.attributes: no node meets the conditions. Attributes of the nodes: " + found;
}

std::string SizeRefusal(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const ClusterFacts& facts) {
  const hadoop::yarn::Resource size = ContainerSize(role);
  const std::string who = "roles." + role.name;
  for (const auto& [type, amount] : size.others) {
    if (Has(facts.resource_types, type)) continue;
    return who + " requests " + std::to_string(amount) + " " + type +
           ", which is not a resource type of this cluster; its types: " + Join(facts.resource_types) + "; remove " +
           KeyOf(spec, role, type);
  }
  const std::string label = NodeLabel(spec, role);
  if (const std::string why = LabelRefusal(facts, who, label); !why.empty()) return why;
  const bool fits = GrowsFor(spec, role, facts.growth) ||
                    std::any_of(facts.nodes.begin(), facts.nodes.end(), [&](const NodeFacts& node) {
                      return IsUsable(node, label) && size.FitsIn(node.total);
                    });
  const NodeFacts* largest = Largest(facts, label, size);
  if (fits || largest == nullptr) return "";  // if no node has the label, the job waits for one
  return WithCause("no node is large enough: " + who + " requests " + ToText(size) + " per task; the largest node" +
                       (label.empty() ? "" : " with the label '" + label + "'") + ", " + largest->host + ", has " +
                       ToText(largest->total) + "; " + Remedy(spec, role, largest->total),
                   facts);
}

// The queue's maximum on nodes with the label, as soon as the autoscaler has added all that it may.
hadoop::yarn::Resource MostOfQueue(const ClusterFacts& facts, const std::string& label) {
  hadoop::yarn::Resource most = *facts.queue.maximum;
  // The ResourceManager may report any number as a share.
  const double reported = facts.queue.maximum_share;
  const double share = std::isnan(reported) ? 1 : std::clamp(reported, 0.0, 1.0);
  for (const GrowthFacts& some : facts.growth) {
    if (some.label != label) continue;
    const auto part = [&](int64_t amount) {
      return static_cast<int64_t>(static_cast<double>(amount) * some.count * share);
    };
    most.memory_mib += part(some.node.memory_mib);
    most.vcores += part(some.node.vcores);
    for (const auto& [type, amount] : some.node.others) most.others[type] += part(amount);
  }
  return most;
}

std::string GangRefusal(const jobspec::JobSpec& spec, const ClusterFacts& facts) {
  if (!facts.queue.maximum || spec.start != jobspec::StartMode::kGang) return "";
  hadoop::yarn::Resource all;
  for (const jobspec::RoleSpec& role : spec.roles) {
    // The queue's maximum does not apply to other partitions.
    if (NodeLabel(spec, role) != spec.node_label) return "";
    for (int i = 0; i < role.instances.min; ++i) all += ContainerSize(role);
  }
  if (facts.queue.maximum->memory_mib == 0) return "";
  const hadoop::yarn::Resource most = MostOfQueue(facts, spec.node_label);
  if (all.memory_mib <= most.memory_mib) return "";
  return WithCause("the tasks that start together request " + ToText(all) + " in total, but the queue '" +
                       facts.queue.name + "' can never have more than " + ToText(most) +
                       (facts.growth.empty() ? "" : ", even with all nodes that the autoscaler may add") +
                       "; request less, use another queue, or set start: free",
                   facts);
}

// One of YARN's tags is the gang tag. (YarnConfiguration.APPLICATION_MAX_TAGS)
std::string TagRefusal(const jobspec::JobSpec& spec) {
  constexpr size_t kMostTags = 9;
  if (spec.tags.size() <= kMostTags) return "";
  return "tags: YARN keeps ten tags of an application, and one of them is Howdah's, so a job may have nine; it has " +
         std::to_string(spec.tags.size());
}

// The tasks run on other machines. A path without a scheme is on the submitting one.
void RefuseLocalFiles(const jobspec::JobSpec& spec, std::vector<std::string>& refusals) {
  for (const jobspec::FeedSpec& feed : spec.feeds) {
    const auto local = std::find_if(feed.from.begin(), feed.from.end(),
                                    [](const std::string& from) { return from.find("://") == std::string::npos; });
    if (local == feed.from.end()) continue;
    refusals.push_back("feeds." + feed.name + ".from: " + *local +
                       " is on this machine, and the tasks run on other nodes; copy it to HDFS and write hdfs:///..., "
                       "or, if every node has this path, write file://" +
                       *local);
  }
}

}  // namespace

std::string QueueProblem(const ClusterFacts& facts) {
  const std::string may = facts.allowed_queues.empty()
                              ? "; " + facts.user + " may not submit to any queue of this cluster"
                              : "; " + facts.user + " may submit to " + Join(facts.allowed_queues);
  if (!facts.queue.exists && !IsValidName(facts.queue.name)) {
    return "the queue '" + facts.queue.name +
           "' does not exist, and cannot be created, because a part of its name is empty, begins or ends with a space, "
           "or has characters other than printable ASCII" +
           may;
  }
  if (!facts.queue.exists) {
    const std::string nearest = NearestQueue(facts);
    return "the queue '" + facts.queue.name + "' does not exist" +
           (nearest.empty() ? "" : "; the nearest name is '" + nearest + "'") + may;
  }
  if (facts.queue.parent) {
    return "the queue '" + facts.queue.name + "' is a parent queue, and only leaf queues accept jobs" + may;
  }
  if (facts.queue.stopped) return "the queue '" + facts.queue.name + "' is stopped and accepts no jobs" + may;
  if (!IsAllowed(facts)) return facts.user + " may not submit to the queue '" + facts.queue.name + "'" + may;
  return "";
}

bool IsQueueOpen(const ClusterFacts& facts) {
  return facts.queue.exists ? facts.queue.name == kDefaultQueue : IsValidName(facts.queue.name);
}

std::vector<std::string> OversizedContainers(const jobspec::JobSpec& spec, const hadoop::yarn::Resource& maximum,
                                             const std::vector<GrowthFacts>& growth) {
  std::vector<std::string> refusals;
  for (const jobspec::RoleSpec& role : spec.roles) {
    const bool waits_for_room = spec.start == jobspec::StartMode::kGang && GrowsFor(spec, role, growth);
    if (waits_for_room || ContainerSize(role).FitsIn(maximum)) continue;
    refusals.push_back("roles." + role.name + " requests " + ToText(ContainerSize(role)) +
                       " per task; the ResourceManager grants at most " + ToText(maximum) +
                       " per container (yarn.scheduler.maximum-allocation-mb, -vcores); " +
                       Remedy(spec, role, maximum));
  }
  return refusals;
}

std::vector<std::string> RefusalsOf(const jobspec::JobSpec& spec, const ClusterFacts& facts) {
  std::vector<std::string> refusals;
  if (std::string why = QueueProblem(facts); !why.empty() && !IsQueueOpen(facts)) refusals.push_back(std::move(why));
  if (std::string why = TagRefusal(spec); !why.empty()) refusals.push_back(std::move(why));
  RefuseLocalFiles(spec, refusals);
  for (const jobspec::RoleSpec& role : spec.roles) {
    if (std::string why = SizeRefusal(spec, role, facts); !why.empty()) refusals.push_back(std::move(why));
    if (std::string why = AttributeRefusal(spec, role, facts); !why.empty()) refusals.push_back(std::move(why));
  }
  if (!refusals.empty()) return refusals;
  if (std::string why = GangRefusal(spec, facts); !why.empty()) refusals.push_back(std::move(why));
  return refusals;
}

}  // namespace howdah::backend::yarn::client
