#include "why_pending.h"

#include <algorithm>
#include <map>

namespace howdah::yarnplace {
namespace {

constexpr size_t kNamed = 3;

std::string Percent(double share) {
  const int tenths = static_cast<int>(share * 1000 + 0.5);
  return std::to_string(tenths / 10) + (tenths % 10 == 0 ? "" : "." + std::to_string(tenths % 10)) + " %";
}

std::string Times(const Want& want) {
  return std::to_string(want.count) + (want.count == 1 ? " container of " : " containers of ") + ToText(want.shape) +
         " for " + want.who;
}

std::string Needed(const std::vector<Want>& wants) {
  std::string text;
  for (const Want& want : wants) text += (text.empty() ? "" : ", ") + Times(want);
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
  std::string text =
      label.empty() ? "the cluster has no healthy node" : "no node with the label '" + label + "' is healthy";
  if (nodes.empty()) return text + (label.empty() ? ": none has registered" : ": no node has it");
  text += ": " + ByState(nodes);
  for (size_t i = 0; i < nodes.size() && i < kNamed; ++i) text += (i == 0 ? "; " : ", ") + Node(*nodes[i]);
  return text;
}

// A type other than memory and cores (GPUs) of which less is free than is wanted.
std::string AllTaken(const ClusterFacts& facts, const Want& want) {
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

yarn::Resource Sum(const std::vector<Want>& wants) {
  yarn::Resource sum;
  for (const Want& want : wants) {
    for (int i = 0; i < want.count; ++i) sum += want.shape;
  }
  return sum;
}

std::string QueueFull(const ClusterFacts& facts, const std::vector<Want>& wants) {
  if (!facts.queue.most || facts.queue.most->memory_mib == 0) return "";
  const yarn::Resource used = facts.queue.used();
  if (used.memory_mib + Sum(wants).memory_mib <= facts.queue.most->memory_mib) return "";
  return "the queue '" + facts.queue.name + "' is full: it uses " + ToText(used) + " of " + ToText(*facts.queue.most) +
         " (" + Percent(facts.queue.most_share) + " of the cluster) that it may have" + UsedMostBy(facts.queue) +
         "; this job needs " + Needed(wants) + " more";
}

yarn::Resource Free(const ClusterFacts& facts, const std::string& label) {
  yarn::Resource free;
  for (const NodeFacts* node : NodesOf(facts, label)) {
    if (node->running()) free += node->free();
  }
  return free;
}

std::string UserLimit(const ClusterFacts& facts, const std::vector<Want>& wants,
                      const std::optional<yarn::Resource>& headroom) {
  if (!headroom || headroom->memory_mib >= Sum(wants).memory_mib) return "";
  if (Free(facts, wants.front().label).memory_mib < Sum(wants).memory_mib) return "";
  yarn::Resource own;
  for (const ApplicationFacts& application : facts.queue.applications) {
    if (application.user == facts.user) own += application.used;
  }
  return "the limit of one user in the queue '" + facts.queue.name + "' is reached: " + facts.user + " uses " +
         ToText(own) + " and may have " + ToText(*headroom) + " more; this job needs " + Needed(wants) +
         " (minimum-user-limit-percent and user-limit-factor of the queue)";
}

// Enough in all, and not enough on any one node.
std::string InPieces(const ClusterFacts& facts, const Want& want) {
  const NodeFacts* roomiest = nullptr;
  for (const NodeFacts* node : NodesOf(facts, want.label)) {
    if (!node->running()) continue;
    if (want.shape.FitsIn(node->free())) return "";
    if (roomiest == nullptr || node->free().memory_mib > roomiest->free().memory_mib) roomiest = node;
  }
  const yarn::Resource free = Free(facts, want.label);
  if (roomiest == nullptr || free.memory_mib < want.shape.memory_mib) return "";
  return "the memory is free in pieces: " + ToText(free) + " in all, at most " + ToText(roomiest->free()) +
         " on one node (" + roomiest->host + "), and " + want.who + " needs " + ToText(want.shape);
}

std::string ClusterFull(const ClusterFacts& facts, const std::vector<Want>& wants) {
  const yarn::Resource free = Free(facts, wants.front().label);
  if (free.memory_mib >= Sum(wants).memory_mib) return "";
  return "the cluster is full: " + ToText(free) + " are free, and this job needs " + Needed(wants) + " more" +
         UsedMostBy(facts.queue);
}

// "<memory:512, vCores:1>" behind the words; empty: they are not there.
std::string ResourceBehind(const std::string& text, const std::string& words) {
  const size_t at = text.find(words + " = <");
  if (at == std::string::npos) return "";
  const size_t begin = at + words.size() + 4;
  return text.substr(begin, text.find('>', begin) - begin);
}

}  // namespace

std::string WhyPending(const ClusterFacts& facts, const std::vector<Want>& wants,
                       const std::optional<yarn::Resource>& headroom) {
  if (wants.empty()) return "";
  for (const Want& want : wants) {
    if (std::string why = NoNodes(facts, want.label); !why.empty()) return why;
  }
  for (const Want& want : wants) {
    if (std::string why = AllTaken(facts, want); !why.empty()) return why;
  }
  if (std::string why = QueueFull(facts, wants); !why.empty()) return why;
  if (std::string why = UserLimit(facts, wants, headroom); !why.empty()) return why;
  for (const Want& want : wants) {
    if (std::string why = InPieces(facts, want); !why.empty()) return why;
  }
  if (std::string why = ClusterFull(facts, wants); !why.empty()) return why;
  return "waiting for YARN to grant " + Needed(wants) + " in the queue '" + facts.queue.name + "'";
}

std::string WhyAmPending(const ClusterFacts& facts, const std::string& diagnostics, const Want& am) {
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
  return WhyPending(facts, {am}, std::nullopt);
}

}  // namespace howdah::yarnplace
