#include "howdah/feed/ledger.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>
#include <utility>

#include "codec.h"
#include "commits.h"
#include "passes.h"
#include "record.h"
#include "resume_point.h"
#include "state.h"
#include "supply.h"
#include "time_limit.h"

namespace howdah::feed {
namespace {

// Every value that occurs in arithmetic stays far below the largest number.
Options Checked(Options options) {
  options.passes = std::clamp<int64_t>(options.passes, 1, kMostPartitions);
  options.shuffle = std::clamp<int64_t>(options.shuffle, 0, kLargestPool);
  options.buffer = std::clamp<int64_t>(options.buffer, 1, kMostRows);
  options.ranks_restart_alone = options.ranks_restart_alone && options.split == Split::kDynamic;
  return options;
}

// The order that ends the feed, if it has ended.
void RepeatEnd(const Context& context) {
  const State& state = context.state;
  if (state.failed) context.out.push_back(FailFeed{*state.failed, state.failure, state.incarnations});
  if (state.stopped || state.ended) context.out.push_back(EndFeed{});
}

bool On(Context& context, const GenerationFormed& event) {
  State& state = context.state;
  if (event.generation <= state.generation || event.ranks < 1 || event.ranks > kMostRanks) return false;
  state.generation = event.generation;
  const auto& steps = state.round.steps;
  if (std::any_of(steps.begin(), steps.end(), [](const Marks& marks) { return !marks.empty(); })) {
    state.previous = state.round;
  }
  state.readers.assign(static_cast<size_t>(event.ranks), Reader{.incarnation = 0});  // present
  BeginRound(context);
  RepeatEnd(context);
  return true;
}

bool On(Context& context, const CheckpointFound& event) {
  if (!CommitPrevious(context, event)) return false;
  BeginRound(context);
  RepeatEnd(context);
  return true;
}

bool On(Context& context, const PointFound& event) {
  if (CoversStep(context, event.step) || !RestorePoint(context, event)) {
    return On(context, CheckpointFound{event.generation, event.step});
  }
  if (!context.over()) BeginRound(context);
  return true;
}

bool On(Context& context, const RankLost& event) {
  if (event.reader.rank < 0 || event.reader.rank >= context.ranks()) return false;
  Reader& reader = context.state.readers[static_cast<size_t>(event.reader.rank)];
  if (!context.options.ranks_restart_alone) return context.Knows(event.reader) && !std::exchange(reader.ended, true);
  const bool gone = !reader.present() && reader.returns && !event.returns;
  if (!gone && !context.Knows(event.reader)) return false;
  reader = Reader{.returns = event.returns};
  LoseReader(context, event.reader.rank);
  return true;
}

// The other readers would wait for rows of this one, which begins at the last commit.
bool FailRestartedAlone(Context& context, int rank) {
  if (context.over()) return false;
  const std::string feed = "the feed" + (context.options.name.empty() ? "" : " " + context.options.name);
  Fail(context, FailFeed::Why::kMisuse,
       "rank " + std::to_string(rank) + " of " + feed + " has restarted alone, but " +
           (context.lockstep() ? "with its `split` all ranks must restart together; set `split: dynamic`"
                               : "other ranks restart together; give each role a feed of its own"));
  return true;
}

bool On(Context& context, const RankStarted& event) {
  if (!context.options.ranks_restart_alone) return FailRestartedAlone(context, event.rank);
  if (event.rank < 0 || event.rank >= context.ranks()) return false;
  if (context.state.readers[static_cast<size_t>(event.rank)].present()) return false;
  RestartReader(context, event.rank);
  RepeatEnd(context);
  return true;
}

bool On(Context& context, const ReadingStopped&) {
  if (std::exchange(context.state.stopped, true)) return false;
  context.out.push_back(EndFeed{});
  return true;
}

bool On(Context& context, const ReaderLeft& event) {
  return context.Knows(event.reader) &&
         !std::exchange(context.state.readers[static_cast<size_t>(event.reader.rank)].left, true);
}

bool On(Context& context, const ReaderSynced& event) {
  if (event.rank < 0 || event.rank >= context.ranks() || !context.Knows(context.Id(event.rank))) return false;
  RepeatOrders(context, event.rank);
  RepeatEnd(context);
  return false;
}

bool On(Context& context, const ReaderOpened& event) {
  Pass* pass = context.Knows(event.reader) ? context.Find(event.pass) : nullptr;
  if (pass == nullptr || event.batch < 1 || event.batch > kMostRows) return false;
  if (context.options.remainder == Remainder::kRepeat && event.batch > kLargestRepeatedBatch) {
    Fail(context, FailFeed::Why::kMisuse,
         "rank " + std::to_string(event.reader.rank) + " reads batches of " + std::to_string(event.batch) +
             " rows; with remainder=\"repeat\" a batch has at most " + std::to_string(kLargestRepeatedBatch) + " rows");
    return true;
  }
  PassReader& reader = pass->readers[static_cast<size_t>(event.reader.rank)];
  if (reader.batch == event.batch) return false;
  for (int rank = 0; context.lockstep() && rank < context.ranks(); ++rank) {
    const int64_t other = pass->readers[static_cast<size_t>(rank)].batch;
    if (other == 0 || other == event.batch) continue;
    Fail(context, FailFeed::Why::kMisuse,
         "rank " + std::to_string(rank) + " reads batches of " + std::to_string(other) + " rows, and rank " +
             std::to_string(event.reader.rank) + " batches of " + std::to_string(event.batch) +
             "; all ranks must request the same batch size");
    return true;
  }
  if (pass->closed || reader.batch != 0) return false;
  reader.batch = event.batch;
  return true;
}

bool On(Context& context, const KeptRowsOffered& event) {
  Pass* pass = context.Knows(event.reader) ? context.Find(event.pass) : nullptr;
  if (pass == nullptr) return false;
  return !std::exchange(pass->readers[static_cast<size_t>(event.reader.rank)].kept_offered, true);
}

bool On(Context& context, const RowsHandedOut& event) {
  Pass* pass = context.Knows(event.reader) ? context.Find(event.pass) : nullptr;
  if (pass == nullptr) return false;
  PassReader& reader = pass->readers[static_cast<size_t>(event.reader.rank)];
  const bool newer = event.rows > reader.handed_out;
  if (event.rows < reader.handed_out || event.rows > reader.sealed || (!newer && event.waiting == reader.waiting)) {
    return false;
  }
  reader.waiting = newer ? event.waiting : reader.waiting || event.waiting;
  reader.handed_out = event.rows;
  if (newer) context.state.previous.reset();
  return true;
}

bool On(Context& context, const SourceConnected& event) {
  context.state.source = event.name;
  context.state.connected = true;
  context.state.source_since = context.state.now;
  for (const auto& [number, pass] : context.state.round.passes) {
    if (pass.requested && !pass.closed) context.out.push_back(MissingRows(context, pass));
  }
  return true;
}

bool On(Context& context, const SourceLost& event) {
  context.state.source = event.name;
  context.state.connected = false;
  context.state.source_since = context.state.now;
  return true;
}

// All orders that may have been lost.
bool On(Context& context, const TermBegun&) {
  constexpr int64_t kMostLost = int64_t{1} << 20;  // incarnations that the lost records may have given
  context.state.incarnations += kMostLost;
  return true;
}

bool On(Context& context, const AmResumed&) {
  State& state = context.state;
  state.source_since = state.now;
  RepeatEnd(context);
  for (int rank = 0; rank < context.ranks(); ++rank) {
    if (state.readers[static_cast<size_t>(rank)].present()) RepeatOrders(context, rank);
  }
  for (const auto& [number, pass] : state.round.passes) {
    if (pass.requested && !pass.closed) context.out.push_back(MissingRows(context, pass));
  }
  return true;
}

bool On(Context& context, const Ticked&) { return FailIfLost(context); }
bool On(Context& context, const SourceFailed& event) {
  if (context.over() || context.state.ended) return false;
  Fail(context, event.changed ? FailFeed::Why::kChanged : FailFeed::Why::kFailed, event.message);
  return true;
}

bool On(Context& context, const StepReported& event) { return NoteStep(context, event); }
bool On(Context& context, const CheckpointReported& event) { return NoteCheckpoint(context, event); }
bool On(Context& context, const CommitCalled& event) { return NoteCommitCall(context, event); }
bool On(Context& context, const RowsReceived& event) { return TakeRows(context, event); }
bool On(Context& context, const RowsMoved& event) { return TakeMovedRows(context, event); }
bool On(Context& context, const PartitionEnded& event) { return NotePartitionEnd(context, event); }
bool On(Context& context, const SourceEnded& event) { return NoteSourceEnd(context, event); }

// Stops reading if no reader needs rows: each has left, or is gone for good, and one has left.
void StopIfAllLeft(Context& context) {
  const auto& readers = context.state.readers;
  const auto needs_none = [](const Reader& reader) { return reader.left || (!reader.present() && !reader.returns); };
  const auto left = [](const Reader& reader) { return reader.left; };
  if (context.over() || context.state.ended || std::none_of(readers.begin(), readers.end(), left)) return;
  if (std::all_of(readers.begin(), readers.end(), needs_none)) On(context, ReadingStopped{});
}

// The consequences of an event, in an order in which none has to be repeated: commits end passes, the end of a pass
// opens the next one, closed passes change seals, and credit depends on all of them.
void Settle(Context& context) {
  if (context.state.readers.empty()) return;
  StopIfAllLeft(context);
  AdvanceCommits(context);
  if (!context.over()) {
    AdvancePasses(context);
    SealRows(context);
    RequestRowsOnce(context);
    GrantCredits(context);
    EndWhenRead(context);
  }
  SettleLanes(context);
  NoteWait(context);
}

void Require(bool holds, const char* what) {
  if (holds) [[likely]]
    return;
  std::fprintf(stderr, "howdah feed ledger: broken invariant: %s\n", what);
  std::abort();
}

}  // namespace

class Ledger::Impl {
 public:
  explicit Impl(const Options& options) : options(Checked(options)) {}

  StepResult Step(const Event& event, Instant now) {
    StepResult result;
    Context context{options, state, result.actions};
    // The time itself is not a change: it only matters if the event has an effect.
    const Instant before = state.now;
    state.now = std::max(state.now, now);
    result.changed = std::visit([&context](const auto& e) { return On(context, e); }, event);
    if (result.changed) {
      Settle(context);
    } else {
      state.now = before;
    }
    return result;
  }

  const Options options;
  State state;
};

Ledger::Ledger(const Options& options) : impl_(std::make_unique<Impl>(options)) {}
Ledger::~Ledger() = default;
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger& Ledger::operator=(Ledger&&) noexcept = default;

StepResult Ledger::Step(const Event& event, Instant now) { return impl_->Step(event, now); }

std::optional<Instant> Ledger::NextDeadline() const {
  std::vector<Action> none;
  return TimeLimit({impl_->options, impl_->state, none});
}

Answer Ledger::Ask(int64_t pass, PartitionId partition, int near, int reader) const {
  std::vector<Action> none;
  return AnswerSource({impl_->options, impl_->state, none}, pass, partition, near, reader);
}

int64_t Ledger::incarnation(int rank) const {
  const auto& readers = impl_->state.readers;
  return rank < 0 || rank >= static_cast<int>(readers.size()) ? -1 : readers[static_cast<size_t>(rank)].incarnation;
}

Progress Ledger::progress() const {
  const State& state = impl_->state;
  Progress progress{.committed_pass = state.committed_pass,
                    .over = state.stopped || state.ended || state.failed,
                    .failed = state.failed.has_value()};
  if (state.round.passes.empty()) {
    progress.pass = state.committed_pass;
    return progress;
  }
  const Pass& pass = state.round.passes.rbegin()->second;
  progress.pass = pass.number;
  for (const Lane& lane : pass.lanes) progress.accepted += lane.end();
  for (const PassReader& reader : pass.readers) progress.handed_out += reader.handed_out;
  return progress;
}

const Options& Ledger::options() const { return impl_->options; }

std::string Ledger::PointAt(int64_t step) const { return feed::PointAt(impl_->options, impl_->state, step); }

std::string Ledger::Snapshot() const { return EncodeSnapshot(impl_->state); }

Status Ledger::Restore(std::string_view record) {
  if (IsSnapshot(record)) {
    HOWDAH_TRY(State state, DecodeSnapshot(record));
    if (const char* wrong = FirstProblem(impl_->options, state)) {
      return Failed(std::string("the snapshot of a feed is damaged: ") + wrong);
    }
    impl_->state = std::move(state);
    return {};
  }
  HOWDAH_TRY(const auto step, DecodeStep(record));
  impl_->Step(step.event, step.now);
  return {};
}

void Ledger::CheckInvariants() const {
  const char* wrong = FirstProblem(impl_->options, impl_->state);
  Require(wrong == nullptr, wrong != nullptr ? wrong : "");
}

}  // namespace howdah::feed
