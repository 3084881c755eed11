#include "howdah/journal/time_breakdown.h"

#include <algorithm>
#include <utility>

#include "json_fields.h"

namespace howdah::journal {
namespace {

using core::JobState;
using core::TaskState;

constexpr size_t kRestartsKept = 50;
constexpr std::array<std::string_view, static_cast<size_t>(Spent::kCount)> kWords = {
    "queue", "localization", "start", "rendezvous", "running", "lost", "recovering"};

std::string Key(Spent what) { return std::string(ToText(what)) + "_seconds"; }

}  // namespace

std::string_view ToText(Spent what) { return kWords[static_cast<size_t>(what)]; }

void TimeBreakdown::Begin(Instant submitted, int tasks) {
  *this = {};
  last_ = submitted;
  phase_ = Spent::kQueue;
  counts_[static_cast<size_t>(TaskState::kPending)] = tasks;
}

void TimeBreakdown::Advance(Instant now) {
  if (!last_ || !phase_ || now <= *last_) return;
  Total(*phase_) += now - *last_;
  last_ = now;
}

void TimeBreakdown::OnTask(std::optional<TaskState> before, std::optional<TaskState> after) {
  if (before) --counts_[static_cast<size_t>(*before)];
  if (after) ++counts_[static_cast<size_t>(*after)];
  if (phase_ && state_ == JobState::kStarting && !ran_) phase_ = WhileStarting();
}

void TimeBreakdown::OnStarted(Duration filling) {
  if (ran_ || phase_ != Spent::kStart) return;
  Move(Spent::kStart, Spent::kLocalization, std::clamp(filling, Duration::zero(), Stored(Spent::kStart)));
}

void TimeBreakdown::OnProgress(const core::TaskProgress& progress, bool rendezvous) {
  if (!last_) return;
  if (rendezvous && !stepped_ && running_since_ && phase_ == Spent::kRunning) {
    stepped_ = true;
    const Instant first = std::clamp(progress.at, *running_since_, *last_);
    Move(Spent::kRunning, Spent::kRendezvous, first - *running_since_);
    running_since_ = first;
  }
  if (!progress.checkpoint_at) return;
  checkpointed_ = true;
  checkpoint_at_ = std::max(checkpoint_at_.value_or(*progress.checkpoint_at), *progress.checkpoint_at);
  if (!loss_ || *progress.checkpoint_at <= loss_->from) return;
  const Instant saved = std::min(*progress.checkpoint_at, loss_->to);
  Move(Spent::kLost, Spent::kRunning, saved - loss_->from + loss_->before);
  loss_->from = saved;
  loss_->before = {};
}

void TimeBreakdown::OnRejoined() {
  if (!loss_) return;
  unsaved_ = loss_->time();
  Move(Spent::kLost, Spent::kRunning, unsaved_);
  loss_.reset();
}

void TimeBreakdown::OnJob(JobState state, int generation, const std::string& reason) {
  if (!last_) return;
  const bool was_running = state_ == JobState::kRunning;
  state_ = state;
  if (generation > generation_) {
    generation_ = generation;
    ++restart_count_;
    if (restarts_.size() == kRestartsKept) restarts_.erase(restarts_.begin());
    restarts_.push_back({.generation = generation, .at = *last_, .cause = reason});
  }
  if (was_running && state != JobState::kRunning) StopRunning();
  if (core::IsFinal(state)) {
    phase_.reset();
  } else if (state == JobState::kRunning) {
    if (was_running) return;
    if (!restarts_.empty() && recovering_since_) {
      restarts_.back().recovering = *last_ - *recovering_since_;
      restarts_.back().lost = loss_ ? loss_->time() : Duration();
    }
    recovering_since_.reset();
    if (std::exchange(loss_, std::nullopt)) unsaved_ = {};  // no task rejoined: nothing is unsaved
    ran_ = true;
    stepped_ = false;
    running_since_ = last_;
    phase_ = Spent::kRunning;
  } else if (ran_ || state == JobState::kRecovering) {
    phase_ = Spent::kRecovering;
  } else {
    phase_ = WhileStarting();
  }
}

// Called when the job stops running, temporarily or permanently. Unless the job has succeeded, the work since the last
// checkpoint is lost.
void TimeBreakdown::StopRunning() {
  recovering_since_ = last_;
  if (state_ == JobState::kSucceeded || !running_since_) return;
  const Instant from = std::min(std::max(checkpoint_at_.value_or(*running_since_), *running_since_), *last_);
  if (checkpoint_at_ && *checkpoint_at_ > *running_since_) unsaved_ = {};
  loss_ = Loss{from, *last_, unsaved_};
  running_since_.reset();
  Move(Spent::kRunning, Spent::kLost, loss_->time());
}

void TimeBreakdown::Move(Spent from, Spent to, Duration time) {
  Total(from) -= time;
  Total(to) += time;
}

Spent TimeBreakdown::WhileStarting() const {
  if (state_ == JobState::kQueued || Count(TaskState::kPending) > 0) return Spent::kQueue;
  return Count(TaskState::kAllocated) > 0 ? Spent::kLocalization : Spent::kStart;
}

Duration TimeBreakdown::Of(Spent what, Instant now) const {
  Duration time = Stored(what);
  if (phase_ == what && last_) time += std::max(Duration::zero(), now - *last_);
  if (checkpointed_) return time;
  if (what == Spent::kLost) return {};
  return what == Spent::kRunning ? time + Stored(Spent::kLost) : time;
}

std::string TimeBreakdown::Text(Instant now) const {
  if (empty()) return "";
  std::string text;
  for (size_t i = 0; i < kWords.size(); ++i) {
    const Duration time = Of(static_cast<Spent>(i), now);
    if (time < std::chrono::milliseconds(1)) continue;
    text += (text.empty() ? "" : ", ") + std::string(kWords[i]) + " " + FormatDuration(time);
  }
  if (task_restart_count_ > 0 && restart_count_ == 0) {
    text += "; " + std::to_string(task_restart_count_) +
            (task_restart_count_ == 1 ? " restart of a single task" : " restarts of single tasks");
  }
  if (restart_count_ > 0) {
    text += "; " + std::to_string(restart_count_) + (restart_count_ == 1 ? " restart" : " restarts");
    if (task_restart_count_ > 0) text += ", plus " + std::to_string(task_restart_count_) + " of single tasks";
    if (!checkpointed_) text += "; no checkpoint was reported, so lost time counts as running";
  }
  return text;
}

std::string TimeBreakdown::ToJson() const {
  if (empty()) return "null";
  Json json;
  for (size_t i = 0; i < kWords.size(); ++i) {
    const auto what = static_cast<Spent>(i);
    const bool known = what != Spent::kLost || checkpointed_;
    json[Key(what)] = known ? Json(Seconds(Of(what, *last_))) : Json(nullptr);
  }
  json["phase"] = phase_ ? Json(ToText(*phase_)) : Json(nullptr);
  json["until"] = FormatInstant(*last_);
  json["restarts"] = restart_count_;
  json["task_restarts"] = task_restart_count_;
  Json generations = Json::array();
  for (const Restart& restart : restarts_) {
    generations.push_back({{"generation", restart.generation},
                           {"at", FormatInstant(restart.at)},
                           {"cause", restart.cause},
                           {"lost_seconds", checkpointed_ ? Json(Seconds(restart.lost)) : Json(nullptr)},
                           {"recovering_seconds", Seconds(restart.recovering)}});
  }
  json["generations"] = std::move(generations);
  return Dump(json);
}

TimeBreakdown TimeBreakdown::FromJson(const std::string& text) {
  TimeBreakdown breakdown;
  const Json json = Parse(text);
  const auto until = json.is_object() ? TimeField(json, "until") : std::nullopt;
  if (!until) return breakdown;
  breakdown.last_ = *until;
  for (size_t i = 0; i < kWords.size(); ++i) {
    breakdown.totals_[i] = SecondsField(json, Key(static_cast<Spent>(i)).c_str()).value_or(Duration());
    if (TextField(json, "phase") == kWords[i]) breakdown.phase_ = static_cast<Spent>(i);
  }
  const Json* lost = Field(json, "lost_seconds");
  breakdown.checkpointed_ = lost != nullptr && lost->is_number();
  breakdown.restart_count_ = IntField(json, "restarts").value_or(0);
  breakdown.task_restart_count_ = IntField(json, "task_restarts").value_or(0);
  const Json* generations = Field(json, "generations");
  if (generations == nullptr || !generations->is_array()) return breakdown;
  for (const Json& item : *generations) {
    if (!item.is_object()) continue;
    breakdown.restarts_.push_back({.generation = IntField(item, "generation").value_or(0),
                                   .at = TimeField(item, "at").value_or(Instant()),
                                   .cause = TextField(item, "cause").value_or(""),
                                   .lost = SecondsField(item, "lost_seconds").value_or(Duration()),
                                   .recovering = SecondsField(item, "recovering_seconds").value_or(Duration())});
  }
  return breakdown;
}

}  // namespace howdah::journal
