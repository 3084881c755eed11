// Short helpers that create journal entries for tests.
#pragma once

#include <random>
#include <string>

#include "howdah/base/exit_status.h"
#include "howdah/journal/job_view.h"

namespace howdah::journal {

inline Instant At(int seconds) {
  return Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21).time_since_epoch()) +
         std::chrono::seconds(seconds);
}

inline core::JournalEntry Submitted(int seconds, std::vector<core::JobSubmitted::Role> roles) {
  core::JobSubmitted change;
  change.id = "howdah-20261121-000000-abcd";
  change.name = "mnist";
  change.on = "local";
  change.framework = "pytorch";
  change.user = "ann";
  change.host = "gateway3";
  change.roles = std::move(roles);
  return {At(seconds), change};
}

inline core::JobChanged JobChange(core::JobChanged::Type type, std::optional<core::JobState> state = std::nullopt) {
  core::JobChanged change;
  change.type = type;
  change.state = state;
  return change;
}

inline core::TaskChanged TaskChange(core::TaskChanged::Type type, const std::string& role, int index,
                                    core::TaskState state, int attempt = 0) {
  core::TaskChanged change;
  change.type = type;
  change.role = role;
  change.index = index;
  change.state = state;
  change.attempt = attempt;
  return change;
}

// Random changes, from a seed.
class RandomChanges {
 public:
  explicit RandomChanges(unsigned seed) : random_(seed) {}

  core::JournalEntry Next() {
    const Instant time = At(Number(0, 1'000'000)) + std::chrono::milliseconds(Number(0, 999));
    switch (Number(0, 5)) {
      case 0:
        return {time, Submitted()};
      case 1:
        return {time, Job()};
      case 2:
        return {time, RandomScale()};
      case 3:
        return {time, Container()};
      case 4:
        return {time, Tokens()};
      default:
        return {time, Task()};
    }
  }
  int Number(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

 private:
  bool Sometimes() { return Number(0, 1) == 1; }
  std::string Text() {
    static const char* const kPieces[] = {"worker", "\"", "\\", "\n", "é", "│", " ", "exit code 7", "\t", "\x01"};
    std::string text;
    for (int i = Number(0, 6); i > 0; --i) text += kPieces[Number(0, 9)];
    return text;
  }
  std::optional<std::string> MaybeText() { return Sometimes() ? std::optional(Text()) : std::nullopt; }
  std::optional<int> MaybeNumber() { return Sometimes() ? std::optional(Number(-5, 70000)) : std::nullopt; }
  std::optional<Instant> MaybeTime() { return Sometimes() ? std::optional(At(Number(0, 1000))) : std::nullopt; }
  std::optional<std::vector<int>> MaybeNumbers() {
    if (Sometimes()) return std::nullopt;
    std::vector<int> numbers(static_cast<size_t>(Number(0, 4)));
    for (int& number : numbers) number = Number(0, 100000);
    return numbers;
  }

  core::JobSubmitted Submitted() {
    core::JobSubmitted change;
    change.id = "id" + Text();
    change.name = Text();
    change.on = Text();
    change.framework = Text();
    change.user = Text();
    change.host = Text();
    for (int i = Number(0, 3); i > 0; --i) change.roles.push_back({Text(), Number(0, 5), Sometimes()});
    return change;
  }
  core::Cause Cause() {
    core::Cause cause{.kind = static_cast<core::Cause::Kind>(Number(0, 18))};
    if (cause.kind <= core::Cause::Kind::kHung) cause = {cause.kind, "worker", Number(0, 9), Number(0, 9)};
    return cause;
  }
  core::JobChanged Job() {
    core::JobChanged change;
    change.type = static_cast<core::JobChanged::Type>(Number(0, 7));
    if (Sometimes()) change.state = static_cast<core::JobState>(Number(0, 6));
    change.generation = MaybeNumber();
    change.am_attempt = MaybeNumber();
    change.reason = MaybeText();
    change.advice = MaybeText();
    if (Sometimes()) change.cause = Cause();
    change.exit_code = MaybeNumber();
    change.tracking_url = MaybeText();
    change.tensorboard_url = MaybeText();
    return change;
  }
  core::TaskChanged Task() {
    core::TaskChanged change;
    change.type = static_cast<core::TaskChanged::Type>(Number(0, 11));
    change.role = Number(0, 1) == 0 ? "ps" : "worker";
    change.index = Number(0, 4);
    change.state = static_cast<core::TaskState>(Number(0, 7));
    change.attempt = Number(0, 3);
    change.generation = MaybeNumber();
    change.node = MaybeText();
    change.container = MaybeText();
    change.host = MaybeText();
    change.port = MaybeNumber();
    change.ranks = MaybeNumbers();
    change.pids = MaybeNumbers();
    if (Sometimes()) {
      ExitStatus exit;
      if (Sometimes()) {
        exit.code = Number(0, 255);
      } else {
        exit.signal = Number(1, 64);
      }
      change.exit = exit;
    }
    change.reason = MaybeText();
    change.advice = MaybeText();
    change.started = MaybeTime();
    change.result_bytes = MaybeNumbers();
    change.finished = MaybeTime();
    if (Sometimes()) change.filling = std::chrono::milliseconds(Number(1, 100000));
    if (Sometimes()) change.progress = Progress();
    if (Sometimes()) change.usage = Usage();
    if (Sometimes()) change.left_files = LeftFiles();
    return change;
  }
  core::Usage Usage() {
    core::Usage usage{Number(0, 9), Number(0, 9000), 0.25};
    if (Sometimes()) usage.memory_average_bytes = Number(1, 9000);
    if (Sometimes()) usage.gpu = core::GpuUse{0.5, Number(0, 100) / 100.0, 0.25, Number(0, 100) / 100.0};
    return usage;
  }
  core::LeftFiles LeftFiles() {
    core::LeftFiles left{.count = Number(1, 9), .bytes = int64_t{Number(0, 9)} << 40};
    for (int i = Number(0, 3); i > 0; --i) left.names.push_back(Text());
    return left;
  }
  core::TaskProgress Progress() {
    core::TaskProgress progress{.at = At(Number(0, 1000))};
    if (Sometimes()) progress.step = int64_t{Number(0, 9)} << 40;
    if (Sometimes()) progress.checkpoint = Number(0, 9);
    progress.checkpoint_at = MaybeTime();
    if (Sometimes()) progress.steps = Number(0, 1000);
    if (Sometimes())
      progress.checkpoint_cost = core::CheckpointCost{Number(0, 9), std::chrono::milliseconds(Number(0, 9999))};
    return progress;
  }
  core::ContainerChanged Container() {
    core::ContainerChanged change;
    change.type = static_cast<core::ContainerChanged::Type>(Number(0, 2));
    change.container = "c" + std::to_string(Number(0, 3));
    change.node = MaybeText();
    change.since = MaybeTime();
    if (Sometimes()) return change;
    change.granted = core::Resources{int64_t{Number(0, 9)} << 30, Number(0, 3), Number(0, 2)};
    if (Sometimes()) change.granted->others[Text()] = Number(0, 9);
    if (Sometimes()) change.granted->label = Text();
    return change;
  }
  core::TokensChanged Tokens() {
    return {static_cast<core::TokensChanged::Type>(Number(0, 2)), At(Number(0, 1000)), Text()};
  }
  core::RoleScaled RandomScale() { return {Text(), Number(0, 9), Number(0, 9), Text()}; }

  std::mt19937 random_;
};

}  // namespace howdah::journal
