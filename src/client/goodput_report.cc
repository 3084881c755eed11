#include "howdah/client/goodput_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <tuple>

namespace howdah::client {
namespace {

using journal::Bucket;
using journal::Held;
using Buckets = journal::HardwareTime::Buckets;

constexpr int kMillion = 1'000'000;
// The group of jobs that have no queue, no tag and so on.
constexpr char kNone[] = "–";

void CountEnd(core::JobState state, GoodputGroup& group) {
  group.succeeded += state == core::JobState::kSucceeded;
  group.failed += state == core::JobState::kFailed;
  group.killed += state == core::JobState::kKilled;
}

void AddHardware(const CountedJob& job, const Buckets& figures, GoodputGroup& group) {
  if (!job.known) {
    // Without hardware, only the wall time of each bucket is known.
    for (size_t i = 0; i < figures.all.size(); ++i) group.buckets.all[i].wall += figures.all[i].wall;
    return;
  }
  group.known = true;
  group.held += figures.Total();
  for (const auto& [label, held] : figures.labels) group.labels[label] += held;
  if (!job.knows_buckets) return;
  group.knows_buckets = true;
  group.knows_lost |= job.knows_lost;
  group.buckets += figures;
  if (!job.busy) return;
  const journal::ResourceTime useful = figures[Bucket::kUseful].held.gpus;
  group.busy += useful * std::llround(*job.busy * kMillion) / kMillion;
  group.busy_of += useful;
}

// The most expensive hardware comes first.
bool HoldsMore(const GoodputGroup& a, const GoodputGroup& b) {
  const auto size = [](const GoodputGroup& group) {
    return std::make_tuple(group.held.gpus, group.held.vcores, group.held.memory);
  };
  return size(a) != size(b) ? size(a) > size(b) : a.name < b.name;
}

double CostOf(const Held& held, const jobspec::HardwarePrice& price, const jobspec::HardwarePrice& usual) {
  constexpr double kHour = 3600;
  const auto hour = [](const std::optional<double>& own, const std::optional<double>& other) {
    return own ? *own : other.value_or(0);
  };
  return (journal::Seconds(held.vcores) * hour(price.vcore_hour, usual.vcore_hour) +
          journal::GibSeconds(held.memory) * hour(price.gib_hour, usual.gib_hour) +
          journal::Seconds(held.gpus) * hour(price.gpu_hour, usual.gpu_hour)) /
         kHour;
}

}  // namespace

std::string ToText(journal::Day day) {
  const std::chrono::year_month_day date(day);
  char text[32];
  std::snprintf(text, sizeof text, "%04d-%02u-%02u", static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                static_cast<unsigned>(date.day()));
  return text;
}

CountedJob CountedJobOf(const journal::Ledger& ledger) {
  const journal::JobView& view = ledger.job();
  CountedJob job{.id = view.id, .user = view.user, .name = view.name, .framework = view.framework};
  job.backend = view.on;
  job.state = view.state;
  job.days = ledger.ByDay();
  job.known = ledger.known();
  job.knows_buckets = ledger.knows_buckets();
  job.knows_lost = ledger.knows_lost();
  job.busy = ledger.busy();
  return job;
}

std::optional<double> GoodputGroup::goodput() const { return Goodput(buckets[Bucket::kUseful].held, buckets.Total()); }

std::optional<double> GoodputGroup::busy_share() const {
  if (busy_of == 0) return std::nullopt;
  return static_cast<double>(busy) / static_cast<double>(busy_of);
}

std::optional<double> GoodputGroup::Cost(const jobspec::Prices& prices) const {
  if (!known) return std::nullopt;
  Held unlabelled = held;
  double cost = 0;
  for (const auto& [label, labelled] : labels) {
    const auto price = prices.labels.find(label);
    if (price == prices.labels.end()) continue;
    unlabelled -= labelled;
    cost += CostOf(labelled, price->second, prices.usual);
  }
  return cost + CostOf(unlabelled, prices.usual, prices.usual);
}

void GoodputReport::Add(const CountedJob& job) {
  ++total_.jobs;
  CountEnd(job.state, total_);
  for (const auto& [day, figures] : job.days) {
    AddHardware(job, figures, total_);
    if (by_ != GroupBy::kDay) continue;
    GoodputGroup& group = groups_[ToText(day)];
    ++group.jobs;
    AddHardware(job, figures, group);
  }
  if (by_ == GroupBy::kDay) {
    if (!job.days.empty()) CountEnd(job.state, groups_[ToText(job.days.rbegin()->first)]);
    return;
  }
  for (const std::string& name : NamesOf(job)) {
    GoodputGroup& group = groups_[name];
    ++group.jobs;
    CountEnd(job.state, group);
    for (const auto& [day, figures] : job.days) AddHardware(job, figures, group);
  }
}

std::vector<std::string> GoodputReport::NamesOf(const CountedJob& job) const {
  const auto or_none = [](const std::string& text) { return std::vector<std::string>{text.empty() ? kNone : text}; };
  switch (by_) {
    case GroupBy::kUser:
      return or_none(job.user);
    case GroupBy::kQueue:
      return or_none(job.queue);
    case GroupBy::kName:
      return or_none(job.name);
    case GroupBy::kFramework:
      return or_none(job.framework);
    case GroupBy::kBackend:
      return or_none(job.backend);
    case GroupBy::kTag: {
      std::vector<std::string> tags = job.tags;
      std::sort(tags.begin(), tags.end());
      tags.erase(std::unique(tags.begin(), tags.end()), tags.end());
      return tags.empty() ? or_none("") : tags;
    }
    case GroupBy::kJob:
    case GroupBy::kDay:
      return {job.id};
  }
  return {};
}

std::vector<GoodputGroup> GoodputReport::Groups() const {
  std::vector<GoodputGroup> groups;
  for (const auto& [name, group] : groups_) {
    groups.push_back(group);
    groups.back().name = name;
  }
  if (by_ != GroupBy::kDay) std::sort(groups.begin(), groups.end(), HoldsMore);
  return groups;
}

}  // namespace howdah::client
