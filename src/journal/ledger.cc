#include "howdah/journal/ledger.h"

#include <utility>

namespace howdah::journal {
namespace {

// Returns the sum of the values that `of` selects from each day.
template <typename Of>
auto SumOver(const std::map<Day, HardwareTime::Buckets>& days, const Of& of) {
  decltype(of(std::declval<const HardwareTime::Buckets&>())) sum{};
  for (const auto& [day, buckets] : days) sum += of(buckets);
  return sum;
}

Held AllOf(const HardwareTime::Buckets& buckets) { return buckets.Total(); }

}  // namespace

Ledger::Ledger(Days days, Window window) { view_.hardware = HardwareTime(std::move(days), window); }

void Ledger::Take(const core::JournalEntry& entry) { view_.Apply(entry); }

void Ledger::AdvanceTo(Instant now) { view_.time_breakdown.Advance(now); }

bool Ledger::known() const { return view_.hardware.known(); }

bool Ledger::knows_buckets() const { return known() && view_.on != kTonyHistory; }

bool Ledger::knows_lost() const { return view_.time_breakdown.checkpointed(); }

std::map<Day, HardwareTime::Buckets> Ledger::ByDay() const { return view_.hardware.ByDay(view_.time_breakdown); }

Held Ledger::Of(Bucket bucket) const {
  return SumOver(ByDay(), [&](const auto& buckets) { return buckets[bucket].held; });
}

Held Ledger::Of(Bucket bucket, Day day) const {
  const auto days = ByDay();
  const auto at = days.find(day);
  return at == days.end() ? Held() : at->second[bucket].held;
}

Held Ledger::Total() const { return SumOver(ByDay(), AllOf); }

Held Ledger::Total(Day day) const {
  const auto days = ByDay();
  const auto at = days.find(day);
  return at == days.end() ? Held() : AllOf(at->second);
}

std::vector<Day> Ledger::days() const {
  std::vector<Day> days;
  for (const auto& [day, buckets] : ByDay()) days.push_back(day);
  return days;
}

Duration Ledger::Wall(Bucket bucket) const {
  return SumOver(ByDay(), [&](const auto& buckets) { return buckets[bucket].wall; });
}

Duration Ledger::Wall(Bucket bucket, Day day) const {
  const auto days = ByDay();
  const auto at = days.find(day);
  return at == days.end() ? Duration() : at->second[bucket].wall;
}

std::optional<double> Ledger::busy() const { return view_.hardware.busy(); }

std::optional<double> Goodput(const Held& useful, const Held& held) {
  const auto share = [](ResourceTime part, ResourceTime whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (held.gpus > 0) return share(useful.gpus, held.gpus);
  if (held.vcores > 0) return share(useful.vcores, held.vcores);
  if (held.memory > 0) return share(useful.memory, held.memory);
  return std::nullopt;
}

}  // namespace howdah::journal
