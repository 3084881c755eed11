// The sources of a feed: their open calls, and the figures about who waits for whom.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "feed_files.h"
#include "feed_log.h"
#include "howdah/base/ids.h"
#include "howdah/feed/action.h"
#include "howdah/feed/event.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::am {

// The calls of executors on behalf of sources: questions where to send rows, suppliers, and sends. Not thread-safe.
class FeedSources {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    virtual void Step(const feed::Event& event) = 0;
    // Sends the reply when the log is written.
    virtual void Reply(const ContainerId& to, const wire::FeedReply& reply) = 0;
    // Where the executor of the reader listens; nullptr if it is not known.
    virtual const wire::FeedServes* PlaceOf(int rank) const = 0;
  };
  // Each rank that reads files has a supplier.
  static constexpr size_t kMostAsks = size_t{1} << 16, kMostSuppliers = size_t{1} << 16, kLongestKey = 1024;
  static constexpr size_t kLongestPoint = size_t{4} << 20;  // bytes

  // log, owner and clock must live longer than this object. longest_wait: of a question.
  FeedSources(std::string feed, FeedLog& log, Owner& owner, const os::process::Clock& clock, Duration longest_wait)
      : feed_(std::move(feed)),
        log_(log),
        owner_(owner),
        clock_(clock),
        longest_wait_(longest_wait),
        files_(feed_, log, [this](const ContainerId& to, const wire::FeedReply& reply) { owner_.Reply(to, reply); }) {}

  // Handles all calls except events.
  void OnCall(const ContainerId& from, const wire::FeedCall& call);
  // Forgets the open calls of a stream that is lost.
  void Forget(const ContainerId& from);
  // This AM has restored the log of another AM, so no supplier is connected.
  void Resume();
  // The feed has the partitions that were sent so far.
  Status Close();
  // A source has sent rows of the partition, or ended it.
  void NotePartition(feed::PartitionId partition) { most_partitions_ = std::max(most_partitions_, partition + 1); }

  // Actions of the ledger. failed: why the feed has failed; nullopt: it was read to its end, or was stopped.
  void Request(const feed::RequestRows& request);
  void End(const std::optional<std::string>& failed);

  // Actions of the ledger may have changed the answers to all questions that wait.
  // naming: the state has changed without an action, so only the answers to questions that name their reader.
  void RecheckAll(bool naming = false) { unchecked_ = naming && naming_ == 0 ? unchecked_ : asks_.size(); }
  bool recheck_wanted() const { return unchecked_ > 0; }
  // Answers some of these questions. Call it again in the next turn of the loop while recheck_wanted.
  void Recheck();
  // When OnTime must be called; nullopt: not at all.
  std::optional<Instant> Deadline() const;
  // Answers questions that have waited for too long.
  void OnTime(Instant now);

  // The job has begun to end: suppliers are informed with the end of the feed.
  void NoteJobEnds() { job_ends_ = true; }

  // Whether a source waits for an answer.
  bool any_waits() const { return !asks_.empty(); }
  int suppliers() const { return static_cast<int>(suppliers_.size()); }

 private:
  struct Ask {
    ContainerId from;
    uint64_t id = 0;
    wire::FeedAsk question;
    Instant until;
  };
  using CallId = std::pair<ContainerId, uint64_t>;

  // sent: the number of sources that were sent to each reader in this turn.
  bool TryAnswer(const Ask& ask, std::map<int, int>& sent);
  void OnAsk(Ask ask);
  std::map<uint64_t, Ask>::iterator Remove(std::map<uint64_t, Ask>::iterator ask);
  void OnPoint(const CallId& call, int64_t step);
  void OnSupply(const CallId& call, const std::string& name);
  void OnSend(const CallId& call, const std::string& key);
  void EndSupply(const CallId& call);
  void NoteNoSupplier(const std::string& name);
  void SetEnd(wire::FeedReply& reply) const;

  const std::string feed_;
  FeedLog& log_;
  Owner& owner_;
  const os::process::Clock& clock_;
  const Duration longest_wait_;
  std::map<uint64_t, Ask> asks_;  // in the order of arrival
  uint64_t last_ask_ = 0, cursor_ = 0;
  size_t unchecked_ = 0;  // questions after cursor_ that must be checked again
  size_t naming_ = 0;     // questions that name their reader, or claim a partition
  FeedFiles files_;
  std::map<CallId, std::string> suppliers_;  // with their names
  feed::PartitionId most_partitions_ = 0;
  std::optional<std::string> failed_;
  bool job_ends_ = false;
};

// Adds up who waits for whom, for the status. Not thread-safe.
class FeedMeter {
 public:
  explicit FeedMeter(Instant now) : since_(now), samples_{{now, {}}} {}

  void HandedOut(Instant now, const feed::RowsHandedOut& event);
  // unix_socket: as in FeedEvent.
  void Received(int64_t bytes, std::optional<bool> unix_socket) {
    bytes_ += bytes;
    if (unix_socket) (*unix_socket ? unix_bytes_ : tls_bytes_) += bytes;
  }
  // Readers have read so many further rows.
  void Answered(Instant now, int64_t rows);
  void Waits(Instant now, int rank, bool waits);
  void NoReaderWaits(Instant now);
  void SourcesWait(Instant now, bool wait);
  void Closed(const feed::ClosePass& pass) {
    left_out_ = pass.left_out;
    repeated_ = pass.repeated;
  }
  // Sets all that this object knows. supplier: for the sentence.
  journal::FeedView View(Instant now, int readers, const std::string& supplier) const;

 private:
  struct Sums {
    int64_t rows = 0;
    double readers_waited = 0, sources_waited = 0;  // seconds, of all readers together and of any source
  };
  struct Reader {
    int64_t incarnation = -1, pass = -1, rows = 0;
    bool waits = false;
  };
  Sums SumsAt(Instant now) const;
  void Advance(Instant now);

  Instant since_;  // of sums_
  Sums sums_;
  std::deque<std::pair<Instant, Sums>> samples_;  // of the last minute, at least one
  std::map<int, Reader> readers_;
  int readers_waiting_ = 0;
  bool sources_wait_ = false;
  int64_t bytes_ = 0, unix_bytes_ = 0, tls_bytes_ = 0, left_out_ = 0, repeated_ = 0;
};

}  // namespace howdah::am
