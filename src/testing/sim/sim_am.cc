#include "sim_am.h"

#include <utility>

#include "text.h"

namespace howdah::testing::sim {
namespace {

constexpr int kMostEventsOfAPass = 10'000;  // far more than any job of the simulator needs

}  // namespace

SimAm::SimAm(World& world, const Workload& workload, std::string name, Instant submitted, uint64_t seed, SimDisk& disk,
             Owner& owner)
    : world_(world),
      workload_(workload),
      name_(std::move(name)),
      disk_(disk),
      owner_(owner),
      loop_(workload.spec, workload.rules, submitted, seed, {*this, *this, *this, *this, *this}) {}

void SimAm::Deliver(const core::Event& event) {
  if (in_pass_ && ++queued_in_pass_ > kMostEventsOfAPass) {
    return world_.Violate("A pass of the loop ends", name_ + ": its actions cause new events without end");
  }
  durable_ = false;
  disk_.hardware.Received(event);
  loop_.Post(event);
  if (in_pass_ || !std::exchange(pass_wanted_, false)) return;
  in_pass_ = true;
  ordered_ = false;
  flushes_ = 0;
  queued_in_pass_ = 0;
  loop_.RunPass();
  in_pass_ = false;
  if (died_ || world_.violation || flushes_ == 1) return;
  world_.Violate("The journal is written once per pass", name_ + ": " + std::to_string(flushes_) + " times");
}

// --- event log and journal ---

Status SimAm::Append(const std::vector<am::loop::LoggedEvent>& events) {
  durable_ = true;
  for (const am::loop::LoggedEvent& event : events) disk_.event_log.push_back({event, {}});
  return {};
}

void SimAm::Add(const core::JournalEntry& entry) {
  if (resuming_) return AddAgain(entry.change);
  disk_.recorded.push_back(entry.change);
  disk_.hardware.Recorded(entry);
  ++queued_;
  Order(core::Record{entry.change});
}

// Checks an entry that the resumed AM adds again: the previous AM must have recorded the same entry without writing it.
void SimAm::AddAgain(const core::Change& change) {
  const size_t at = disk_.journal + queued_++;
  if (at < disk_.recorded.size() && disk_.recorded[at] == change) return;
  world_.Violate("An AM that resumes writes the entries that the journal lacks, each once",
                 name_ + ": " + ToText(change));
}

Status SimAm::Flush() {
  ++flushes_;
  if (!died_) disk_.journal += std::exchange(queued_, 0);
  return {};
}

// --- actions ---

void SimAm::Order(const core::Action& action) {
  if (world_.violation) return;
  if (!durable_) {
    return world_.Violate("No action is performed before its event is in the event log",
                          name_ + ": " + ToText(workload_.spec, action));
  }
  if (std::holds_alternative<core::FinishJob>(action)) CheckHardware();
  if (!std::exchange(ordered_, true)) died_ = world_.Fault(world_.faults.orders_lost);
  if (std::holds_alternative<core::FinishJob>(action)) died_ |= std::exchange(disk_.loses_finish, false);
  const std::string text = ToText(workload_.spec, action);
  disk_.event_log.back().orders.push_back(text);
  if (world_.trace)
    world_.trace((died_ ? " (lost)                     -> " : "                            -> ") + text);
  owner_.OnOrdered(action);
  if (world_.violation || died_) return;
  owner_.OnPerform(action);
}

void SimAm::CheckHardware() {
  const std::string difference = disk_.hardware.Difference(world_.clocks_agree());
  if (difference.empty()) return;
  world_.Violate("The buckets of the ledger add up to the containers that the backend granted",
                 name_ + ": " + difference);
}

void SimAm::Arm(std::optional<Instant> deadline) {
  if (!died_) owner_.OnDeadline(deadline);
}

// --- resuming ---

void SimAm::Resume() {
  resuming_ = true;
  std::vector<am::loop::LoggedEvent> past;
  for (const SimDisk::Logged& one : disk_.event_log) past.push_back(one.logged);
  for (const am::loop::LoggedEvent& one : past) loop_.Replay(one, disk_.journal);
  resuming_ = false;
  if (disk_.journal + queued_ == disk_.recorded.size()) return;
  world_.Violate(
      "An AM that resumes writes the entries that the journal lacks, each once",
      name_ + ": " + std::to_string(queued_) + " of " + std::to_string(disk_.recorded.size() - disk_.journal));
}

void SimAm::Replayed(const am::loop::LoggedEvent& logged, const std::vector<core::Action>& actions) {
  const SimDisk::Logged& before = disk_.event_log[replayed_++];
  std::vector<std::string> orders;
  bool same_entries = true;
  for (const core::Action& action : actions) {
    orders.push_back(ToText(workload_.spec, action));
    const auto* record = std::get_if<core::Record>(&action);
    if (record == nullptr) continue;
    const size_t at = replayed_entries_++;
    same_entries = same_entries && at < disk_.recorded.size() && disk_.recorded[at] == record->change;
  }
  if (same_entries && orders == before.orders) return;
  world_.Violate("A replayed event leads to the same orders as before",
                 name_ + " at " + FormatInstant(logged.at) + ": " + ToText(workload_.spec, logged.event));
}

}  // namespace howdah::testing::sim
