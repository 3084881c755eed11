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
  timeline_.Append({*phase_, *last_, now});
  last_ = now;
}

void TimeBreakdown::OnTask(std::optional<TaskState> before, std::optional<TaskState> after) {
  if (before) --counts_[static_cast<size_t>(*before)];
  if (after) ++counts_[static_cast<size_t>(*after)];
  if (phase_ && state_ == JobState::kStarting && !ran_) phase_ = WhileStarting();
}

void TimeBreakdown::OnStarted(Duration filling) {
  if (ran_ || phase_ != Spent::kStart) return;
  timeline_.Move(timeline_.Newest(Spent::kStart, filling), Spent::kLocalization);
}

void TimeBreakdown::OnProgress(const core::TaskProgress& progress, bool rendezvous) {
  if (!last_) return;
  if (rendezvous && !stepped_ && running_since_ && phase_ == Spent::kRunning) {
    stepped_ = true;
    const Instant first = std::clamp(progress.at, *running_since_, *last_);
    timeline_.Move({{Spent::kRunning, *running_since_, first}}, Spent::kRendezvous);
    running_since_ = first;
  }
  if (!progress.checkpoint_at) return;
  checkpointed_ = true;
  checkpoint_at_ = std::max(checkpoint_at_.value_or(*progress.checkpoint_at), *progress.checkpoint_at);
  if (!loss_ || *progress.checkpoint_at <= loss_->back().from) return;
  Stretch& newest = loss_->back();
  const Stretch still_lost{Spent::kLost, std::min(*progress.checkpoint_at, newest.to), newest.to};
  newest.to = still_lost.from;
  timeline_.Move(*loss_, Spent::kRunning);
  loss_->assign(1, still_lost);
}

void TimeBreakdown::OnRejoined() {
  if (!loss_) return;
  unsaved_ = *std::exchange(loss_, std::nullopt);
  timeline_.Move(unsaved_, Spent::kRunning);
  for (Stretch& stretch : unsaved_) stretch.what = Spent::kRunning;
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
      restarts_.back().lost = loss_ ? Sum(*loss_) : Duration();
    }
    recovering_since_.reset();
    if (std::exchange(loss_, std::nullopt)) unsaved_.clear();  // no task has rejoined with unsaved work
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
  if (checkpoint_at_ && *checkpoint_at_ > *running_since_) unsaved_.clear();
  loss_ = unsaved_;
  loss_->push_back({Spent::kRunning, from, *last_});
  running_since_.reset();
  timeline_.Move(*loss_, Spent::kLost);
  for (Stretch& stretch : *loss_) stretch.what = Spent::kLost;
}

// Returns the beginning of the time that later entries may move to another bucket: the time of the current generation,
// of the newest loss, of unsaved work, and of the job's start.
Instant TimeBreakdown::settled() const {
  const auto& stretches = timeline_.stretches();
  if (!ran_ && !stretches.empty()) return stretches.front().from;
  Instant settled = *last_;
  if (running_since_) {
    const bool saved = stepped_ && checkpoint_at_;
    settled = std::min(settled, saved ? std::max(*checkpoint_at_, *running_since_) : *running_since_);
  }
  if (loss_) settled = std::min(settled, loss_->front().from);
  if (!unsaved_.empty()) settled = std::min(settled, unsaved_.front().from);
  return settled;
}

Spent TimeBreakdown::WhileStarting() const {
  if (state_ == JobState::kQueued || Count(TaskState::kPending) > 0) return Spent::kQueue;
  return Count(TaskState::kAllocated) > 0 ? Spent::kLocalization : Spent::kStart;
}

Duration TimeBreakdown::Of(Spent what, Instant now) const {
  Duration time = timeline_.total(what);
  if (phase_ == what && last_) time += std::max(Duration::zero(), now - *last_);
  if (checkpointed_) return time;
  if (what == Spent::kLost) return {};
  return what == Spent::kRunning ? time + timeline_.total(Spent::kLost) : time;
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
    const auto what = static_cast<Spent>(i);
    breakdown.timeline_.AddTotal(what, SecondsField(json, Key(what).c_str()).value_or(Duration()));
    if (TextField(json, "phase") == kWords[i]) breakdown.phase_ = what;
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
