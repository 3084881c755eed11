#include "source.h"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

namespace howdah::testing::feed_sim {

using std::chrono::milliseconds;
using std::chrono::seconds;

void Source::Begin() {
  const auto partitions = static_cast<int64_t>(world_.scenario.rows.size());
  const SourceEnd end = world_.scenario.source_end;
  if (end == SourceEnd::kNever) {
    connected_ = false;
    return;
  }
  Reconnect();
  if (world_.scenario.options.stream) {
    for (int64_t i = 1; i <= partitions; ++i) {
      world_.schedule.After(seconds(i), [this, i] { Publish(i); });
    }
    world_.schedule.After(seconds(partitions + 1),
                          [this, partitions] { am_.Call(feed::SourceEnded{partitions}, [] {}); });
  } else {
    published_ = partitions;
    am_.Call(feed::SourceEnded{partitions}, [] {});
  }
  if (end == SourceEnd::kSilent) {
    world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(5))), [this] {
      silent_ = true;
      attempts_.clear();
    });
  } else if (world_.Fault(world_.faults().source_dies) || end == SourceEnd::kGone) {
    world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(5))), [this] { DriverDies(); });
  }
}

// New data of a stream: attempts for it start without a request.
void Source::Publish(int64_t partitions) {
  published_ = partitions;
  if (connected_) Supply(0, {partitions - 1, partitions});
}

void Source::Reconnect() {
  if (!connected_ || am_.Deliver(feed::SourceConnected{"the source"}) || world_.violation) return;
  world_.schedule.After(milliseconds(100), [this] { Reconnect(); });
}

void Source::Receive(const feed::Action& action) {
  if (const auto* request = std::get_if<feed::RequestRows>(&action)) {
    for (const feed::Rows& partitions : request->partitions) Supply(request->pass, partitions);
  }
  const bool ends = std::holds_alternative<feed::EndFeed>(action) || std::holds_alternative<feed::FailFeed>(action);
  if (ends) AskAgain();
}

void Source::Supply(int64_t pass, feed::Rows partitions) {
  if (!connected_ || silent_) return;
  partitions.to = std::min(partitions.to, published_);
  for (feed::PartitionId id = partitions.from; id < partitions.to; ++id) {
    bool runs = false;
    for (auto& [number, attempt] : attempts_) {
      if (attempt.pass != pass || attempt.partition != id) continue;
      runs = true;
      attempt.again = attempt.ending;  // it asks for missing rows no more
    }
    if (!runs) Start(pass, id);
    if (!runs && world_.Fault(world_.faults().task_twice)) {
      world_.Reach(Situation::kTaskRanTwice);
      Start(pass, id);
    }
  }
}

void Source::Start(int64_t pass, feed::PartitionId partition) {
  const int64_t id = ids_++;
  attempts_[id] = {.pass = pass, .partition = partition};
  if (world_.scenario.changes) attempts_[id].version = versions_++;
  world_.schedule.After(world_.random.Between(Duration(0), Duration(milliseconds(200))), [this, id] { Continue(id); });
}

int64_t Source::RowsOf(const Attempt& attempt) const {
  // Attempts of a source that changes may also find another number of rows.
  const int64_t rows = world_.scenario.rows[static_cast<size_t>(attempt.partition)];
  return world_.scenario.options.accept_changes && attempt.version % 3 == 2 ? std::max<int64_t>(rows - 2, 0) : rows;
}

void Source::AskAgain() {
  for (auto& [id, attempt] : attempts_) {
    if (!std::exchange(attempt.waiting, false)) continue;
    world_.schedule.After(world_.Latency(), [this, id = id] { Continue(id); });
  }
}

void Source::Continue(int64_t id) {
  const auto at = attempts_.find(id);
  if (at == attempts_.end() || world_.violation) return;
  Attempt& attempt = at->second;
  ++attempt.turn;
  const int near = world_.random.Chance(0.5) ? 0 : -1;
  const std::optional<feed::Answer> answer = am_.Ask(attempt.pass, attempt.partition, near);
  if (!answer || answer->what == feed::Answer::What::kWait) {
    attempt.waiting = true;
    return;
  }
  switch (answer->what) {
    case feed::Answer::What::kOver:
      attempts_.erase(at);
      return;
    case feed::Answer::What::kDone:
      return Finish(id);
    default:
      return SendBlock(id, *answer);
  }
}

void Source::SendBlock(int64_t id, const feed::Answer& answer) {
  Attempt& attempt = attempts_[id];
  const int64_t block = world_.scenario.block;
  for (const feed::Rows& missing : answer.missing) {
    feed::Rows rows{missing.from, std::min(missing.to, RowsOf(attempt))};
    if (rows.count() <= 0) continue;
    // Blocks end at the same rows in each attempt.
    rows.to = std::min(rows.to, (rows.from / block + 1) * block);
    if (answer.limit > 0) rows.to = std::min(rows.to, rows.from + answer.limit);
    if (world_.Fault(world_.faults().task_dies)) return DieSoon(id);
    Executor* executor = executors_.Find(answer.rank);
    const auto next = [this, id, turn = ++attempt.turn] {
      const auto at = attempts_.find(id);
      if (at != attempts_.end() && at->second.turn == turn) Continue(id);
    };
    if (executor == nullptr || !executor->TakeBlock(attempt.pass, attempt.partition, rows, attempt.version, next)) {
      attempt.waiting = true;
    }
    // The connection may break before the answer arrives.
    world_.schedule.After(seconds(3), next);
    return;
  }
  Finish(id);
}

void Source::Finish(int64_t id) {
  attempts_[id].ending = true;
  const Attempt attempt = attempts_[id];
  const int64_t rows = RowsOf(attempt);
  feed::PartitionEnded ended{attempt.pass, attempt.partition, rows, {}};
  ended.digest = DigestOf(attempt.partition, {0, rows}, attempt.version);
  am_.Call(ended, [this, id] {
    const auto node = attempts_.extract(id);
    if (node && node.mapped().again && connected_ && !silent_) Start(node.mapped().pass, node.mapped().partition);
  });
}

// The attempt dies, and the source starts another one, or finds that the feed is over.
void Source::DieSoon(int64_t id) {
  world_.Reach(Situation::kTaskDied);
  const Attempt attempt = attempts_[id];
  attempts_.erase(id);
  world_.schedule.After(milliseconds(300), [this, attempt] {
    if (connected_ && !silent_) Start(attempt.pass, attempt.partition);
  });
}

void Source::DriverDies() {
  if (!connected_) return;
  connected_ = false;
  attempts_.clear();
  am_.CallForJob(feed::SourceLost{"the source"}, [] {});
  if (world_.scenario.source_end == SourceEnd::kGone) return;
  world_.schedule.After(world_.random.Between(Duration(0), Duration(seconds(10))), [this] {
    world_.Reach(Situation::kSourceRestarted);
    connected_ = true;
    Reconnect();
  });
}

}  // namespace howdah::testing::feed_sim
