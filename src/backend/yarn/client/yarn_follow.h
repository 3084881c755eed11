// Follows a job on YARN from submission to end: through the ResourceManager while the job is queued, through the AM
// while the AM runs, and from the history afterwards.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/am_follow.h"
#include "received.h"

namespace howdah::backend::yarn::client {

// A bounded queue from the follow's thread to the reader, with a descriptor that the reader can poll.
class FollowQueue {
 public:
  struct Output {
    backend::LogSource source;
    std::string bytes;
  };
  struct Note {
    std::string line;
  };
  struct End {};
  // The journal entries of one step of the job. They are one item, so that readers never see a state between two of the
  // entries.
  using Entries = std::vector<core::JournalEntry>;
  using Item = std::variant<Entries, Output, Note, End>;

  FollowQueue();
  bool valid() const { return ready_.valid(); }

  // Push and SetCaughtUp are called on the follow's thread only. Push waits while the queue is full. After Stop, Push
  // discards the item.
  void Push(Item item, size_t weight);
  // To be called when everything that existed at the start of the follow has been pushed.
  void SetCaughtUp();

  // The functions below are called by the reader only.
  int fd() const { return ready_.get(); }
  // Removes and returns items of about 1 MiB in total. Blocks until there is an item or SetCaughtUp has been called.
  // more: receives whether the queue still has items.
  std::deque<Item> Take(bool& more);
  void Stop();
  bool stopped() const { return stopped_; }

 private:
  os::files::Fd ready_;  // an eventfd
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_;
  std::condition_variable not_full_, not_empty_;
  bool caught_up_ = false;
  std::deque<std::pair<Item, size_t>> items_;
  size_t weight_ = 0;
};

// A thread polls the cluster and fills the queue; Read takes items from the queue. Read blocks while the queue is empty
// until everything that existed at the start of the follow has been delivered.
class YarnFollow final : public backend::Follow {
 public:
  static Result<std::unique_ptr<YarnFollow>> Start(HadoopClient cluster, JobId id,
                                                   std::optional<backend::LogSelection> logs);
  ~YarnFollow() override;

  int fd() const override { return queue_.fd(); }
  bool Read(backend::FollowSink& sink) override;
  bool ended() const override { return ended_; }

 private:
  // The reason why the job is queued. The pauses between the queries grow, because each query consists of several
  // calls.
  struct PendingReason {
    std::string reported;
    std::optional<Instant> next_query;
    Duration pause = std::chrono::seconds(1);
  };

  YarnFollow(HadoopClient cluster, JobId id, std::optional<backend::LogSelection> logs);

  // The functions below run on the follow's thread.
  void Run();
  // Queries the ResourceManager and reacts to the answer. Returns true if the job has ended and everything has been
  // pushed to the queue.
  bool Poll();
  bool CountFailure(const Error& error);  // always returns false: the follow continues
  bool FollowThroughAm(const ::hadoop::yarn::ApplicationReportProto& report);
  void Handle(const wire::FollowReply& reply);
  void AppendJournal(std::string_view lines);
  void QueueRestOfJournal(std::string_view journal);
  void ReportPendingReason(const ::hadoop::yarn::ApplicationReportProto& report);
  // Reads from the log store the output that no AM has sent.
  void FetchMissingLogs();

  const os::process::Clock clock_;
  HadoopClient cluster_;
  JobId id_;
  std::optional<backend::LogSelection> logs_;
  FollowQueue queue_;
  os::files::Fd wake_;  // signalled by the destructor

  // The fields below, except ended_, are used by the follow's thread only.
  Received received_;  // its journal records where each task ran
  PendingReason pending_;
  std::string user_;
  int failures_ = 0;  // number of consecutive failures
  std::string last_error_;

  bool ended_ = false;  // used by the reader's thread only
  std::thread thread_;
};

}  // namespace howdah::backend::yarn::client
