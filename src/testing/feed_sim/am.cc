#include "am.h"

#include <algorithm>
#include <utility>

#include "text.h"

namespace howdah::testing::feed_sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// The record that begins a term. Records of the ledger begin with another byte.
constexpr char kTerm = 'T';

}  // namespace

SimAm::SimAm(World& world, Checker& checker, Peers& peers) : world_(world), checker_(checker), peers_(peers) {
  ledger_.emplace(world_.scenario.options);
  branch_ = std::make_shared<LogBranch>();
  BeginTerm(1);
}

void SimAm::Log(std::string record) {
  log_.push_back(record);
  branch_->records.push_back(std::move(record));
}

void SimAm::BeginTerm(int64_t term) {
  branch_->term = term;
  terms_.push_back({term, branch_->end()});
  Log(kTerm + std::to_string(term));
}

void SimAm::MakeCopy() { copy_ = {log_, branch_->end(), terms_}; }

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
  if (result.changed) Log(feed::EncodeRecord(event, world_.schedule.now()));
  for (const feed::Action& action : result.actions) checker_.Ordered(action, branch_->end() - 1);
  if (!result.actions.empty() && world_.Fault(world_.faults().am_dies)) {
    world_.Reach(Situation::kOrdersLost);
    Die();
    return !log_lost_;
  }
  if (world_.faults().tail_lost > 0 && world_.random.Chance(0.05)) MakeCopy();
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
  if (Deliver(event)) {
    if (alive_) Share();
    return then();
  }
  world_.schedule.After(milliseconds(100), [this, event, then] { Call(event, then); });
}

void SimAm::CallForJob(feed::Event event, const std::function<void()>& then) {
  if (world_.violation) return;
  const int64_t number = branch_->end();
  // The job knows the rank alone. After the loss of records, its reader may have another number than its process.
  auto* const lost = std::get_if<feed::RankLost>(&event);
  if (lost != nullptr && world_.scenario.alone()) lost->reader.incarnation = incarnation(lost->reader.rank);
  if (Deliver(event)) {
    job_events_.emplace_back(number, event);
    return then();
  }
  world_.schedule.After(milliseconds(100), [this, event, then] { CallForJob(event, then); });
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
  ++instance_;
  log_lost_ = world_.faults().tail_lost > 0 && world_.Fault(world_.faults().tail_lost);
  last_snapshot_ = ledger_->Snapshot();
  world_.schedule.After(world_.random.Between(Duration(milliseconds(10)), Duration(seconds(2))), [this] { Restore(); });
}

std::shared_ptr<ExecutorTail> SimAm::AddTail(int rank) {
  return tails_.emplace_back(std::make_shared<ExecutorTail>(ExecutorTail{.rank = rank}));
}

void ExecutorTail::Take(const LogBranch& branch, int64_t end) {
  feed::LogPiece piece{.term = branch.term,
                       .first = kept.term() == branch.term ? std::min(kept.end(), end) : branch.first};
  piece.records.assign(branch.records.begin() + (piece.first - branch.first),
                       branch.records.begin() + (end - branch.first));
  if (kept.term() != branch.term) missed = false;
  kept.Take(piece);
}

void SimAm::Share() {
  confirmed_ = branch_->end();
  for (const auto& tail : tails_) {
    if (tail->alive) tail->Take(*branch_, branch_->end());
  }
}

std::vector<std::shared_ptr<ExecutorTail>> SimAm::Reached() {
  std::erase_if(tails_, [](const auto& tail) { return !tail->alive; });
  auto reached = tails_;
  if (reached.size() > 1 && world_.Fault(world_.faults().unreached)) {
    world_.Reach(Situation::kExecutorUnreached);
    const auto missed = world_.random.Pick(reached);
    std::erase(reached, missed);
    missed->missed = true;
    outdated_.push_back(missed->rank);
  }
  return reached;
}

// An executor that an earlier AM did not reach keeps its records until it gets newer ones. If that AM dies before, the
// next one finds them.
void SimAm::FindOutdated(const std::vector<std::shared_ptr<ExecutorTail>>& reached) {
  for (const auto& tail : reached) {
    const feed::LogPiece seen = tail->kept.All();
    if (feed::Covers(terms_, branch_->end(), seen)) continue;
    outdated_.push_back(tail->rank);
    if (tail->missed) continue;
    world_.Violate("The executors return all records that they have seen",
                   std::to_string(branch_->end()) + " of " + std::to_string(seen.end()) + " records");
  }
}

// The records that the copy lacks are those that the executors have got.
std::optional<int64_t> SimAm::RestoreWithoutLog() {
  const auto reached = Reached();
  std::vector<feed::LogPiece> tails;
  for (const auto& tail : reached) tails.push_back(tail->kept.All());
  const int64_t copied_term = copy_.terms.empty() ? 0 : copy_.terms.back().number;
  std::vector<std::string> missing = feed::MissingRecords(copied_term, copy_.records, tails);
  if (copy_.records + std::ssize(missing) < confirmed_) {
    outdated_.clear();
    return std::nullopt;
  }
  log_ = copy_.log;
  terms_ = copy_.terms;
  const int64_t before = branch_->end();
  const int64_t term = branch_->term + 1;
  branch_ = std::make_shared<LogBranch>(LogBranch{.term = term, .first = copy_.records});
  for (std::string& record : missing) {
    if (record.front() == kTerm) terms_.push_back({std::stoll(record.substr(1)), branch_->end()});
    Log(std::move(record));
  }
  if (branch_->end() > copy_.records) world_.Reach(Situation::kTailReturned);
  if (branch_->end() < before) world_.Reach(Situation::kRecordsLost);
  world_.Trace([&] {
    return "of " + std::to_string(before) + " records " + std::to_string(copy_.records) + " were copied, and " +
           std::to_string(branch_->end()) + " are known";
  });
  FindOutdated(reached);
  const int64_t known = branch_->end();
  checker_.ForgetFrom(known);
  BeginTerm(term);
  return known;
}

void SimAm::Restore() {
  world_.Reach(Situation::kAmReplaced);
  ledger_.emplace(world_.scenario.options);
  const auto restored = std::exchange(log_lost_, false) ? RestoreWithoutLog() : std::nullopt;
  const bool lost = restored.has_value();
  const int64_t known = restored.value_or(branch_->end());
  for (const std::string& record : log_) {
    if (record.front() == kTerm) continue;
    if (const Status status = ledger_->Restore(record); !status.ok()) {
      return world_.Violate("A ledger can be restored from its records", status.error().message);
    }
  }
  if (!lost && ledger_->Snapshot() != last_snapshot_) {
    return world_.Violate("A restored ledger has the same state", std::to_string(log_.size()) + " records");
  }
  alive_ = true;
  ++instance_;
  if (lost) Deliver(feed::TermBegun{});
  // The log of the job has them.
  const auto is_known = [known](const auto& event) { return event.first < known; };
  const auto unknown = std::stable_partition(job_events_.begin(), job_events_.end(), is_known);
  const std::vector<std::pair<int64_t, feed::Event>> again(unknown, job_events_.end());
  job_events_.erase(unknown, job_events_.end());
  for (const auto& [number, event] : again) CallForJob(event, [] {});
  Deliver(feed::AmResumed{});
  for (const int rank : std::exchange(outdated_, {})) peers_.Fail(rank);
  if (alive_) peers_.Reconnect();
}

void SimAm::BeginAnotherJob() {
  if (!alive_) return;
  world_.Reach(Situation::kAnotherJob);
  world_.Trace([] { return std::string("another job begins"); });
  ++instance_;
  int64_t used = 0;
  for (int rank = 0; ledger_->incarnation(rank) >= 0; ++rank) used = std::max(used, ledger_->incarnation(rank));
  ledger_.emplace(world_.scenario.options);
  log_.clear();
  const int64_t term = branch_->term + 1;
  branch_ = std::make_shared<LogBranch>();
  terms_.clear();
  confirmed_ = 0;
  BeginTerm(term);
  copy_ = {};
  job_events_.clear();
  // Messages of the old job, which a real one does not receive, have numbers that no reader of the new one has.
  std::vector<feed::Event> unused(static_cast<size_t>(term), feed::TermBegun{});
  unused.emplace_back(feed::GenerationFormed{0, 1});
  for (const feed::Event& event : unused) {
    ledger_->Step(event, world_.schedule.now());
    Log(feed::EncodeRecord(event, world_.schedule.now()));
  }
  if (ledger_->incarnation(0) <= used) world_.Violate("A job has readers of its own", std::to_string(used));
  Deliver(feed::SourceEnded{static_cast<int64_t>(world_.scenario.rows.size())});
  MakeCopy();  // no executor of the new job has these records yet
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
