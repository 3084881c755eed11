#include "hardware_check.h"

#include <algorithm>
#include <utility>

#include "howdah/base/random.h"

namespace howdah::testing::sim {
namespace {

using journal::Bucket;
using journal::Held;

// Uses a time zone in which midnight is shortly after the submission, so that jobs extend over several days.
journal::Days DaysAround(Instant submitted) {
  const auto midnight = std::chrono::ceil<std::chrono::days>(submitted + Duration(1));
  const Duration offset = midnight - submitted - std::chrono::seconds(20);
  return journal::Days([offset](Instant) { return offset; });
}

std::string ToText(const Held& held) {
  std::string text = std::to_string(journal::Seconds(held.memory)) + " B s, " +
                     std::to_string(journal::Seconds(held.vcores)) + " vcore s, " +
                     std::to_string(journal::Seconds(held.gpus)) + " GPU s";
  for (const auto& [type, time] : held.others) text += ", " + std::to_string(journal::Seconds(time)) + " " + type;
  return text;
}

}  // namespace

core::Resources GrantedResources(int number) {
  core::Resources granted{(int64_t{1} << 30) * (1 + number % 3), 1 + number % 2, number % 4 == 0 ? 2 : 0};
  if (number % 5 == 0) granted.others["example.com/fpga"] = 1;
  return granted;
}

// Uses a separate random generator, so that the other decisions of the seed do not depend on this function.
std::optional<core::AmContainerReported> AmContainerOf(const std::string& job, uint64_t seed, int attempt,
                                                       Instant now) {
  Random random(seed + 3);
  if (!random.Chance(0.5)) return std::nullopt;
  const Duration ago = random.Between(Duration(0), Duration(std::chrono::seconds(1)));
  return core::AmContainerReported{
      {job + "-am" + std::to_string(attempt)}, "node0", GrantedResources(random.Between(0, 20)), now - ago};
}

HardwareCheck::HardwareCheck(Instant submitted)
    : submitted_(submitted), now_(submitted), ledger_(DaysAround(submitted)) {
  ledger_.Take(
      {submitted,
       core::JobSubmitted{.id = "job", .name = "", .on = "", .framework = "", .user = "", .host = "", .roles = {}}});
}

void HardwareCheck::Received(const core::Event& event) { events_.push_back(event); }

void HardwareCheck::Recorded(const core::JournalEntry& entry) {
  now_ = std::max(now_, entry.time);
  for (const core::Event& event : std::exchange(events_, {})) Take(event);
  const auto* change = std::get_if<core::ContainerChanged>(&entry.change);
  if (change != nullptr && change->type == core::ContainerChanged::Type::kReleased &&
      held_.contains(change->container)) {
    given_up_ = change->container;
    Release(change->container);
  }
  ledger_.Take(entry);
}

void HardwareCheck::Take(const core::Event& event) {
  if (const auto* granted = std::get_if<core::ContainerGranted>(&event)) {
    Hold(granted->container.text, *granted->granted, now_);
  } else if (const auto* exited = std::get_if<core::ContainerExited>(&event)) {
    Release(exited->container.text);
  } else if (const auto* am = std::get_if<core::AmContainerReported>(&event)) {
    const bool first = am_container_.empty();
    Release(am_container_);
    am_container_ = am->container.text;
    Hold(am_container_, am->granted, first ? std::clamp(am->since, submitted_, now_) : now_);
  }
}

void HardwareCheck::Hold(const std::string& id, const core::Resources& granted, Instant from) {
  held_.try_emplace(id, Container{granted, from});
}

void HardwareCheck::Release(const std::string& id) {
  const auto at = held_.find(id);
  if (at == held_.end()) return;
  gone_ += journal::Over(at->second.granted, now_ - at->second.from);
  held_.erase(at);
}

Held HardwareCheck::Expected() const {
  Held expected = gone_;
  for (const auto& [id, container] : held_) expected += journal::Over(container.granted, now_ - container.from);
  return expected;
}

std::string HardwareCheck::Difference(bool clocks_agree) const {
  if (clocks_agree && !given_up_.empty()) return given_up_ + " is released in the journal, and was not gone";
  Held of_buckets, of_days;
  Duration wall{};
  for (size_t i = 0; i < static_cast<size_t>(Bucket::kCount); ++i) {
    const auto bucket = static_cast<Bucket>(i);
    of_buckets += ledger_.Of(bucket);
    wall += ledger_.Wall(bucket);
    for (const journal::Day day : ledger_.days()) of_days += ledger_.Of(bucket, day);
  }
  const Held expected = Expected();
  if (of_buckets != expected) return "buckets: " + ToText(of_buckets) + "; granted: " + ToText(expected);
  if (of_days != expected) return "days: " + ToText(of_days) + "; granted: " + ToText(expected);
  if (ledger_.Total() != expected) return "total: " + ToText(ledger_.Total()) + "; granted: " + ToText(expected);
  if (wall != now_ - submitted_)
    return "wall time: " + FormatDuration(wall) + " of " + FormatDuration(now_ - submitted_);
  return "";
}

}  // namespace howdah::testing::sim
