#include "cluster.h"

#include <algorithm>
#include <chrono>

#include "howdah/admission/queue.h"
#include "howdah/admission/room.h"
#include "howdah/base/text.h"

namespace howdah::testing::autoscale_sim {
namespace {

using admission::Resources;
using admission::Room;
using admission::Tasks;
using autoscale::Group;
using autoscale::NodeChecked;
using std::chrono::seconds;

const Resources kAm{1024, 1, 0, {}};
constexpr const char* kQueue = "default";

double Number(int64_t amount) { return static_cast<double>(amount); }

}  // namespace

SimCluster::SimCluster(World& world) : world_(world), begin_(world.schedule.now()) {
  for (const SimJob& spec : world.scenario.jobs) jobs_.push_back({.spec = spec, .left = spec.length});
}

Resources SimCluster::FreeOf(const Node& node) {
  Resources free = node.total;
  for (const Container& container : node.containers) free -= container.size;
  return free;
}

std::vector<Tasks> SimCluster::WholeOf(const Job& job) const {
  std::vector<Tasks> whole = job.spec.tasks;
  whole.push_back({1, kAm});
  return whole;
}

void SimCluster::Register(const std::string& host, Group group) {
  if (file_.contains(host)) return;  // the ResourceManager refuses it
  const autoscale::NodeShape& shape = *world_.scenario.provider.of(group)->node;
  changed_ = true;
  nodes_[host] = Node{.label = shape.label, .total = shape.size};
  world_.Trace([&] { return host + " joins"; });
}

SimCluster::Job& SimCluster::Find(const std::string& id) {
  return *std::ranges::find(jobs_, id, [](const Job& job) { return job.spec.id; });
}

void SimCluster::Lose(const Container& container) {
  Job& job = Find(container.job);
  if (job.state == Job::State::kRunning) job.missing.push_back({1, container.size});
  changed_ = true;
}

void SimCluster::Lose(const std::string& host) {
  const auto node = nodes_.find(host);
  if (node == nodes_.end()) return;
  for (const Container& container : node->second.containers) Lose(container);
  node->second.containers.clear();
  node->second.state = NodeState::kGone;
  node->second.stops = world_.schedule.now();
}

void SimCluster::Decommission(Node& node) {
  if (!node.containers.empty()) world_.Reach(Situation::kDrainTimedOut);
  for (const Container& container : node.containers) Lose(container);
  node.containers.clear();
  node.state = NodeState::kDecommissioned;
  node.stops = world_.schedule.now() + world_.Between(1, 90);
}

void SimCluster::BeginDrain(Node& node, Duration timeout) {
  node.state = NodeState::kDecommissioning;
  node.decommissioning = world_.schedule.now();
  node.deadline = node.decommissioning + timeout;
  if (!node.containers.empty()) world_.Reach(Situation::kDrainedUnderTasks);
  for (Container& container : node.containers) {
    if (!container.leaves) container.leaves = world_.schedule.now() + world_.Between(1, 10);
  }
}

bool SimCluster::Refresh(const autoscale::SetExcluded& order) {
  if (world_.schedule.now() < unreachable_until_) return false;
  for (auto& [host, node] : nodes_) {
    const bool is_excluded = file_.contains(host);
    const auto own = order.timeouts.find(host);
    const bool is_xml = world_.scenario.provider.exclude.is_xml();
    const Duration timeout = is_xml && own != order.timeouts.end() ? own->second : order.longest;
    if (node.state == NodeState::kDecommissioning && !is_excluded) {
      changed_ = true;
      node.state = NodeState::kRunning;
      for (Container& container : node.containers) {
        if (!Find(container.job).spec.foreign) container.leaves.reset();
      }
      world_.Reach(Situation::kDrainCancelled);
    } else if (node.state == NodeState::kRunning && is_excluded) {
      BeginDrain(node, timeout);
    } else if (node.state == NodeState::kDecommissioning) {
      node.deadline = node.decommissioning + timeout;
    }
    if (order.kind == autoscale::SetExcluded::Kind::kAtOnce && node.state == NodeState::kDecommissioning) {
      Decommission(node);
    }
  }
  return true;
}

void SimCluster::Restart(Duration unreachable) {
  world_.Reach(Situation::kRmRestarted);
  world_.Trace([] { return "the ResourceManager restarts"; });
  unreachable_until_ = world_.schedule.now() + unreachable;
  for (auto& [host, node] : nodes_) {
    if (file_.contains(host) && node.state <= NodeState::kDecommissioning) Decommission(node);
  }
}

std::optional<autoscale::ClusterSeen> SimCluster::Observe() const {
  if (world_.schedule.now() < unreachable_until_) return std::nullopt;
  autoscale::ClusterSeen seen;
  for (const auto& [host, node] : nodes_) {
    const Resources free = FreeOf(node);
    seen.nodes.push_back({.name = host + ":8041",
                          .host = host,
                          .state = node.state,
                          .label = node.label,
                          .total = node.total,
                          .used = node.total - free,
                          .containers = static_cast<int>(node.containers.size())});
    if (node.state != NodeState::kRunning) continue;
    seen.metrics.available_mib += Number(free.memory_mib);
    seen.metrics.available_vcores += Number(free.vcores);
  }
  for (const bool whole : {true, false}) {
    for (const Job& job : jobs_) {
      const bool waits = job.state == Job::State::kWaiting;
      if (waits != whole || (!waits && (job.state != Job::State::kRunning || job.missing.empty()))) continue;
      autoscale::Wanted wanted{.id = job.spec.id, .queue = kQueue, .label = job.spec.label, .whole = whole};
      wanted.tasks = waits ? WholeOf(job) : job.missing;
      if (waits) wanted.am = kAm;
      for (const Tasks& some : wanted.tasks) {
        seen.metrics.pending_mib += Number(some.each.memory_mib * some.count);
        seen.metrics.pending_vcores += Number(some.each.vcores * some.count);
      }
      seen.wanted.push_back(std::move(wanted));
    }
  }
  return seen;
}

NodeChecked::Answer SimCluster::Check(const std::string& host) const {
  const auto node = nodes_.find(host);
  if (node == nodes_.end() || node->second.state == NodeState::kGone) return NodeChecked::Answer::kGone;
  if (node->second.state == NodeState::kDecommissioned && world_.schedule.now() >= node->second.stops) {
    return NodeChecked::Answer::kGone;
  }
  const bool has_others = std::ranges::any_of(jobs_, [&](const Job& job) {
    return job.spec.foreign && job.state != Job::State::kDone && node->second.ran.contains(job.spec.id);
  });
  if (has_others) world_.Reach(Situation::kForeignApplication);
  return has_others ? NodeChecked::Answer::kHasOthers : NodeChecked::Answer::kFree;
}

bool SimCluster::HasContainers(const std::string& host) const {
  const auto node = nodes_.find(host);
  return node != nodes_.end() && !node->second.containers.empty();
}

bool SimCluster::done() const {
  return std::ranges::all_of(jobs_,
                             [](const Job& job) { return job.state == Job::State::kDone || job.spec.too_large; });
}

int SimCluster::ended() const { return static_cast<int>(std::ranges::count(jobs_, Job::State::kDone, &Job::state)); }

std::string SimCluster::Describe() const {
  std::vector<std::string> open;
  for (const Job& job : jobs_) {
    if (job.state == Job::State::kDone || job.spec.too_large) continue;
    open.push_back(job.spec.id + (job.state == Job::State::kRunning ? " runs without " : " waits with ") +
                   admission::ToText(job.state == Job::State::kRunning ? job.missing : job.spec.tasks));
  }
  return Join(open) + "; " + std::to_string(nodes_.size()) + " nodes";
}

void SimCluster::Tick() {
  AdvanceNodes();
  AdvanceJobs();
  if (world_.schedule.now() < unreachable_until_ || !changed_) return;
  changed_ = false;
  PlaceMissing();
  for (const char* label : {"", kGpuLabel}) StartGangs(label);
}

void SimCluster::AdvanceNodes() {
  const Instant now = world_.schedule.now();
  for (auto& [host, node] : nodes_) {
    const bool drains = node.state == NodeState::kDecommissioning;
    std::vector<Container> left;
    std::erase_if(node.containers, [&](const Container& container) {
      const bool moves = drains && !Find(container.job).spec.foreign && container.leaves && now >= *container.leaves;
      if (moves) left.push_back(container);
      return moves;
    });
    for (const Container& container : left) Lose(container);
    if (!drains) continue;
    const bool apps_ended = std::ranges::none_of(jobs_, [&, &ran = node.ran](const Job& job) {
      return job.state != Job::State::kDone && ran.contains(job.spec.id);
    });
    if (now >= node.deadline || (apps_ended && node.containers.empty() && now >= node.decommissioning + seconds(2))) {
      Decommission(node);
    }
  }
}

void SimCluster::EndContainersOf(const std::string& job) {
  for (auto& [host, node] : nodes_) {
    std::erase_if(node.containers, [&](const Container& container) { return container.job == job; });
  }
}

void SimCluster::AdvanceJobs() {
  const Instant now = world_.schedule.now();
  for (Job& job : jobs_) {
    if (job.state == Job::State::kAbsent && now >= begin_ + job.spec.submitted) {
      job.submitted = now;
      changed_ = true;
      job.state = Job::State::kWaiting;
      if (!job.spec.foreign) continue;
      job.state = Job::State::kRunning;
      job.missing = job.spec.tasks;
      for (const Tasks& some : job.spec.tasks) job.unfinished += static_cast<int>(some.count);
    } else if (job.state == Job::State::kRunning && job.spec.foreign) {
      for (auto& [host, node] : nodes_) {
        job.unfinished -= static_cast<int>(std::erase_if(node.containers, [&](const Container& container) {
          return container.job == job.spec.id && now >= *container.leaves;
        }));
      }
      changed_ = true;
      if (job.unfinished == 0) job.state = Job::State::kDone;
    } else if (job.state == Job::State::kRunning && job.missing.empty() && (job.left -= seconds(1)) <= Duration(0)) {
      job.state = Job::State::kDone;
      changed_ = true;
      EndContainersOf(job.spec.id);
      world_.Trace([&] { return job.spec.id + " ends"; });
    }
  }
}

std::vector<admission::Node> SimCluster::NodesOf(const std::string& label) const {
  std::vector<admission::Node> nodes;
  for (const auto& [host, node] : nodes_) {
    if (node.state == NodeState::kRunning && node.label == label) nodes.push_back({host, node.total, FreeOf(node)});
  }
  return nodes;
}

// Places the tasks in the free room, and removes those from job.missing that have got a container.
bool SimCluster::Place(const std::vector<Tasks>& tasks, Job& job, bool whole) {
  const std::vector<admission::Node> nodes = NodesOf(job.spec.label);
  Room room(nodes, Room::Use::kPresent);
  std::vector<Tasks> rest = tasks;
  const Room::Placements placements = room.StartSome(rest);
  if (whole && !rest.empty()) return false;
  for (const auto& [position, size] : placements) {
    Node& node = nodes_.at(nodes[position].name);
    std::optional<Instant> ends;
    if (job.spec.foreign) ends = world_.schedule.now() + job.spec.length;
    node.containers.push_back({job.spec.id, size, ends});
    node.ran.insert(job.spec.id);
    if (!job.spec.label.empty()) world_.Reach(Situation::kLabel);
  }
  job.missing = std::move(rest);
  return true;
}

void SimCluster::PlaceMissing() {
  for (Job& job : jobs_) {
    if (job.state == Job::State::kRunning && !job.missing.empty()) Place(job.missing, job, /*whole=*/false);
  }
}

void SimCluster::StartGangs(const std::string& label) {
  admission::Cluster cluster{.nodes = NodesOf(label)};
  for (const Job& job : jobs_) {
    if (job.state != Job::State::kWaiting || job.spec.label != label) continue;
    cluster.jobs.push_back({.id = job.spec.id, .queue = kQueue, .submitted = job.submitted, .am_size = kAm});
    cluster.jobs.back().demand.tasks = job.spec.tasks;
  }
  for (const admission::Place& place : admission::Order(cluster, world_.schedule.now())) {
    Job& job = Find(place.id);
    if (job.spec.too_large) world_.Reach(Situation::kTooLarge);
    if (!admission::MayRequest(place.turn)) continue;
    if (!Place(WholeOf(job), job, /*whole=*/true)) continue;
    job.state = Job::State::kRunning;
    world_.Trace([&] { return place.id + " starts"; });
  }
}

}  // namespace howdah::testing::autoscale_sim
