#include "rank_series.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace howdah::executor {
namespace {

constexpr std::string_view kPrefix = "metric.";

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

RankSeries::Rank::Rank(int local_rank)
    : step{"step", "", false, local_rank},
      steps_s{"steps_s", "steps/s", false, local_rank},
      step_s{"step_s", "s", false, local_rank},
      input_wait{"input_wait", "share", false, local_rank} {}

// Keeps the series of the previous attempt, so that their ids stay the same.
void RankSeries::Begin(int processes, Instant at) {
  for (int rank = static_cast<int>(ranks_.size()); rank < processes; ++rank) ranks_.emplace_back(rank);
  for (Rank& rank : ranks_) {
    for (Metric& metric : rank.metrics) metric.reported = false;
    rank.newest_step.reset();
    rank.rate_from.reset();
    rank.time_from.reset();
    rank.input.reset();
    rank.input_from = {0, at};
  }
}

bool RankSeries::Take(int local_rank, const core::ProgressLine& line, Instant at) {
  using Kind = core::ProgressLine::Kind;
  Rank& rank = ranks_[static_cast<size_t>(local_rank)];
  if (line.kind == Kind::kMetric) return TakeMetric(rank, line);
  if (line.kind == Kind::kInput) rank.input = {line.value, at};
  if (line.kind == Kind::kStep) {
    rank.newest_step = {line.step, at};
    // Measure from the first reported step. The number of steps before it is unknown, because the program may have
    // continued from a checkpoint.
    if (!rank.rate_from) rank.rate_from = rank.time_from = rank.newest_step;
  }
  return true;
}

bool RankSeries::TakeMetric(Rank& rank, const core::ProgressLine& line) {
  const auto named = [&](const Metric& m) {
    return std::string_view(m.series.name).substr(kPrefix.size()) == line.name;
  };
  auto metric = std::find_if(rank.metrics.begin(), rank.metrics.end(), named);
  if (metric == rank.metrics.end()) {
    const bool known = std::find(names_.begin(), names_.end(), line.name) != names_.end();
    if (metrics_ == kMostMetrics || (!known && names_.size() == kMostNames)) return false;
    if (!known) names_.emplace_back(line.name);
    ++metrics_;
    std::string name(kPrefix);
    name += line.name;
    rank.metrics.push_back({{std::move(name), "", false, rank.step.local_rank}});
    metric = std::prev(rank.metrics.end());
  }
  const bool first = !std::exchange(metric->reported, true);
  metric->newest = line.value;
  if (first || std::isnan(metric->highest) || line.value > metric->highest) metric->highest = line.value;
  metric->step = rank.newest_step ? std::optional(rank.newest_step->value) : std::nullopt;
  return true;
}

void RankSeries::Write(Instant at, MetricWriter& writer) {
  for (Rank& rank : ranks_) {
    WriteSteps(rank, at, writer);
    WriteInput(rank, writer);
    WriteMetrics(rank, writer);
  }
}

void RankSeries::WriteSteps(Rank& rank, Instant at, MetricWriter& writer) {
  if (!rank.newest_step) return;
  const Report<int64_t>& newest = *rank.newest_step;
  writer.Add(rank.step, static_cast<double>(newest.value));
  if (newest.value < rank.rate_from->value) {  // the process has gone back to an earlier step
    rank.rate_from = {newest.value, at};
    rank.time_from = rank.newest_step;
    return;
  }
  // After a single report, the rate is unknown. If no further step is reported until the next sample, the rate is 0.
  const bool single = newest.at == rank.rate_from->at && newest.value == rank.rate_from->value;
  const double seconds = Seconds(at - rank.rate_from->at);
  if (!single && seconds > 0) {
    writer.Add(rank.steps_s, static_cast<double>(newest.value - rank.rate_from->value) / seconds);
  }
  rank.rate_from = {newest.value, at};
  const auto steps = static_cast<double>(newest.value - rank.time_from->value);
  if (steps > 0) {
    writer.Add(rank.step_s, Seconds(newest.at - rank.time_from->at) / steps);
    rank.time_from = rank.newest_step;
  }
}

// An `input` line contains the seconds of waiting since the process started. The value of a sample is the share in the
// time between the newest line and the line before it, which usually differs from the interval between samples.
void RankSeries::WriteInput(Rank& rank, MetricWriter& writer) {
  if (!rank.input) return;
  const Report<double> newest = *std::exchange(rank.input, std::nullopt);
  const double seconds = Seconds(newest.at - rank.input_from.at);
  const double waited = newest.value - rank.input_from.value;
  if (seconds <= 0) return;
  if (waited >= 0) writer.Add(rank.input_wait, std::min(waited / seconds, 1.0));
  rank.input_from = {newest.value, newest.at};
}

void RankSeries::WriteMetrics(Rank& rank, MetricWriter& writer) {
  for (Metric& metric : rank.metrics) {
    if (!std::exchange(metric.reported, false)) continue;
    wire::MetricValue& value = writer.Add(metric.series, metric.newest);
    const bool differs = metric.highest > metric.newest || std::isnan(metric.newest);
    if (differs && !std::isnan(metric.highest)) value.set_max(metric.highest);
    if (metric.step) value.set_step(*metric.step);
  }
}

}  // namespace howdah::executor
