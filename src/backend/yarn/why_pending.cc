#include "howdah/backend/yarn/why_pending.h"

#include <algorithm>
#include <cstdlib>
#include <map>

namespace howdah::backend::yarn {
namespace {

constexpr size_t kNamed = 3;

std::string Percent(double share) {
  const int tenths = static_cast<int>(share * 1000 + 0.5);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " %";
}

std::string Times(const PendingContainers& want) {
  const std::string shape = want.shape == hadoop::yarn::Resource() ? "" : " of " + ToText(want.shape);
  return std::to_string(want.count) + (want.count == 1 ? " container" : " containers") + shape + " for " + want.who;
}

std::string Needed(const std::vector<PendingContainers>& wants) {
  std::string text;
  for (const PendingContainers& want : wants) text += (text.empty() ? "" : ", ") + Times(want);
  return text;
}

std::string Node(const NodeFacts& node) {
  return node.host + " is " + node.state + (node.health.empty() ? "" : " (" + node.health + ")");
}

// "3 RUNNING, 1 LOST"
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

bool NoneRuns(const std::vector<const NodeFacts*>& nodes) {
  return std::none_of(nodes.begin(), nodes.end(), [](const NodeFacts* node) { return node->running(); });
}

std::string NoNodes(const ClusterFacts& facts, const std::string& label) {
  const auto nodes = NodesOf(facts, label);
  if (!NoneRuns(nodes)) return "";
  if (nodes.empty()) {
    return label.empty() ? "the cluster has no node: none has registered" : "no node has the label '" + label + "'";
  }
  std::string text =
      (label.empty() ? "the cluster has no healthy node" : "no node with the label '" + label + "' is healthy") + ": " +
      ByState(nodes);
  for (size_t i = 0; i < nodes.size() && i < kNamed; ++i) text += (i == 0 ? "; " : ", ") + Node(*nodes[i]);
  return text;
}

// A type other than memory and cores (GPUs) of which less is free than is wanted.
std::string AllTaken(const ClusterFacts& facts, const PendingContainers& want) {
  for (const auto& [type, amount] : want.shape.others) {
    int64_t total = 0, free = 0;
    std::string where;
    for (const NodeFacts* node : NodesOf(facts, want.label)) {
      if (!node->running() || node->total.other(type) == 0) continue;
      total += node->total.other(type);
      free += node->free().other(type);
      where += (where.empty() ? "" : ", ") + node->host + " uses " + std::to_string(node->used.other(type)) + " of " +
               std::to_string(node->total.other(type));
    }
    const int64_t wanted = amount * want.count;
    if (free >= wanted) continue;
    return "of " + std::to_string(total) + " " + type + " " + std::to_string(free) + " are free, and " + want.who +
           " wants " + std::to_string(wanted) + (where.empty() ? "" : "; " + where);
  }
  return "";
}

std::string UsedMostBy(const QueueFacts& queue) {
  const auto most = std::max_element(
      queue.applications.begin(), queue.applications.end(),
      [](const ApplicationFacts& a, const ApplicationFacts& b) { return a.used.memory_mib < b.used.memory_mib; });
  if (most == queue.applications.end() || most->used.memory_mib == 0) return "";
  return "; most of it has " + most->user + " with " + most->id + " (" + ToText(most->used) + ")";
}

hadoop::yarn::Resource Sum(const std::vector<PendingContainers>& wants) {
  hadoop::yarn::Resource sum;
  for (const PendingContainers& want : wants) {
    for (int i = 0; i < want.count; ++i) sum += want.shape;
  }
  return sum;
}

std::string QueueFull(const ClusterFacts& facts, const std::vector<PendingContainers>& wants) {
  if (!facts.queue.most || facts.queue.most->memory_mib == 0) return "";
  const hadoop::yarn::Resource used = facts.queue.used();
  const int64_t wanted = std::max<int64_t>(Sum(wants).memory_mib, 1);
  if (used.memory_mib + wanted <= facts.queue.most->memory_mib) return "";
  return "the queue '" + facts.queue.name + "' is full: it uses " + ToText(used) + " of " + ToText(*facts.queue.most) +
         " (" + Percent(facts.queue.most_share) + " of the cluster) that it may have" + UsedMostBy(facts.queue) +
         "; this job needs " + Needed(wants) + " more";
}

hadoop::yarn::Resource Free(const ClusterFacts& facts, const std::string& label) {
  hadoop::yarn::Resource free;
  for (const NodeFacts* node : NodesOf(facts, label)) {
    if (node->running()) free += node->free();
  }
  return free;
}

std::string UserLimitReached(const ClusterFacts& facts, const std::vector<PendingContainers>& wants,
                             const hadoop::yarn::Resource& headroom) {
  hadoop::yarn::Resource own;
  for (const ApplicationFacts& application : facts.queue.applications) {
    if (application.user == facts.user) own += application.used;
  }
  hadoop::yarn::Resource most = own;
  most += headroom;
  // Schedulers let the last container of a user go beyond the limit, and then say only that there is nothing more.
  const std::string limit = headroom.memory_mib == 0 ? ", which is no less than it" : " of " + ToText(most);
  const std::string capacity = facts.queue.capacity ? ", " + ToText(*facts.queue.capacity) + "," : "";
  return "the limit of one user in the queue '" + facts.queue.name + "' is reached: " + facts.user + " uses " +
         ToText(own) + limit + "; this job needs " + Needed(wants) + " more (the limit is the queue's capacity" +
         capacity + " times its user-limit-factor, shared as its minimum-user-limit-percent says)";
}

// There is room on some node, and the scheduler gives nothing, as the user has what one may have.
std::string UserLimit(const ClusterFacts& facts, const std::vector<PendingContainers>& wants,
                      const std::optional<hadoop::yarn::Resource>& headroom) {
  const auto kept_from = [&](const PendingContainers& want) {
    const auto nodes = NodesOf(facts, want.label);
    return !want.shape.FitsIn(*headroom) && std::any_of(nodes.begin(), nodes.end(), [&](const NodeFacts* node) {
      return node->running() && want.shape.FitsIn(node->free());
    });
  };
  if (!headroom || std::none_of(wants.begin(), wants.end(), kept_from)) return "";
  return UserLimitReached(facts, wants, *headroom);
}

// Enough in all, and not enough on any one node.
std::string InPieces(const ClusterFacts& facts, const PendingContainers& want) {
  const NodeFacts* roomiest = nullptr;
  for (const NodeFacts* node : NodesOf(facts, want.label)) {
    if (!node->running()) continue;
    if (want.shape.FitsIn(node->free())) return "";
    if (roomiest == nullptr || node->free().memory_mib > roomiest->free().memory_mib) roomiest = node;
  }
  const hadoop::yarn::Resource free = Free(facts, want.label);
  if (roomiest == nullptr || free.memory_mib < want.shape.memory_mib) return "";
  return "the memory is free in pieces: " + ToText(free) + " in all, at most " + ToText(roomiest->free()) +
         " on one node (" + roomiest->host + "), and " + want.who + " needs " + ToText(want.shape);
}

std::string ClusterFull(const ClusterFacts& facts, const std::vector<PendingContainers>& wants) {
  const hadoop::yarn::Resource free = Free(facts, wants.front().label);
  if (free.memory_mib >= Sum(wants).memory_mib) return "";
  return "the cluster is full: " + ToText(free) + " are free, and this job needs " + Needed(wants) + " more" +
         UsedMostBy(facts.queue);
}

// "words = <memory:512, vCores:1, yarn.io/gpu: 1>" as sizes are written for people; empty: the words are not there.
// GPUs are left out: application masters have none.
std::string ResourceBehind(const std::string& text, const std::string& words) {
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

std::string WhyPending(const ClusterFacts& facts, const std::vector<PendingContainers>& wants,
                       const std::optional<hadoop::yarn::Resource>& headroom) {
  if (wants.empty()) return "";
  for (const PendingContainers& want : wants) {
    if (std::string why = NoNodes(facts, want.label); !why.empty()) return why;
  }
  for (const PendingContainers& want : wants) {
    if (std::string why = AllTaken(facts, want); !why.empty()) return why;
  }
  if (std::string why = QueueFull(facts, wants); !why.empty()) return why;
  // What the scheduler has reserved on nodes that are full lowers the headroom too: pieces come first.
  for (const PendingContainers& want : wants) {
    if (std::string why = InPieces(facts, want); !why.empty()) return why;
  }
  if (std::string why = UserLimit(facts, wants, headroom); !why.empty()) return why;
  if (std::string why = ClusterFull(facts, wants); !why.empty()) return why;
  return "waiting for YARN to grant " + Needed(wants) + " in the queue '" + facts.queue.name + "'";
}

std::string WhyAmPending(const ClusterFacts& facts, const std::string& diagnostics, const PendingContainers& am) {
  const bool of_user = diagnostics.find("User's AM resource limit exceeded") != std::string::npos;
  if (of_user || diagnostics.find("Queue's AM resource limit exceeded") != std::string::npos) {
    const auto running = std::count_if(facts.queue.applications.begin(), facts.queue.applications.end(),
                                       [](const ApplicationFacts& application) { return application.running; });
    const std::string limit =
        ResourceBehind(diagnostics, of_user ? "User AM Resource Limit of the queue" : "Queue Resource Limit for AM");
    const std::string used = ResourceBehind(diagnostics, "Queue AM Resource Usage");
    return "the limit on application masters of " + std::string(of_user ? "one user in " : "") + "the queue '" +
           facts.queue.name + "' is reached: they use " + used + " of " + limit + ", " + std::to_string(running) +
           (running == 1 ? " application runs" : " applications run") +
           "; it is yarn.scheduler.capacity.maximum-am-resource-percent (of the queue: " +
           Percent(facts.queue.am_share) + ")";
  }
  if (diagnostics.find("User capacity has reached its maximum limit") != std::string::npos) {
    return UserLimitReached(facts, {am}, hadoop::yarn::Resource());
  }
  return WhyPending(facts, {am}, std::nullopt);
}

}  // namespace howdah::backend::yarn
