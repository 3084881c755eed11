#include "training.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace howdah::testing::feed_sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

Training::Training(World& world, SimAm& am, Checker& checker)
    : world_(world), am_(am), checker_(checker), own_checkpoints_(world, am) {}

void Training::Begin() {
  const Scenario& scenario = world_.scenario;
  world_.Reach(scenario.options.split == feed::Split::kEqual     ? Situation::kEqual
               : scenario.options.split == feed::Split::kDynamic ? Situation::kDynamic
                                                                 : Situation::kAll);
  if (scenario.options.shuffle > 0) world_.Reach(Situation::kShuffled);
  if (scenario.options.stream) world_.Reach(Situation::kStream);
  Form(scenario.ranks);
  PlanFaults();
}

// --- generations ---

void Training::Form(int ranks) {
  ++generation_;
  formed_ = false;
  processes_.assign(static_cast<size_t>(ranks), {});
  while (static_cast<int>(executors_.size()) > ranks) {
    executors_.back()->Die();
    gone_.push_back(std::move(executors_.back()));
    executors_.pop_back();
  }
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank < static_cast<int>(executors_.size()) && executors_[static_cast<size_t>(rank)]->alive()) continue;
    auto executor = std::make_unique<Executor>(world_, am_, checker_, *this, rank);
    if (rank < static_cast<int>(executors_.size())) {
      gone_.push_back(std::exchange(executors_[static_cast<size_t>(rank)], std::move(executor)));
    } else {
      executors_.push_back(std::move(executor));
    }
  }
  if (world_.scenario.exact()) model_ = visible_ ? visible_->model : Model{};
  saving_ = false;
  am_.CallForJob(feed::GenerationFormed{generation_, ranks}, [this, ranks, generation = generation_] {
    checker_.NewGeneration(ranks);
    if (generation != generation_) return;
    // Before any process reads a row, the AM learns which checkpoint they have restored.
    if (!visible_) return StartProcesses();
    const int64_t before = am_.incarnation(0);
    // Programs of both kinds occur. Without the point, only the same job knows the rows of the checkpoint.
    const bool with_point = earlier_jobs_ > 0 || shown_late_ || visible_->step % 2 == 0;
    const feed::Event found = with_point ? feed::Event(feed::PointFound{generation, visible_->step, visible_->point})
                                         : feed::Event(feed::CheckpointFound{generation, visible_->step});
    am_.Call(found, [this, generation, before, late = shown_late_ ? visible_ : std::nullopt] {
      const bool restored = am_.incarnation(0) != before;
      if (restored && late) checker_.SetModel(late->model.trained, late->closed, am_.incarnation(0));
      if (generation != generation_) return;
      if (restored) world_.Reach(Situation::kCheckpointFound);
      StartProcesses();
    });
  });
}

void Training::StartProcesses() {
  formed_ = true;
  for (int rank = 0; rank < ranks(); ++rank) StartProcess(rank);
  Reconnect();
  for (int rank = 0; rank < ranks(); ++rank) Poke(rank);
}

// A program learns from the AM with which incarnation, and in which pass, it reads.
void Training::StartProcess(int rank) {
  Process process{.running = true, .incarnation = am_.incarnation(rank), .pass = am_.progress().committed_pass};
  if (process.pass < last_pass_) world_.Reach(Situation::kBackInEarlierPass);
  last_pass_ = std::max(last_pass_, process.pass);
  processes_[static_cast<size_t>(rank)] = process;
}

void Training::PlanFaults() {
  for (int i = 0; i < 3; ++i) {
    if (!world_.Fault(world_.faults().process_dies)) continue;
    world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(10))), [this] { ProcessDies(); });
  }
  for (int i = 0; i < 3; ++i) {
    if (!world_.Fault(world_.faults().am_killed)) continue;
    world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(10))), [this] { am_.Die(); });
  }
}

void Training::ProcessDies(std::optional<int> rank) {
  if (finished_) return;
  if (rank) ++refused_;
  if (!formed_) {
    // The orders of a generation that begins may be lost, too.
    if (rank) Form(ranks());
    return;
  }
  if (!world_.scenario.alone()) {
    const double alone = world_.faults().restarts_alone;
    const bool once = alone > 0 && !rank && ranks() > 1 && !restarted_alone_;
    if (!once || !world_.Fault(alone)) return RestartAll();
    restarted_alone_ = true;
    world_.Reach(Situation::kRestartedWithoutOthers);
    return RankDies(world_.random.Between(0, ranks() - 1), /*returns=*/true);
  }
  if (!rank) rank = world_.random.Between(0, ranks() - 1);
  if (*rank < ranks()) RankDies(*rank);
}

void Training::RestartAll() {
  world_.Reach(Situation::kRanksRestarted);
  world_.Trace([] { return std::string("all processes die"); });
  formed_ = false;
  for (int rank = 0; rank < this->ranks(); ++rank) {
    am_.CallForJob(feed::RankLost{{rank, processes_[static_cast<size_t>(rank)].incarnation}}, [] {});
  }
  for (Process& process : processes_) process = {};
  for (auto& executor : executors_) executor->StopReader();
  if (world_.Fault(world_.faults().executor_dies)) {
    world_.Reach(Situation::kExecutorLost);
    executors_[static_cast<size_t>(world_.random.Between(0, ranks() - 1))]->Die();
  }
  int ranks = this->ranks();
  if (world_.Fault(world_.faults().resized)) {
    ranks = world_.random.Between(1, 5);
    if (ranks < this->ranks()) world_.Reach(Situation::kShrank);
    if (ranks > this->ranks()) world_.Reach(Situation::kGrew);
  }
  if (world_.scenario.repeatable() && world_.faults().another_job > 0 && world_.Fault(world_.faults().another_job)) {
    for (auto& executor : executors_) executor->Die();
    ++earlier_jobs_;
    am_.BeginAnotherJob();
  }
  Duration pause = world_.random.Between(Duration(0), Duration(seconds(2)));
  if (world_.Fault(world_.faults().queued)) {
    world_.Reach(Situation::kQueued);
    pause += 2 * world_.scenario.options.lost_after;
  }
  world_.schedule.After(pause, [this, ranks] { Form(ranks); });
}

void Training::RankDies(int rank, bool returns) {
  const auto index = static_cast<size_t>(rank);
  if (!processes_[index].running) return;
  const feed::ReaderId id{rank, processes_[index].incarnation};
  world_.Trace([rank] { return "rank " + std::to_string(rank) + " dies"; });
  processes_[index] = {};
  executors_[index]->StopReader();
  if (world_.Fault(world_.faults().executor_dies)) {
    world_.Reach(Situation::kExecutorLost);
    executors_[index]->Die();
    gone_.push_back(std::exchange(executors_[index], std::make_unique<Executor>(world_, am_, checker_, *this, rank)));
  }
  returns = returns || rank == 0 || world_.random.Chance(0.7);
  processes_[index].restarting = returns;
  am_.CallForJob(feed::RankLost{id, returns}, [this, rank, returns] {
    checker_.ReaderLost(rank);
    if (!returns) {
      world_.Reach(Situation::kRankGone);
      return FinishIfDone();
    }
    world_.Reach(Situation::kRankRestartedAlone);
    world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(2))), [this, rank] {
      const auto begin = [this, rank, now = generation_](bool returned) {
        if (now != generation_ || !formed_) return;
        // Rows that others have read in the meantime are read again.
        if (returned) checker_.NewGeneration(ranks());
        StartProcess(rank);
        Poke(rank);
      };
      am_.CallForJob(feed::RankStarted{rank}, [this, rank, begin] {
        if (!read_to_the_end_ && !restarted_alone_) return own_checkpoints_.Restore(rank, generation_, begin);
        // The executor has got all orders when it starts the program.
        world_.schedule.After(seconds(5), [begin] { begin(false); });
      });
    });
  });
}

// --- orders ---

void Training::Receive(const feed::ReaderId& reader, const feed::Action& action) {
  if (reader.rank >= static_cast<int>(executors_.size())) return;
  Executor* executor = executors_[static_cast<size_t>(reader.rank)].get();
  const bool answer = std::holds_alternative<feed::AcceptRows>(action);
  world_.Send(
      [this, executor, action, answer, connection = executor->connection(), branch = am_.branch(),
       end = am_.branch()->end()] {
        // An executor that has sent its records to another AM has left the old one.
        if (am_.branch() != branch) return;
        executor->tail().Take(*branch, end);
        if (!answer || connection == executor->connection()) executor->Receive(action);
      },
      [executor] { executor->Resync(); });
}

void Training::ReceiveAll(const feed::Action& action) {
  for (const auto& executor : executors_) {
    // An order to all is repeated until it arrives.
    world_.schedule.After(world_.Latency(),
                          [this, e = executor.get(), action, branch = am_.branch(), end = am_.branch()->end()] {
                            if (am_.branch() != branch) return;
                            e->tail().Take(*branch, end);
                            e->Receive(action);
                          });
  }
}

void Training::Reconnect() {
  for (const auto& executor : executors_) executor->Resync();
}

Executor* Training::Find(int rank) {
  if (rank < 0 || rank >= static_cast<int>(executors_.size())) return nullptr;
  Executor* executor = executors_[static_cast<size_t>(rank)].get();
  return executor->alive() ? executor : nullptr;
}

// --- the program ---

void Training::Poke(int rank) {
  world_.schedule.After(Duration(100), [this, rank] {
    if (rank < ranks()) TryNext(rank);
  });
}

void Training::TryNext(int rank) {
  const auto index = static_cast<size_t>(rank);
  Process& process = processes_[index];
  Executor& executor = *executors_[index];
  if (!process.running || process.batch || finished_ || world_.violation) return;
  const auto& reader = executor.reader();
  if (reader && reader->id.incarnation < process.incarnation) return;
  const bool at_end = process.pass >= world_.scenario.options.passes;
  if (!process.begun) {
    const NextBatch::What found = executor.Open();
    if (found == NextBatch::What::kFailed) {
      finished_ = failed_ = true;
      return;
    }
    if (at_end ? found != NextBatch::What::kEndOfPass : !reader) return;
    process.begun = true;
  }
  if (at_end) return FinishIfDone();
  const int64_t batch = world_.scenario.batch + (world_.scenario.batches_differ && rank == 1 ? 1 : 0);
  NextBatch next = executor.Next(process.pass, batch);
  if (next.what == NextBatch::What::kWait) return;
  if (next.what == NextBatch::What::kFailed) {
    finished_ = failed_ = true;
    return;
  }
  if (next.what == NextBatch::What::kBatch && world_.scenario.lockstep()) CheckOthers(rank);
  process.batch = std::move(next);
  if (world_.scenario.lockstep()) return StepTogether();
  if (process.batch->what == NextBatch::What::kEndOfPass) return FinishPass(rank);
  world_.schedule.After(world_.random.Between(Duration(0), Duration(milliseconds(100))), [this, rank, id = reader->id] {
    if (rank >= ranks()) return;
    const auto& now = executors_[static_cast<size_t>(rank)]->reader();
    if (!now || !(now->id == id)) return;
    if (!processes_[static_cast<size_t>(rank)].batch) return;
    Train(rank);
    AfterStep();
    if (const double chance = world_.scenario.faults.own_checkpoint; chance > 0 && world_.random.Chance(chance)) {
      const Process& one = processes_[static_cast<size_t>(rank)];
      own_checkpoints_.Save(executors_[static_cast<size_t>(rank)]->NoteStep(one.pass, one.processed, model_.step));
    }
    Poke(rank);
  });
}

// A batch may be returned only if every other rank has one, too.
void Training::CheckOthers(int rank) {
  const int64_t pass = processes_[static_cast<size_t>(rank)].pass;
  const auto& reader = executors_[static_cast<size_t>(rank)]->reader();
  const int64_t rows = reader ? reader->handed_out(pass) : 0;
  for (int other = 0; other < ranks(); ++other) {
    const Executor& executor = *executors_[static_cast<size_t>(other)];
    if (!executor.alive() || !executor.reader() || executor.reader()->Has(pass, rows)) continue;
    world_.Violate("A batch is returned only if every rank has one",
                   "rank " + std::to_string(rank) + " has " + std::to_string(rows) + " rows of pass " +
                       std::to_string(pass) + ", and rank " + std::to_string(other) + " has less");
  }
}

// The ranks exchange gradients: each waits until all have a batch.
void Training::StepTogether() {
  if (std::any_of(processes_.begin(), processes_.end(), [](const Process& p) { return !p.batch; })) return;
  const NextBatch& first = *processes_.front().batch;
  for (const Process& process : processes_) {
    const bool same_size = process.batch->rows.size() == first.rows.size() || world_.scenario.batches_differ;
    if (process.batch->what != first.what || !same_size || process.pass != processes_.front().pass) {
      return world_.Violate("Every rank gets the same number of batches",
                            "one rank has a batch, and another one the end of pass " + std::to_string(process.pass));
    }
  }
  if (first.what == NextBatch::What::kEndOfPass) {
    for (int rank = 0; rank < ranks(); ++rank) FinishPass(rank);
    return;
  }
  for (int rank = 0; rank < ranks(); ++rank) Train(rank);
  AfterStep();
  for (int rank = 0; rank < ranks(); ++rank) {
    world_.schedule.After(world_.random.Between(Duration(0), Duration(milliseconds(50))), [this, rank] { Poke(rank); });
  }
}

void Training::Train(int rank) {
  Process& process = processes_[static_cast<size_t>(rank)];
  const NextBatch batch = *std::exchange(process.batch, std::nullopt);
  process.processed += static_cast<int64_t>(batch.rows.size());
  ++process.batches;
  if (world_.scenario.options.split == feed::Split::kAll && rank > 0) return;  // the same rows as rank 0
  for (const ReadRow& read : batch.rows) {
    if (!read.repeat) ++model_.trained[KeyOf(process.pass, read.row)];
    world_.Digest(static_cast<uint64_t>(read.row.partition * 131 + read.row.number));
  }
}

void Training::AfterStep() {
  const Scenario& scenario = world_.scenario;
  ++model_.step;
  if (scenario.stops_after >= 0 && processes_.front().batches >= scenario.stops_after) {
    world_.Reach(Situation::kStoppedEarly);
    finished_ = true;
    return am_.CallForJob(feed::ReadingStopped{}, [] {});
  }
  for (int rank = 0; rank < ranks(); ++rank) {
    const Process& process = processes_[static_cast<size_t>(rank)];
    Executor& executor = *executors_[static_cast<size_t>(rank)];
    if (world_.scenario.exact() && world_.scenario.lockstep() && world_.random.Chance(0.3)) {
      executor.Send(executor.NoteStep(process.pass, process.processed, model_.step));
    }
    const bool stepped = world_.scenario.lockstep() || !process.batch;
    if (scenario.commit_every > 0 && stepped && process.batches > 0 && process.batches % scenario.commit_every == 0) {
      world_.Reach(Situation::kCommitCalled);
      executor.CallCommit(process.pass, process.processed);
    }
  }
  if (world_.scenario.exact() && model_.step % scenario.checkpoint_every == 0 && !saving_) SaveCheckpoint();
  // A late checkpoint becomes visible, and all processes restart before they report its step themselves.
  if (late_ && (late_->step <= model_.step || (visible_ && late_->step <= visible_->step))) late_.reset();
  if (!late_ || (late_->step > model_.step + 1 && !world_.random.Chance(0.3))) return;
  world_.Reach(Situation::kCheckpointLate);
  world_.Trace([&] { return "the checkpoint of step " + std::to_string(late_->step) + " becomes visible late"; });
  visible_ = std::exchange(late_, std::nullopt);
  shown_late_ = true;
  RestartAll();
}

// The marks of a step are in the log before its checkpoint becomes visible.
void Training::SaveCheckpoint() {
  saving_ = true;
  // A step covers the rows that were handed out when it is reported. So each rank first trains the batch that it has.
  for (int rank = 0; rank < ranks(); ++rank) {
    if (world_.scenario.lockstep() || !processes_[static_cast<size_t>(rank)].batch) continue;
    Train(rank);
    Poke(rank);
  }
  Checkpoint checkpoint{model_, model_.step, checker_.closed()};
  const int last = world_.scenario.lockstep() ? 1 : ranks();
  auto left = std::make_shared<int>(last);
  for (int rank = 0; rank < last; ++rank) {
    const Process& process = processes_[static_cast<size_t>(rank)];
    if (!executors_[static_cast<size_t>(rank)]->reader() || process.pass < 0) {
      --*left;
      continue;
    }
    am_.Call(executors_[static_cast<size_t>(rank)]->NoteStep(process.pass, process.processed, model_.step),
             [this, left, checkpoint, generation = generation_, rank, incarnation = process.incarnation,
              jobs = earlier_jobs_, refused = refused_]() mutable {
               // The AM confirms no step of a reader that it regards as lost, or whose executor has seen lost records.
               if (jobs != earlier_jobs_ || refused != refused_ || am_.incarnation(rank) != incarnation ||
                   --*left > 0 || generation != generation_)
                 return;
               checkpoint.point = am_.PointAt(checkpoint.step);
               world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(1))),
                                     [this, checkpoint, generation] { Publish(checkpoint, generation); });
             });
  }
}

void Training::Publish(const Checkpoint& checkpoint, int64_t generation) {
  if (generation != generation_ || !formed_) {
    // A process that is alive although its container is regarded as lost completes its checkpoint.
    if (world_.scenario.late_checkpoints() && world_.Fault(world_.faults().late_checkpoint)) late_ = checkpoint;
    return;
  }
  saving_ = false;
  visible_ = checkpoint;
  late_.reset();  // it lacks rows that are committed now
  world_.Reach(Situation::kCheckpointCommitted);
  executors_.front()->ReportCheckpoint(checkpoint.step);
}

void Training::FinishPass(int rank) {
  Process& process = processes_[static_cast<size_t>(rank)];
  process.batch.reset();
  process.processed = 0;
  ++process.pass;
  last_pass_ = std::max(last_pass_, process.pass);
  if (process.pass > 1) world_.Reach(Situation::kSeveralPasses);
  Poke(rank);
}

void Training::FinishIfDone() {
  for (const Process& process : processes_) {
    const bool at_end = process.begun && process.pass >= world_.scenario.options.passes;
    if (process.running ? !at_end : process.restarting || !world_.scenario.alone()) return;
  }
  if (std::none_of(processes_.begin(), processes_.end(), [](const Process& p) { return p.running; })) return;
  if (!std::exchange(read_to_the_end_, true) && world_.faults().dies_after_end > 0 &&
      world_.random.Chance(world_.faults().dies_after_end)) {
    world_.Reach(Situation::kRankRestartedAfterEnd);
    const int any = world_.random.Between(0, ranks() - 1);
    const bool runs = processes_[static_cast<size_t>(any)].running;
    return RankDies(runs ? any : 0, /*returns=*/true);
  }
  finished_ = true;
  checker_.CheckEnd(model_.trained, world_.scenario.exact());
  if (world_.scenario.changes && !world_.scenario.options.accept_changes && checker_.MixedVersions() &&
      generation_ == 0 && !world_.scenario.alone()) {
    world_.Violate("A partition whose rows change fails the feed", "the training has used rows of several versions");
  }
  if (checker_.MixedVersions()) world_.Reach(Situation::kChangeAccepted);
}

std::string Training::Describe() const {
  std::string text = "generation " + std::to_string(generation_) + (formed_ ? "" : " (forming)");
  for (int rank = 0; rank < ranks(); ++rank) {
    const Process& process = processes_[static_cast<size_t>(rank)];
    text += ", rank " + std::to_string(rank) + (process.running ? "" : " down") + " pass " +
            std::to_string(process.pass) + " rows " + std::to_string(process.processed) +
            (process.batch ? " waits for others" : "");
  }
  return text;
}

}  // namespace howdah::testing::feed_sim
