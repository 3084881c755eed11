#include "howdah/core/progress.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "howdah/base/number.h"
#include "howdah/base/text.h"

namespace howdah::core {
namespace {

constexpr int kLongestGraceTimes = 10;
constexpr double kBusy = 0.05;  // share of one core
constexpr Duration kFirstPause = std::chrono::seconds(10), kLongestPause = std::chrono::minutes(10);
constexpr int kManyTasks = 100;
constexpr size_t kMostDigits = 18;

std::optional<int64_t> StepOf(std::string_view text) {
  const std::string_view digits = Trim(text);
  const bool blank_before = !text.empty() && digits.size() < text.size();
  if (!blank_before || digits.empty() || digits.size() > kMostDigits) return std::nullopt;
  int64_t step = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    step = step * 10 + (c - '0');
  }
  return step;
}

std::optional<double> NumberOf(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  return ParseNumber<double>(text);
}

bool IsMetricName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestMetricName && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '/' || c == '-';
  });
}

// Parses the words after "input".
std::optional<ProgressLine> ParseInput(std::string_view words) {
  const auto seconds = NumberOf(Trim(words));
  if (!seconds || !std::isfinite(*seconds) || *seconds < 0) return std::nullopt;
  return ProgressLine{.kind = ProgressLine::Kind::kInput, .value = *seconds};
}

// Parses the words after "metric".
std::optional<ProgressLine> ParseMetric(std::string_view words) {
  words = Trim(words);
  const size_t end = std::min(words.find_first_of(" \t"), words.size());
  const std::string_view name = words.substr(0, end);
  const auto value = NumberOf(Trim(words.substr(end)));
  if (!value || !IsMetricName(name)) return std::nullopt;
  return ProgressLine{.kind = ProgressLine::Kind::kMetric, .value = *value, .name = name};
}

}  // namespace

std::optional<ProgressLine> ParseProgressLine(std::string_view line) {
  using Kind = ProgressLine::Kind;
  constexpr std::pair<std::string_view, Kind> kWords[] = {
      {"steps", Kind::kSteps}, {"step", Kind::kStep}, {"checkpoint", Kind::kCheckpoint}};
  const std::string_view text = Trim(line);
  if (text == "checkpointing") return ProgressLine{Kind::kSaving};
  const size_t first = std::min(text.find_first_of(" \t"), text.size());
  if (text.substr(0, first) == "input") return ParseInput(text.substr(first));
  if (text.substr(0, first) == "metric") return ParseMetric(text.substr(first));
  for (const auto& [word, kind] : kWords) {
    const auto step = text.starts_with(word) ? StepOf(text.substr(word.size())) : std::nullopt;
    if (step) return ProgressLine{kind, *step};
  }
  return std::nullopt;
}

Duration LongestGrace(const jobspec::Checkpoint& checkpoint) {
  return std::max(checkpoint.grace, checkpoint.max_grace.value_or(kLongestGraceTimes * checkpoint.grace));
}

std::optional<Duration> ProgressLimit(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role) {
  if (role.progress_timeout) return role.progress_timeout;
  const bool works = role.kind == jobspec::RoleKind::kWorker || role.kind == jobspec::RoleKind::kSetup;
  return works ? spec.timeouts.progress : std::nullopt;
}

Activity NewestActivity(const ActivityTimes& times) {
  if (times.progress) return {*times.progress, "progress"};
  Activity last{times.started, "start"};
  const std::pair<const std::optional<Instant>&, std::string_view> others[] = {
      {times.output, "output"}, {times.cpu, "CPU use"}, {times.gpu, "GPU use"}};
  for (const auto& [at, what] : others) {
    if (at && *at > last.at) last = {*at, what};
  }
  return last;
}

bool IsBusy(double cpu_seconds, Duration during) {
  return cpu_seconds > kBusy * std::chrono::duration<double>(during).count();
}

Duration PauseAfterProgress(int nth, int tasks) {
  Duration pause = kFirstPause;
  for (int i = 1; i < nth && pause < kLongestPause; ++i) pause = std::min(pause * 2, kLongestPause);
  return pause * std::max(1, tasks / kManyTasks);
}

std::string ToText(const TaskProgress& progress) {
  std::string text;
  if (progress.step) text = "step " + std::to_string(*progress.step);
  if (progress.step && progress.steps) text += " of " + std::to_string(*progress.steps);
  if (progress.checkpoint) text += (text.empty() ? "" : ", ") + ("checkpoint " + std::to_string(*progress.checkpoint));
  return text;
}

}  // namespace howdah::core
