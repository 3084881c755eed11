// The durable state of a feed as a file: its ledger, its generations, and the sends that were accepted. And the
// processes that have the numbers of a generation.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/core/action.h"
#include "howdah/core/job.h"
#include "howdah/feed/ledger.h"
#include "howdah/feed/log_tail.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "snapshot_file.h"

namespace howdah::am {

// Each change is in the file when the call that makes it returns (SnapshotFile). Not thread-safe.
class FeedLog {
 public:
  // The newest generation of the feed's readers.
  struct Formed {
    int64_t generation = -1;  // as in feed::GenerationFormed; -1: none was formed
    int job_generation = -1;  // the generation of the job (core::StartTask) in which it was formed
    int readers = 0;
    friend bool operator==(const Formed&, const Formed&) = default;
  };
  // The oldest keys are forgotten when a feed has more sends.
  static constexpr size_t kMostKeys = size_t{1} << 16;

  // Restores the state from the file at the path. An absent file is created, without a record.
  static Result<FeedLog> Open(const std::string& path, const feed::Options& options);

  // Steps the ledger. The caller carries out the actions.
  feed::StepResult Step(const feed::Event& event, Instant now);
  // Begins a generation: steps feed::GenerationFormed, and remembers it.
  feed::StepResult Form(const Formed& formed, Instant now);
  const Formed& formed() const { return formed_; }

  // The partition of the send with this key; nullopt if it is new, or was forgotten.
  std::optional<feed::PartitionId> FindSend(const std::string& key) const;
  feed::PartitionId AddSend(const std::string& key);
  // The number of sends.
  feed::PartitionId sends() const { return sends_; }
  // Whether SourceEnded was stepped.
  bool source_ended() const { return source_ended_; }

  // The list of files that the feed reads (wire::FeedFilePlan); "": there is none yet. It is set once.
  void SetPlan(std::string plan);
  const std::string& plan() const { return plan_; }
  // The list of files of the checkpoint that the job continues; "": there is none, or it is plan().
  void SetRestoredPlan(std::string plan);
  const std::string& restored_plan() const { return restored_plan_; }

  // The name of the supplier that is connected; nullopt: there is none.
  void SetSupplier(std::optional<std::string> name);
  const std::optional<std::string>& supplier() const { return supplier_; }

  // Writes the first record, so that the log of a feed that has begun is not empty.
  void Begin();

  // --- the tail of the log, see log_tail.h ---

  // Begins a term with this number, or with a larger one if it was used before.
  void BeginTerm(int64_t term);
  // Adds records of the AM that has written this log, which this file lacks. Fails if they are damaged.
  Status Extend(const std::vector<std::string>& records);
  const feed::LogTail& tail() const { return tail_; }

  const feed::Ledger& ledger() const { return ledger_; }
  SnapshotFile& file() { return file_; }
  const SnapshotFile& file() const { return file_; }

 private:
  FeedLog(const feed::Options& options, SnapshotFile file);

  Status Restore(const std::string& bytes);
  void Append(const std::vector<std::string>& records);
  std::vector<std::string> Snapshot() const;

  SnapshotFile file_;
  feed::Ledger ledger_;
  feed::LogTail tail_;
  Formed formed_;
  std::unordered_map<std::string, feed::PartitionId> keys_;
  std::deque<std::string> keys_by_age_;
  feed::PartitionId sends_ = 0;
  bool source_ended_ = false;
  std::optional<std::string> supplier_;
  std::string plan_, restored_plan_;
};

// The readers of a feed: which process has which number. Not thread-safe.
class FeedSeats {
 public:
  struct Reader {
    ContainerId container = {};  // of the newest attempt in this generation; empty: none
    int attempt = -1;            // -1: none has started in this generation
    bool running = false;
    // Its executor may have seen orders that the log lacks. It is ignored until it starts again.
    bool outdated = false;
    bool returns = true;  // false: its process has succeeded, or its task has ended
  };
  // The readers of an attempt.
  struct Position {
    int first = 0;
    int processes = 1;
    int readers = 0;  // of the feed
  };

  // spec must live longer than this object. alone: as feed::Options::ranks_restart_alone.
  FeedSeats(const jobspec::JobSpec& spec, const jobspec::FeedSpec& feed, bool alone);

  // nullopt: the task does not read the feed.
  std::optional<Position> PositionOf(const core::StartTask& order, const core::PeerGroup& peers) const;
  // Whether this attempt has these numbers already.
  bool Has(const core::StartTask& order, const Position& position) const;
  // Whether a generation must be formed before the attempt takes its numbers.
  bool NeedsGeneration(const core::StartTask& order, const Position& position) const;
  // Whether the attempt needs a generation, but other readers of the present one do not start again with it.
  bool RestartsAlone(const core::StartTask& order, const Position& position) const;
  // Whether each reader of the generation has an attempt.
  bool complete() const;
  // Begins a generation. No attempt has a number.
  void Form(const FeedLog::Formed& formed);
  void Take(const core::StartTask& order, const Position& position);
  const FeedLog::Formed& formed() const { return formed_; }
  // Continues with this number of the generation, if it is newer.
  void Continue(const FeedLog::Formed& logged);

  int size() const { return static_cast<int>(readers_.size()); }
  Reader& at(int rank) { return readers_[static_cast<size_t>(rank)]; }
  const Reader& at(int rank) const { return readers_[static_cast<size_t>(rank)]; }
  // The numbers of the attempt that was started last in the container.
  std::vector<int> Of(const ContainerId& container) const;
  // Processes of the container have ended. attempt, local_rank: nullopt stands for all. Returns the numbers of those
  // that ran.
  std::vector<int> End(const ContainerId& container, std::optional<int> attempt, std::optional<int> local_rank);
  // The containers of all processes that run.
  std::set<ContainerId> Running() const;
  // Whether the reader belongs to the container, and is not outdated.
  bool Owns(const ContainerId& container, int rank) const;

  // By number: whether the reader's task has not ended, as of the status. Empty if all tasks that read have ended.
  std::vector<bool> Expected(const journal::JobView& view) const;

 private:
  struct Reading {
    int role = 0;
    int processes = 1;
    int most = 1;  // tasks
  };

  const jobspec::JobSpec& spec_;
  const bool alone_;
  std::vector<Reading> roles_;
  FeedLog::Formed formed_;
  bool incomplete_ = false;  // the log has a newer generation, whose starts are not known: the next start forms one
  std::vector<Reader> readers_;
  std::unordered_map<ContainerId, int> first_;
};

}  // namespace howdah::am
