#include "cluster.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "howdah/admission/queue_watch.h"
#include "howdah/admission/room.h"

namespace howdah::autoscale::model {
namespace {

using admission::Resources;
using admission::Room;
using admission::Tasks;
using std::chrono::seconds;

const Resources kAm{1024, 1, 0, {}};
constexpr const char* kQueue = "default";
// Assumed times: until an AM requests its gang, until all tasks of a gang compute, until the queue is looked at again,
// until a task has saved its work and left a node that drains, and until a NodeManager has exited.
constexpr Duration kAmStart = seconds(2), kTaskStart = seconds(3), kLookPause = seconds(2), kMove = seconds(5),
                   kExit = seconds(1);

double Number(int64_t amount) { return static_cast<double>(amount); }

int64_t CountOf(const std::vector<Tasks>& tasks) {
  int64_t count = 0;
  for (const Tasks& some : tasks) count += some.count;
  return count;
}

NodeReport::State ReportedState(Node::State state) {
  switch (state) {
    case Node::State::kRunning:
      return NodeReport::State::kRunning;
    case Node::State::kDraining:
      return NodeReport::State::kDecommissioning;
    case Node::State::kDecommissioned:
    case Node::State::kStopped:
      return NodeReport::State::kDecommissioned;
    default:
      return NodeReport::State::kGone;
  }
}

void Take(Node& node, const Resources& size) {
  node.free -= size;
  ++node.containers;
}

void Release(Node& node, const Resources& size) {
  node.free += size;
  --node.containers;
}

}  // namespace

Cluster::Cluster(const Workload& workload, Machines& machines, Schedule& schedule)
    : workload_(workload), machines_(machines), schedule_(schedule), begin_(schedule.now()) {
  for (const WorkJob& spec : workload.jobs) jobs_.push_back({.spec = &spec, .left = spec.run});
  for (Job& job : jobs_) {
    schedule_.After(job.spec->at, [this, &job] { Submit(job); });
  }
}

Cluster::View Cluster::Look() const {
  View view;
  for (auto& [host, node] : machines_.nodes()) {
    if (node.state != Node::State::kRunning) continue;
    view.nodes.push_back(&node);
    view.facts.push_back({host, node.total, node.free});
  }
  return view;
}

void Cluster::Wake() {
  if (std::exchange(woken_, true)) return;
  schedule_.After(kLookPause, [this] {
    woken_ = false;
    Serve();
  });
}

void Cluster::Serve() {
  while (first_open_ < jobs_.size() && jobs_[first_open_].state == Job::State::kDone) ++first_open_;
  ReplaceLost();
  // The scheduler gives the room of an AM that has stepped aside to the gang, which is older than the AM's next
  // attempt.
  if (StartGangs()) StartGangs();
  StartAms();
}

void Cluster::Submit(Job& job) {
  job.state = Job::State::kWaiting;
  Wake();
}

void Cluster::ReplaceLost() {
  for (size_t i = first_open_; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    if (job.state != Job::State::kRunning || job.missing.empty()) continue;
    const View view = Look();
    Room room(view.facts, Room::Use::kPresent);
    for (const auto& [position, size] : room.StartSome(job.missing)) {
      Take(*view.nodes[position], size);
      job.containers.push_back({view.nodes[position], size});
    }
    if (job.missing.empty()) Resume(job);
  }
}

bool Cluster::StartGangs() {
  const Instant now = schedule_.now();
  View view = Look();
  admission::Cluster queue{.nodes = view.facts};
  std::vector<Job*> waiting;
  for (size_t i = first_open_; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    job.requests = false;
    if (job.state != Job::State::kWaiting) continue;
    admission::Job& known = queue.jobs.emplace_back();
    known.id = job.spec->id;
    known.queue = kQueue;
    known.submitted = begin_ + job.spec->at;
    known.demand.tasks = job.spec->tasks;
    known.am_size = kAm;
    known.am_attempts = job.am_attempts;
    if (job.am != nullptr) {
      known.am = admission::AmContainer{job.am->host, kAm};
      known.may_step_aside = job.am_ready && now >= job.am_since + admission::PauseBeforeStep(job.am_attempts);
    }
    waiting.push_back(&job);
  }
  if (waiting.empty()) return false;
  bool stepped_aside = false;
  Room room(view.facts, Room::Use::kPresent);
  for (const admission::Place& place : admission::Order(queue, now)) {
    Job& job = **std::ranges::find(waiting, place.id, [](const Job* some) { return some->spec->id; });
    if (place.turn == admission::Turn::kStepsAside) {
      ReleaseAm(job);
      stepped_aside = true;
    }
    if (!admission::MayRequest(place.turn) || !job.am_ready) continue;
    job.requests = true;
    const auto placements = room.Start(job.spec->tasks);
    if (!placements) continue;
    for (const auto& [position, size] : *placements) {
      Take(*view.nodes[position], size);
      job.containers.push_back({view.nodes[position], size});
    }
    job.state = Job::State::kRunning;
    Resume(job);
    job.started = job.resumed;
  }
  return stepped_aside;
}

void Cluster::StartAms() {
  const bool lacks = std::any_of(jobs_.begin() + static_cast<ptrdiff_t>(first_open_), jobs_.end(), [](const Job& job) {
    return job.am == nullptr && (job.state == Job::State::kWaiting || job.state == Job::State::kRunning);
  });
  if (!lacks) return;
  const View view = Look();
  Room room(view.facts, Room::Use::kPresent);
  for (size_t i = first_open_; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    if (job.am != nullptr || (job.state != Job::State::kWaiting && job.state != Job::State::kRunning)) continue;
    const auto placement = room.Start({{1, kAm}});
    if (!placement) return;  // an AM of the same size does not fit, either
    PlaceAm(job, *view.nodes[placement->front().first]);
  }
}

void Cluster::PlaceAm(Job& job, Node& node) {
  Take(node, kAm);
  ++node.ams;
  job.am = &node;
  job.am_ready = false;
  const int attempt = ++job.am_attempts;
  schedule_.After(kAmStart, [this, &job, attempt] {
    if (job.am == nullptr || job.am_attempts != attempt) return;
    job.am_ready = true;
    job.am_since = schedule_.now();
    Wake();
  });
}

void Cluster::ReleaseAm(Job& job) {
  if (job.am == nullptr) return;
  Release(*job.am, kAm);
  --job.am->ams;
  job.am = nullptr;
  job.am_ready = false;
  Wake();
}

void Cluster::Resume(Job& job) {
  job.resumed = schedule_.now() + kTaskStart;
  schedule_.At(job.resumed + job.left, [this, &job, stretch = ++job.stretch] {
    if (job.stretch == stretch) End(job);
  });
}

void Cluster::Interrupt(Job& job) {
  if (!job.missing.empty()) return;  // it does not run now
  job.left -= std::max(schedule_.now() - job.resumed, Duration(0));
  ++job.stretch;
}

void Cluster::End(Job& job) {
  job.state = Job::State::kDone;
  for (const Container& container : job.containers) Release(*container.node, container.size);
  job.containers.clear();
  ReleaseAm(job);
  ++ended_;
  last_end_ = schedule_.now();
  Wake();
}

bool Cluster::TakeTasks(Job& job, const Node& node) {
  const auto here = std::ranges::stable_partition(job.containers, [&](const Container& c) { return c.node != &node; });
  if (here.empty()) return false;
  Interrupt(job);
  for (const Container& container : here) {
    Release(*container.node, container.size);
    job.missing.push_back({1, container.size});
  }
  job.containers.erase(here.begin(), here.end());
  Wake();
  return true;
}

void Cluster::Exclude(const SetExcluded& order) {
  for (auto& [host, node] : machines_.nodes()) {
    const auto timeout = order.timeouts.find(host);
    if (node.state == Node::State::kDraining && timeout == order.timeouts.end()) {
      node.state = Node::State::kRunning;
      Wake();
    }
    if (timeout == order.timeouts.end()) continue;
    if (node.state == Node::State::kRunning) Drain(node);
    if (node.state != Node::State::kDraining) continue;
    node.deadline = node.drains_since + timeout->second;
    if (order.kind == SetExcluded::Kind::kAtOnce) node.deadline = schedule_.now();
    schedule_.At(node.deadline, [this, host = host] {
      const auto found = machines_.nodes().find(host);
      if (found == machines_.nodes().end() || found->second.state != Node::State::kDraining) return;
      if (schedule_.now() >= found->second.deadline) Decommission(found->second);
    });
  }
}

void Cluster::Drain(Node& node) {
  node.state = Node::State::kDraining;
  node.drains_since = schedule_.now();
  if (node.containers > 0) schedule_.After(kMove, [this, host = node.host] { Leave(host); });
}

void Cluster::Leave(const std::string& host) {
  const auto node = machines_.nodes().find(host);
  if (node == machines_.nodes().end() || node->second.state != Node::State::kDraining) return;
  for (size_t i = first_open_; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    if (!job.spec->moves) continue;
    TakeTasks(job, node->second);
    if (job.am == &node->second) ReleaseAm(job);
  }
}

void Cluster::Decommission(Node& node) {
  for (size_t i = first_open_; i < jobs_.size(); ++i) {
    Job& job = jobs_[i];
    if (TakeTasks(job, node)) {
      // The tasks have not saved their work, so the job begins again.
      lost_work_ += (job.spec->run - job.left) * CountOf(job.spec->tasks);
      job.left = job.spec->run;
    }
    if (job.am == &node) ReleaseAm(job);
  }
  node.state = Node::State::kDecommissioned;
  schedule_.After(kExit, [this, host = node.host] {
    const auto found = machines_.nodes().find(host);
    if (found != machines_.nodes().end() && found->second.state == Node::State::kDecommissioned) {
      found->second.state = Node::State::kStopped;
    }
  });
}

NodeChecked::Answer Cluster::Check(const std::string& host) const {
  const auto node = machines_.nodes().find(host);
  const bool is_gone = node == machines_.nodes().end() || node->second.state >= Node::State::kStopped;
  return is_gone ? NodeChecked::Answer::kGone : NodeChecked::Answer::kFree;
}

ClusterSeen Cluster::Observe() const {
  ClusterSeen seen;
  for (const auto& [host, node] : machines_.nodes()) {
    if (node.state == Node::State::kCreating || node.state == Node::State::kDeleting) continue;
    seen.nodes.push_back({.name = host,
                          .host = host,
                          .state = ReportedState(node.state),
                          .label = workload_.node.label,
                          .total = node.total,
                          .used = node.total - node.free,
                          .containers = node.containers,
                          .has_am = node.ams > 0});
    if (node.state != Node::State::kRunning) continue;
    seen.metrics.available_mib += Number(node.free.memory_mib);
    seen.metrics.available_vcores += Number(node.free.vcores);
  }
  const auto add_pending = [&](const std::vector<Tasks>& tasks) {
    for (const Tasks& some : tasks) {
      seen.metrics.pending_mib += Number(some.count * some.each.memory_mib);
      seen.metrics.pending_vcores += Number(some.count * some.each.vcores);
    }
  };
  std::vector<Wanted> lost;
  for (size_t i = first_open_; i < jobs_.size(); ++i) {
    const Job& job = jobs_[i];
    const bool waits = job.state == Job::State::kWaiting;
    if (!waits && (job.state != Job::State::kRunning || job.missing.empty())) continue;
    Wanted wanted{.id = job.spec->id, .queue = kQueue, .label = workload_.node.label, .whole = waits};
    wanted.tasks = waits ? job.spec->tasks : job.missing;
    if (!waits || job.requests) add_pending(wanted.tasks);
    if (job.am == nullptr) {
      wanted.tasks.push_back({1, kAm});
      wanted.am = kAm;
      add_pending({{1, kAm}});
    }
    (waits ? seen.wanted : lost).push_back(std::move(wanted));
  }
  std::ranges::move(lost, std::back_inserter(seen.wanted));
  return seen;
}

Cluster::Result Cluster::result() const {
  Result result{.ended = static_cast<int>(ended_),
                .unfinished = static_cast<int>(jobs_.size() - ended_),
                .lost_work = lost_work_};
  for (const Job& job : jobs_) {
    if (!job.started) continue;
    const Duration wait = *job.started - (begin_ + job.spec->at);
    result.waits += wait;
    result.longest_wait = std::max(result.longest_wait, wait);
    ++result.started;
  }
  return result;
}

}  // namespace howdah::autoscale::model
