#include "am.h"

#include <algorithm>
#include <utility>

#include "text.h"

namespace howdah::testing::feed_sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

SimAm::SimAm(World& world, Checker& checker, Peers& peers) : world_(world), checker_(checker), peers_(peers) {
  ledger_.emplace(world_.scenario.options);
}

bool SimAm::Deliver(const feed::Event& event) {
  if (!alive_ || world_.violation) return false;
  ++events_;
  world_.Trace([&event] { return "<- " + ToText(event); });
  const std::string before = ledger_->Snapshot();
  feed::StepResult result = ledger_->Step(event, world_.schedule.now());
  if (!result.changed && ledger_->Snapshot() != before) {
    world_.Violate("A step that reports no change leaves the state as it was", ToText(event));
  }
  ledger_->CheckInvariants();
  if (result.changed) log_.push_back(feed::EncodeRecord(event, world_.schedule.now()));
  for (const feed::Action& action : result.actions) checker_.Ordered(action);
  if (!result.actions.empty() && world_.Fault(world_.faults().am_dies)) {
    world_.Reach(Situation::kOrdersLost);
    Die();
    return true;
  }
  if (world_.random.Chance(0.005)) {
    world_.Reach(Situation::kLogCompacted);
    log_ = {ledger_->Snapshot()};
  }
  Perform(result.actions);
  if (result.changed && world_.scenario.own_partitions) peers_.AskAgain();
  Arm();
  return true;
}

void SimAm::Perform(const std::vector<feed::Action>& actions) {
  for (const feed::Action& action : actions) {
    world_.Trace([&action] { return "-> " + ToText(action); });
    world_.Digest(action.index() + 1);
    peers_.Perform(action);
  }
  if (!actions.empty()) peers_.AskAgain();
}

void SimAm::Call(const feed::Event& event, const std::function<void()>& then) {
  if (world_.violation) return;
  if (Deliver(event)) return then();
  world_.schedule.After(milliseconds(100), [this, event, then] { Call(event, then); });
}

std::optional<feed::Answer> SimAm::Ask(int64_t pass, feed::PartitionId partition, int near) const {
  if (!alive_) return std::nullopt;
  if (!world_.scenario.own_partitions) return ledger_->Ask(pass, partition, near);
  int ranks = 0;
  while (ledger_->incarnation(ranks) >= 0) ++ranks;
  if (ranks == 0) return feed::Answer{};
  const int reader = world_.scenario.options.split == feed::Split::kAll ? 0 : static_cast<int>(partition % ranks);
  const feed::Answer answer = ledger_->Ask(pass, partition, near, reader);
  if (answer.limit > 0) world_.Reach(Situation::kGivenAway);
  return answer;
}

void SimAm::Die() {
  if (!alive_) return;
  world_.Trace([] { return std::string("the AM dies"); });
  alive_ = false;
  last_snapshot_ = ledger_->Snapshot();
  world_.schedule.After(world_.random.Between(Duration(milliseconds(10)), Duration(seconds(2))), [this] { Restore(); });
}

void SimAm::Restore() {
  world_.Reach(Situation::kAmReplaced);
  ledger_.emplace(world_.scenario.options);
  for (const std::string& record : log_) {
    if (const Status status = ledger_->Restore(record); !status.ok()) {
      return world_.Violate("A ledger can be restored from its records", status.error().message);
    }
  }
  if (ledger_->Snapshot() != last_snapshot_) {
    return world_.Violate("A restored ledger has the same state", std::to_string(log_.size()) + " records");
  }
  alive_ = true;
  Deliver(feed::AmResumed{});
  if (alive_) peers_.Reconnect();
}

void SimAm::BeginAnotherJob() {
  if (!alive_) return;
  world_.Reach(Situation::kAnotherJob);
  world_.Trace([] { return std::string("another job begins"); });
  int64_t used = 0;
  for (int rank = 0; ledger_->incarnation(rank) >= 0; ++rank) used = std::max(used, ledger_->incarnation(rank));
  ledger_.emplace(world_.scenario.options);
  log_.clear();
  // Messages of the old job, which a real one does not receive, have numbers that no reader of the new one has.
  const feed::GenerationFormed unused{0, static_cast<int>(used) + 1};
  ledger_->Step(unused, world_.schedule.now());
  log_.push_back(feed::EncodeRecord(unused, world_.schedule.now()));
  Deliver(feed::SourceEnded{static_cast<int64_t>(world_.scenario.rows.size())});
  if (alive_) peers_.Reconnect();
}

void SimAm::Arm() {
  const auto deadline = ledger_->NextDeadline();
  ++alarm_;
  if (!deadline) return;
  world_.schedule.At(*deadline, [this, alarm = alarm_] {
    if (alarm == alarm_) Deliver(feed::Ticked{});
  });
}

}  // namespace howdah::testing::feed_sim
