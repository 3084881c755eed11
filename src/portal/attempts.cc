#include "attempts.h"

#include <algorithm>

#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "json_text.h"

namespace howdah::portal {
namespace {

using Type = core::TaskChanged::Type;

void EndSpan(Attempt& attempt, Instant at) {
  if (!attempt.spans.empty() && !attempt.spans.back().to) attempt.spans.back().to = at;
}

void EnterState(Attempt& attempt, core::TaskState state, Instant at) {
  if (!attempt.spans.empty() && attempt.spans.back().state == state && !attempt.spans.back().to) return;
  EndSpan(attempt, at);
  if (core::IsFinal(state)) return;
  if (attempt.spans.size() == AttemptLog::kMostSpans) attempt.spans.erase(attempt.spans.begin());
  attempt.spans.push_back({state, at, std::nullopt});
}

Json ExitCodeJson(const std::optional<ExitStatus>& exit) {
  return exit && exit->code ? Json(*exit->code) : Json(nullptr);
}

Json SignalJson(const std::optional<ExitStatus>& exit) {
  return exit && exit->signal ? Json(SignalName(*exit->signal)) : Json(nullptr);
}

}  // namespace

void AttemptLog::Take(const core::JournalEntry& entry) {
  const int generation_before = view_.generation;
  view_.Apply(entry);
  if (const auto* submitted = std::get_if<core::JobSubmitted>(&entry.change)) {
    roles_.clear();
    for (const auto& role : submitted->roles) roles_.push_back(role.name);
  } else if (const auto* task = std::get_if<core::TaskChanged>(&entry.change)) {
    Take(entry.time, *task);
  } else if (const auto* scaled = std::get_if<core::RoleScaled>(&entry.change)) {
    AddMark({entry.time, "scaled", "",
             scaled->role + " from " + std::to_string(scaled->from) + " to " + CountOf(scaled->to, "task") + " by " +
                 scaled->by});
  } else if (const auto* job = std::get_if<core::JobChanged>(&entry.change)) {
    const bool recovers = job->type == core::JobChanged::Type::kRecovering;
    const bool is_new = job->generation && *job->generation != generation_before;
    if (recovers && (is_new || job->reason)) AddMark({entry.time, "recovering", "", job->reason.value_or("")});
    if (job->type == core::JobChanged::Type::kStopRequested)
      AddMark({entry.time, "stop", "", job->reason.value_or("")});
  }
}

void AttemptLog::Take(Instant at, const core::TaskChanged& change) {
  if (std::find(roles_.begin(), roles_.end(), change.role) == roles_.end()) roles_.push_back(change.role);
  std::vector<Attempt>& attempts = tasks_[change.role][change.index];
  if (attempts.empty() || attempts.back().attempt != change.attempt) {
    if (!attempts.empty()) EndSpan(attempts.back(), at);
    Attempt next{.role = change.role, .index = change.index, .attempt = change.attempt};
    // A restart in place keeps its container.
    if (change.type != Type::kPending && !attempts.empty()) {
      next.node = attempts.back().node;
      next.container = attempts.back().container;
    }
    attempts.push_back(std::move(next));
  }
  Attempt& attempt = attempts.back();
  attempt.generation = change.generation.value_or(view_.generation);
  if (change.node && !change.node->empty()) attempt.node = *change.node;
  if (change.container && !change.container->empty()) attempt.container = *change.container;
  if (change.ranks) attempt.ranks = *change.ranks;
  if (change.reason) attempt.reason = *change.reason;
  if (change.started) attempt.started = *change.started;
  if (change.finished) attempt.finished = *change.finished;
  if (change.exit) attempt.exit = *change.exit;
  if (change.usage) attempt.usage = *change.usage;
  if (change.progress) attempt.progress = *change.progress;
  AddMarks(at, change, attempt);
  const bool only_reports = change.type == Type::kProgressed || change.type == Type::kHung ||
                            change.type == Type::kStackSampled || change.type == Type::kRejoined ||
                            change.type == Type::kServes;
  if (only_reports) return;
  attempt.state = change.state;
  EnterState(attempt, change.state, change.type == Type::kStarted ? change.started.value_or(at) : at);
}

void AttemptLog::AddMarks(Instant at, const core::TaskChanged& change, const Attempt& attempt) {
  const std::string task = TaskText(change.role, change.index);
  if (change.type == Type::kExited && change.state == core::TaskState::kFailed)
    AddMark({at, "failure", task, attempt.reason});
  if (change.type == Type::kLost) AddMark({at, "lost", task, attempt.reason});
  if (!change.progress || !change.progress->checkpoint || !change.progress->checkpoint_at) return;
  const Mark checkpoint{*change.progress->checkpoint_at, "checkpoint", "",
                        "checkpoint of step " + std::to_string(*change.progress->checkpoint)};
  if (std::find(marks_.rbegin(), marks_.rend(), checkpoint) == marks_.rend()) AddMark(checkpoint);
}

void AttemptLog::AddMark(Mark mark) {
  if (marks_.size() == kMostMarks) marks_.erase(marks_.begin());
  marks_.push_back(std::move(mark));
}

std::vector<Attempt> AttemptLog::Attempts() const {
  std::vector<Attempt> all;
  for (const std::string& role : roles_) {
    const auto tasks = tasks_.find(role);
    if (tasks == tasks_.end()) continue;
    for (const auto& [index, attempts] : tasks->second) {
      for (const Attempt& attempt : attempts) {
        const bool is_newest = &attempt == &attempts.back();
        if (!attempt.container.empty() || attempt.started || is_newest) all.push_back(attempt);
      }
    }
  }
  return all;
}

std::string AttemptJson(const Attempt& attempt, bool with_spans) {
  Json json = {{"task", TaskText(attempt.role, attempt.index)},
               {"role", attempt.role},
               {"index", attempt.index},
               {"attempt", attempt.attempt},
               {"generation", attempt.generation},
               {"state", core::ToText(attempt.state)},
               {"node", OrNull(attempt.node)},
               {"container", OrNull(attempt.container)},
               {"ranks", attempt.ranks},
               {"started", OrNull(attempt.started)},
               {"finished", OrNull(attempt.finished)},
               {"exit_code", ExitCodeJson(attempt.exit)},
               {"signal", SignalJson(attempt.exit)},
               {"reason", OrNull(attempt.reason)}};
  if (with_spans) {
    Json spans = Json::array();
    for (const Span& span : attempt.spans) {
      spans.push_back(
          {{"state", core::ToText(span.state)}, {"from", FormatInstant(span.from)}, {"to", OrNull(span.to)}});
    }
    json["spans"] = std::move(spans);
    return Dump(json);
  }
  json["memory_peak_bytes"] = attempt.usage ? Json(attempt.usage->memory_peak_bytes) : Json(nullptr);
  json["cpu_seconds"] = attempt.usage ? Json(attempt.usage->cpu_seconds) : Json(nullptr);
  json["step"] = attempt.progress ? OrNull(attempt.progress->step) : Json(nullptr);
  return Dump(json);
}

std::string MarkJson(const Mark& mark) {
  return Dump({{"at", FormatInstant(mark.at)}, {"kind", mark.kind}, {"task", OrNull(mark.task)}, {"text", mark.text}});
}

}  // namespace howdah::portal
