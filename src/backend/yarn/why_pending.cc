#include "howdah/backend/yarn/why_pending.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "howdah/base/text.h"

namespace howdah::backend::yarn {
namespace {

constexpr size_t kMaxListed = 3;

// The ResourceManager may report any number as a share.
std::string Percent(double share) {
  constexpr double kMost = 1000;
  const int tenths = std::isnan(share) ? 0 : static_cast<int>(std::clamp(share, 0.0, kMost) * 1000 + 0.5);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " %";
}

// Returns a text such as "2 more containers of 256 MiB, 1 core for worker".
std::string Describe(const PendingContainers& request, const std::string& more) {
  const std::string size = request.size == hadoop::yarn::Resource() ? "" : " of " + ToText(request.size);
  return std::to_string(request.count) + more + (request.count == 1 ? " container" : " containers") + size + " for " +
         request.role;
}

std::string Describe(const std::vector<PendingContainers>& pending, const std::string& more) {
  std::string text;
  for (const PendingContainers& request : pending) text += (text.empty() ? "" : ", ") + Describe(request, more);
  return text;
}

std::string Needs(const std::vector<PendingContainers>& pending) {
  return "this job needs " + Describe(pending, " more");
}

std::string Node(const NodeFacts& node) {
  return node.host + " is " + node.state + (node.health.empty() ? "" : " (" + node.health + ")");
}

// Returns the number of nodes in each state, such as "3 RUNNING, 1 LOST".
std::string ByState(const std::vector<const NodeFacts*>& nodes) {
  std::map<std::string, int> counts;
  for (const NodeFacts* node : nodes) ++counts[node->state];
  std::string text;
  for (const auto& [state, count] : counts) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + state;
  return text;
}

std::vector<const NodeFacts*> NodesOf(const ClusterFacts& facts, const std::string& label) {
  std::vector<const NodeFacts*> nodes;
  for (const NodeFacts& node : facts.nodes) {
    if (node.label == label) nodes.push_back(&node);
  }
  return nodes;
}

bool NoneIsRunning(const std::vector<const NodeFacts*>& nodes) {
  return std::none_of(nodes.begin(), nodes.end(), [](const NodeFacts* node) { return node->running(); });
}

std::string NoNodes(const ClusterFacts& facts, const std::string& label) {
  const auto nodes = NodesOf(facts, label);
  if (!NoneIsRunning(nodes)) return "";
  if (nodes.empty()) {
    return label.empty() ? "the cluster has no nodes: no NodeManager has registered"
                         : "no node has the label '" + label + "'";
  }
  std::string text =
      (label.empty() ? "the cluster has no healthy node" : "no node with the label '" + label + "' is healthy") + ": " +
      ByState(nodes);
  for (size_t i = 0; i < nodes.size() && i < kMaxListed; ++i) text += (i == 0 ? "; " : ", ") + Node(*nodes[i]);
  return text;
}

// Explains that no running node could hold a container even if the node were empty.
std::string NoLargeNode(const ClusterFacts& facts, const PendingContainers& request) {
  std::string others;
  for (const NodeFacts* node : NodesOf(facts, request.label)) {
    if (!request.size.FitsIn(node->total)) continue;
    if (node->running()) return "";
    others += (others.empty() ? "" : ", ") + Node(*node);
  }
  return "no running node is large enough for a container of " + ToText(request.size) + " for " + request.role + ": " +
         (others.empty() ? "a larger node must join the cluster" : others);
}

// Explains a shortage of a resource type other than memory and cores, such as GPUs.
std::string ResourceInUse(const ClusterFacts& facts, const PendingContainers& request) {
  for (const auto& [type, amount] : request.size.others) {
    hadoop::yarn::Resource sum, sum_free;  // their sums do not overflow
    std::string nodes;
    for (const NodeFacts* node : NodesOf(facts, request.label)) {
      if (!node->running() || node->total.other(type) == 0) continue;
      sum += node->total;
      sum_free += node->free();
      nodes += (nodes.empty() ? "; " : ", ") + node->host + " uses " + std::to_string(node->used.other(type)) + " of " +
               std::to_string(node->total.other(type));
    }
    const int64_t total = sum.other(type), free = sum_free.other(type), requested = amount * request.count;
    if (free >= requested) continue;
    return std::to_string(free) + " of " + std::to_string(total) + " " + type + " are free, but " + request.role +
           " requests " + std::to_string(requested) + nodes;
  }
  return "";
}

// Names the users of the hidden applications, and what these use together. Empty if the visible ones use as much.
std::string HiddenUse(const ClusterFacts& facts, const hadoop::yarn::Resource& largest_visible) {
  std::set<std::string> users;
  for (const ApplicationFacts& application : facts.queue.applications) {
    if (application.hidden) users.insert(application.user);
  }
  const hadoop::yarn::Resource all = facts.queue.used(), visible = facts.queue.visible_use();
  const hadoop::yarn::Resource use{all.memory_mib - visible.memory_mib, all.vcores - visible.vcores, {}};
  if (users.empty() || use.memory_mib <= largest_visible.memory_mib) return "";
  return "; applications of " + (users.size() == 1 ? *users.begin() : "other users") + " that " + facts.user +
         " may not view use " + ToText(use);
}

std::string LargestUser(const ClusterFacts& facts) {
  const QueueFacts& queue = facts.queue;
  const auto most = std::max_element(
      queue.applications.begin(), queue.applications.end(),
      [](const ApplicationFacts& a, const ApplicationFacts& b) { return a.used.memory_mib < b.used.memory_mib; });
  if (most == queue.applications.end()) return "";
  if (std::string hidden = HiddenUse(facts, most->used); !hidden.empty()) return hidden;
  if (most->used.memory_mib == 0) return "";
  return "; largest user: " + most->user + " with " + most->id + " (" + ToText(most->used) + ")";
}

hadoop::yarn::Resource Sum(const std::vector<PendingContainers>& pending) {
  hadoop::yarn::Resource sum;
  for (const PendingContainers& request : pending) {
    for (int i = 0; i < request.count; ++i) sum += request.size;
  }
  return sum;
}

std::string QueueFull(const ClusterFacts& facts, const std::vector<PendingContainers>& pending) {
  if (!facts.queue.maximum || facts.queue.maximum->memory_mib == 0) return "";
  const hadoop::yarn::Resource used = facts.queue.used();
  hadoop::yarn::Resource wanted = Sum(pending);
  wanted.memory_mib = std::max<int64_t>(wanted.memory_mib, 1);
  wanted += used;
  if (wanted.memory_mib <= facts.queue.maximum->memory_mib) return "";
  return "the queue '" + facts.queue.name + "' is full: it uses " + ToText(used) + " of its maximum " +
         ToText(*facts.queue.maximum) + " (" + Percent(facts.queue.maximum_share) + " of the cluster)" +
         LargestUser(facts) + "; " + Needs(pending);
}

hadoop::yarn::Resource Free(const ClusterFacts& facts, const std::string& label) {
  hadoop::yarn::Resource free;
  for (const NodeFacts* node : NodesOf(facts, label)) {
    if (node->running()) free += node->free();
  }
  return free;
}

std::string UserLimitReached(const ClusterFacts& facts, const std::vector<PendingContainers>& pending,
                             const hadoop::yarn::Resource& headroom) {
  hadoop::yarn::Resource own;
  for (const ApplicationFacts& application : facts.queue.applications) {
    if (application.user == facts.user) own += application.used;
  }
  hadoop::yarn::Resource most = own;
  most += headroom;
  // A scheduler may grant a user one container beyond the limit. It then reports a headroom of zero.
  const std::string limit = headroom.memory_mib == 0 ? ", at or above the limit" : " of " + ToText(most);
  const std::string capacity = facts.queue.capacity ? ", " + ToText(*facts.queue.capacity) + "," : "";
  return "the user limit of the queue '" + facts.queue.name + "' is reached: " + facts.user + " uses " + ToText(own) +
         limit + "; " + Needs(pending) + " (limit: the queue's capacity" + capacity +
         " times its user-limit-factor, shared according to its minimum-user-limit-percent)";
}

// Explains that some node has room, but the scheduler grants no container because the user is at the limit.
std::string UserLimit(const ClusterFacts& facts, const std::vector<PendingContainers>& pending,
                      const std::optional<hadoop::yarn::Resource>& headroom) {
  const auto blocked = [&](const PendingContainers& request) {
    const auto nodes = NodesOf(facts, request.label);
    return !request.size.FitsIn(*headroom) && std::any_of(nodes.begin(), nodes.end(), [&](const NodeFacts* node) {
      return node->running() && request.size.FitsIn(node->free());
    });
  };
  if (!headroom || std::none_of(pending.begin(), pending.end(), blocked)) return "";
  return UserLimitReached(facts, pending, *headroom);
}

// Explains that enough memory is free in total but no single node has enough, or that cores are missing.
std::string Fragmented(const ClusterFacts& facts, const PendingContainers& request) {
  const NodeFacts* roomiest = nullptr;
  for (const NodeFacts* node : NodesOf(facts, request.label)) {
    if (!node->running()) continue;
    if (request.size.FitsIn(node->free())) return "";
    if (roomiest == nullptr || node->free().memory_mib > roomiest->free().memory_mib) roomiest = node;
  }
  if (roomiest != nullptr && roomiest->free().memory_mib >= request.size.memory_mib) {
    return "no node has enough free cores: " + request.role + " needs " + std::to_string(request.size.vcores) +
           " per container, but " + std::to_string(roomiest->free().vcores) + " of " +
           std::to_string(roomiest->total.vcores) + " are free on " + roomiest->host +
           ", the node with the most free memory";
  }
  const hadoop::yarn::Resource free = Free(facts, request.label);
  if (roomiest == nullptr || free.memory_mib < request.size.memory_mib) return "";
  return "free memory is fragmented: " + ToText(free) + " in total, at most " + ToText(roomiest->free()) +
         " on one node (" + roomiest->host + "), but " + request.role + " needs " + ToText(request.size);
}

std::string ClusterFull(const ClusterFacts& facts, const std::vector<PendingContainers>& pending) {
  const hadoop::yarn::Resource free = Free(facts, pending.front().label);
  if (free.memory_mib >= Sum(pending).memory_mib) return "";
  return "the cluster is full: " + ToText(free) + " are free; " + Needs(pending) + LargestUser(facts);
}

// Formats the resource that follows `words` in a text such as "WORDS = <memory:512, vCores:1, yarn.io/gpu: 1>". Returns
// an empty text if the words do not occur. Leaves out GPUs, because application masters have none.
std::string ResourceAfter(const std::string& text, const std::string& words) {
  const size_t at = text.find(words + " = <");
  if (at == std::string::npos) return "";
  const auto number = [&](const std::string& type) {
    const size_t found = text.find(type, at);
    return found == std::string::npos ? 0 : std::atoll(text.c_str() + found + type.size());
  };
  hadoop::yarn::Resource resource;
  resource.memory_mib = number("memory:");
  resource.vcores = number("vCores:");
  return ToText(resource);
}

}  // namespace

std::string WhyPending(const ClusterFacts& facts, const std::vector<PendingContainers>& pending,
                       const std::optional<hadoop::yarn::Resource>& headroom) {
  if (pending.empty()) return "";
  for (const PendingContainers& request : pending) {
    if (std::string why = NoNodes(facts, request.label); !why.empty()) return why;
  }
  for (const PendingContainers& request : pending) {
    if (std::string why = NoLargeNode(facts, request); !why.empty()) return why;
  }
  for (const PendingContainers& request : pending) {
    if (std::string why = ResourceInUse(facts, request); !why.empty()) return why;
  }
  if (std::string why = QueueFull(facts, pending); !why.empty()) return why;
  // Check for fragmentation before the user limit, because reservations on full nodes lower the headroom, too.
  for (const PendingContainers& request : pending) {
    if (std::string why = Fragmented(facts, request); !why.empty()) return why;
  }
  if (std::string why = UserLimit(facts, pending, headroom); !why.empty()) return why;
  if (std::string why = ClusterFull(facts, pending); !why.empty()) return why;
  return "waiting for YARN to grant " + Describe(pending, "") + " in the queue '" + facts.queue.name + "'";
}

std::string DescribePlacement(const std::vector<AllowedNodes>& roles) {
  std::vector<std::string> clauses;
  for (const AllowedNodes& role : roles) {
    if (role.conditions.empty() || role.allowed >= role.suitable) continue;
    clauses.push_back(Join(role.conditions, " and ") + (role.conditions.size() == 1 ? " allows " : " allow ") +
                      role.role + " only " + std::to_string(role.allowed) + " of " + std::to_string(role.suitable) +
                      (role.suitable == 1 ? " node" : " nodes") + " at present");
  }
  return Join(clauses, "; ");
}

std::string WhyAmPending(const ClusterFacts& facts, const std::string& diagnostics, const PendingContainers& am) {
  const bool of_user = diagnostics.find("User's AM resource limit exceeded") != std::string::npos;
  if (of_user || diagnostics.find("Queue's AM resource limit exceeded") != std::string::npos) {
    const auto running = std::count_if(facts.queue.applications.begin(), facts.queue.applications.end(),
                                       [](const ApplicationFacts& application) { return application.running; });
    const std::string limit =
        ResourceAfter(diagnostics, of_user ? "User AM Resource Limit of the queue" : "Queue Resource Limit for AM");
    const std::string used = ResourceAfter(diagnostics, "Queue AM Resource Usage");
    return "the application master limit of " + std::string(of_user ? "one user in " : "") + "the queue '" +
           facts.queue.name + "' is reached: " + std::to_string(running) +
           (running == 1 ? " application runs, its application master uses "
                         : " applications run, their application masters use ") +
           used + " of " + limit + "; limit: yarn.scheduler.capacity.maximum-am-resource-percent (" +
           Percent(facts.queue.am_share) + " of the queue)";
  }
  if (diagnostics.find("User capacity has reached its maximum limit") != std::string::npos) {
    return UserLimitReached(facts, {am}, hadoop::yarn::Resource());
  }
  return WhyPending(facts, {am}, std::nullopt);
}

}  // namespace howdah::backend::yarn
