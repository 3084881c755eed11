#include "howdah/advice/trail.h"

#include <algorithm>
#include <utility>

#include "howdah/base/ids.h"
#include "howdah/core/policy/bad_nodes.h"

namespace howdah::advice {
namespace {

using core::JobChanged;
using core::TaskChanged;

constexpr Duration kLongEnoughForARate = std::chrono::minutes(1);

std::string WithoutNumbers(std::string text) {
  std::erase_if(text, [](char c) { return c >= '0' && c <= '9'; });
  return text;
}

// The part of a failure's sentence after the task, its node and its attempt.
std::string CauseIn(const std::string& reason) {
  const size_t attempt = reason.find(", attempt ");
  const size_t colon = reason.find(": ", attempt == std::string::npos ? 0 : attempt);
  return attempt == std::string::npos || colon == std::string::npos ? "" : reason.substr(colon + 2);
}

std::string KeyOf(const Trail::Failure& failure) {
  const std::string exit = failure.exit ? ToText(*failure.exit) : "lost";
  return failure.role + "\n" + exit + "\n" + WithoutNumbers(CauseIn(failure.reason));
}

// The steps per second between two reports of an attempt. nullopt if they are too close to each other.
std::optional<double> StepRate(const std::optional<core::TaskProgress>& first,
                               const std::optional<core::TaskProgress>& last) {
  if (!first || !last || last->at - first->at < kLongEnoughForARate) return std::nullopt;
  const auto steps = static_cast<double>(*last->step) - static_cast<double>(*first->step);
  if (steps <= 0) return std::nullopt;
  return steps / std::chrono::duration<double>(last->at - first->at).count();
}

}  // namespace

void Trail::Take(const core::JournalEntry& entry) {
  if (const auto* job = std::get_if<JobChanged>(&entry.change)) Take(entry.time, *job);
  if (const auto* task = std::get_if<TaskChanged>(&entry.change)) Take(entry.time, *task);
  if (const auto* container = std::get_if<core::ContainerChanged>(&entry.change)) Take(*container);
}

void Trail::Take(const core::ContainerChanged& change) {
  using Type = core::ContainerChanged::Type;
  if (change.type == Type::kReleased) containers_.erase(change.container);
  if (change.type == Type::kGranted && change.granted) containers_[change.container] = *change.granted;
}

void Trail::Take(Instant at, const JobChanged& change) {
  const bool final = change.state && core::IsFinal(*change.state);
  const bool running = change.state == core::JobState::kRunning;
  if (running || final) EndWait(at);
  if (running) ran_ = true;
  if (change.type == JobChanged::Type::kWaiting && change.reason && !ran_) {
    EndWait(at);
    waiting_for_ = *change.reason;
    waiting_since_ = at;
  }
  if (change.advice && change.type != JobChanged::Type::kFinished) {
    const size_t words = change.advice->find(core::policy::kIsAvoided);
    if (words != std::string::npos && avoided_nodes_.size() < kMostNodes)
      avoided_nodes_[change.advice->substr(0, words)] = {*change.advice,
                                                         core::policy::AvoidedUntil(*change.advice, at)};
  }
  if (!final) return;
  for (auto& [name, role] : roles_) {
    for (auto& [index, task] : role.tasks) Release(role, task, at);
  }
}

void Trail::EndWait(Instant at) {
  if (waiting_for_.empty()) return;
  const std::string key = WithoutNumbers(waiting_for_);
  const auto known = waits_.find(key);
  if (known != waits_.end() || waits_.size() < kMostWaits) {
    Wait& wait = waits_[key];
    wait.time += std::max(Duration::zero(), at - waiting_since_);
    wait.reason = waiting_for_;
  }
  waiting_for_.clear();
}

std::vector<Trail::Wait> Trail::WaitsUntil(Instant now) const {
  Trail until = *this;
  until.EndWait(now);
  std::vector<Wait> waits;
  for (auto& [key, wait] : until.waits_) waits.push_back(wait);
  return waits;
}

void Trail::Take(Instant at, const TaskChanged& change) {
  using Type = TaskChanged::Type;
  Role& role = roles_[change.role];
  Task& task = role.tasks[change.index];
  if (change.node && !change.node->empty()) {
    task.node = *change.node;
    if (nodes_.size() < kMostNodes || nodes_.contains(task.node)) nodes_.insert(task.node);
  }
  if (change.container) {
    const auto container = containers_.find(*change.container);
    if (container != containers_.end()) role.granted = container->second;
  }
  switch (change.type) {
    case Type::kAllocated:
      if (!task.container_since) task.container_since = at;
      break;
    case Type::kStarted: {
      if (!task.container_since) task.container_since = at;
      if (task.failure && !task.failure->lost) {
        // Ranked tasks restart together in a new generation, so their failures count once for each generation.
        const bool alone = task.generation == change.generation;
        const std::string key = KeyOf(*task.failure);
        if (!repeated_.contains(key) && repeated_.size() == kMostFailures) {
          restarts_of_.erase(repeated_.begin()->first);
          repeated_.erase(repeated_.begin());
        }
        std::string restart = std::to_string(task.generation.value_or(0));
        if (alone) restart += " " + std::to_string(task.failure->index) + " " + std::to_string(task.failure->attempt);
        if (alone && task.started) role.repeated_time += std::max(Duration::zero(), task.failure->at - *task.started);
        Repeated& repeated = repeated_[key];
        repeated.newest = *task.failure;
        if (restarts_of_[key].size() < kMostFailures) restarts_of_[key].insert(std::move(restart));
        repeated.restarts = static_cast<int>(restarts_of_[key].size());
      }
      task.failure.reset();
      task.generation = change.generation;
      task.started = at;
      break;
    }
    case Type::kExited:
    case Type::kLost:
      TakeFailure(at, change, task);
      Release(role, task, at);
      break;
    case Type::kPending:
    case Type::kStopped:
    case Type::kRemoved:
      Release(role, task, at);
      break;
    default:
      break;
  }
  if (change.attempt != task.attempt) {
    task.attempt = change.attempt;
    if (const auto rate = StepRate(task.first, task.last)) task.earlier_rate = rate;
    task.first = task.last = std::nullopt;
    if (task.saves && (!most_saves_ || task.saves->Between() > most_saves_->Between())) most_saves_ = task.saves;
    task.saves.reset();
  }
  if (change.progress) TakeProgress(*change.progress, task);
}

void Trail::TakeFailure(Instant at, const TaskChanged& change, Task& task) {
  const bool lost = change.type == TaskChanged::Type::kLost;
  if (!lost && (!change.exit || change.exit->success())) return;
  Failure failure{.role = change.role,
                  .index = change.index,
                  .attempt = change.attempt,
                  .node = task.node,
                  .at = at,
                  .exit = change.exit,
                  .lost = lost,
                  .reason = change.reason.value_or("")};
  ++failure_count_;
  if (failures_.size() == kMostFailures) failures_.erase(failures_.begin());
  failures_.push_back(failure);
  task.failure = std::move(failure);
}

void Trail::TakeProgress(const core::TaskProgress& progress, Task& task) {
  if (progress.step) {
    if (!task.first || *progress.step < *task.first->step) task.first = progress;
    task.last = progress;
    newest_step_at_ = std::max(newest_step_at_.value_or(progress.at), progress.at);
  }
  if (progress.checkpoint_cost && progress.checkpoint_at) {
    const core::CheckpointCost& cost = *progress.checkpoint_cost;
    if (!task.saves) task.saves = Saves{.first_at = *progress.checkpoint_at, .first_count = cost.count};
    task.saves->last_at = *progress.checkpoint_at;
    task.saves->cost = cost;
  }
  if (progress.checkpoint_at)
    newest_checkpoint_at_ = std::max(newest_checkpoint_at_.value_or(*progress.checkpoint_at), *progress.checkpoint_at);
}

void Trail::Release(Role& role, Task& task, Instant at) {
  if (!task.container_since) return;
  role.container_time += std::max(Duration::zero(), at - *task.container_since);
  task.container_since.reset();
}

std::vector<Trail::Repeated> Trail::RepeatedFailures() const {
  std::vector<Repeated> all;
  for (const auto& [key, repeated] : repeated_) all.push_back(repeated);
  return all;
}

std::map<std::string, std::vector<double>> Trail::StepRates() const {
  std::map<std::string, std::vector<double>> rates;
  for (const auto& [name, role] : roles_) {
    for (const auto& [index, task] : role.tasks) {
      const auto newest = StepRate(task.first, task.last);
      if (const auto rate = newest ? newest : task.earlier_rate) rates[name].push_back(*rate);
    }
  }
  return rates;
}

Duration Trail::RepeatedTime(const std::string& role) const {
  const auto found = roles_.find(role);
  return found == roles_.end() ? Duration() : found->second.repeated_time;
}

std::optional<core::Resources> Trail::GrantedTo(const std::string& role) const {
  const auto found = roles_.find(role);
  return found == roles_.end() ? std::nullopt : found->second.granted;
}

const Trail::Saves* Trail::MostSaves() const {
  const Saves* most = most_saves_ ? &*most_saves_ : nullptr;
  for (const auto& [name, role] : roles_) {
    for (const auto& [index, task] : role.tasks) {
      if (task.saves && (most == nullptr || task.saves->Between() > most->Between())) most = &*task.saves;
    }
  }
  return most != nullptr && most->Between() > 0 ? most : nullptr;
}

std::optional<Duration> Trail::CheckpointCost() const {
  const Saves* const saves = MostSaves();
  return saves == nullptr ? std::nullopt : std::optional(saves->cost.time / saves->cost.count);
}

std::optional<Duration> Trail::CheckpointInterval() const {
  const Saves* const saves = MostSaves();
  return saves == nullptr ? std::nullopt : std::optional((saves->last_at - saves->first_at) / saves->Between());
}

Duration Trail::ContainerTime(const std::string& role, Instant now) const {
  const auto found = roles_.find(role);
  if (found == roles_.end()) return {};
  Duration time = found->second.container_time;
  for (const auto& [index, task] : found->second.tasks) {
    if (task.container_since) time += std::max(Duration::zero(), now - *task.container_since);
  }
  return time;
}

}  // namespace howdah::advice
