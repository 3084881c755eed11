// A job on YARN, followed from its submission to its end: through its AM while that lives, through the ResourceManager
// before, from the history afterwards.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/os/files/fd.h"
#include "howdah/rpc/am_follow.h"
#include "log_store.h"

namespace howdah::backend::yarn::client {

// The client's half reads from a bounded queue; a thread of its own asks the cluster and fills it. Read waits until it
// has what was there when the follow began; from then on it never does.
class YarnFollow final : public backend::Follow {
 public:
  static Result<std::unique_ptr<YarnFollow>> Start(HadoopClient cluster, JobId id,
                                                   std::optional<backend::LogSelection> logs);
  ~YarnFollow() override;

  int fd() const override { return ready_.get(); }
  bool Read(backend::FollowSink& sink) override;
  bool ended() const override { return ended_; }

 private:
  struct Output {
    backend::LogSource source;
    std::string bytes;
  };
  struct Note {
    std::string line;
  };
  struct End {};
  // Entries of one step of the job stay together: between two of them it is in no state that anybody should see.
  using Entries = std::vector<core::JournalEntry>;
  using Item = std::variant<Entries, Output, Note, End>;
  // What is known of one source of output.
  struct Progress {
    int64_t have = 0;
    bool whole = false;
    LogFileLocation place;
  };

  YarnFollow(HadoopClient cluster, JobId id, std::optional<backend::LogSelection> logs);

  // --- on the thread ---
  void Run();
  // One look at the ResourceManager and what follows from it; true: the job has ended and everything has been queued.
  bool Look();
  bool Failed(const Error& error);  // counts it; false
  void CaughtUp();
  bool FollowThroughAm(const ::hadoop::yarn::ApplicationReportProto& report);
  void Take(const wire::FollowReply& reply);
  void AppendJournal(const std::string& lines);
  void QueueRestOfJournal(const std::string& journal);
  void ReportPendingReason(const ::hadoop::yarn::ApplicationReportProto& report);
  // What was not sent by an AM, out of the log store.
  void FetchMissingLogs();
  wire::FollowRequest Request() const;
  void Queue(Item item, size_t weight);
  bool stopped() const { return stop_; }
  // Waits, but for the destructor.
  void Pause(Duration limit);

  HadoopClient cluster_;
  JobId id_;
  std::optional<backend::LogSelection> logs_;
  os::files::Fd ready_;
  os::files::Fd wake_;  // of the thread, by the destructor

  // Of the thread alone.
  int64_t journal_offset_ = 0;
  std::string journal_;  // all of it so far: who ran where
  std::map<backend::LogSource, Progress> sources_;
  std::string waiting_;
  std::optional<std::chrono::steady_clock::time_point> ask_why_;
  Duration why_pause_ = std::chrono::seconds(1);
  std::string user_;
  int failures_ = 0;  // in a row
  std::string last_error_;

  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable room_, something_;
  bool caught_up_ = false;  // everything that was there at the start has been queued
  std::deque<std::pair<Item, size_t>> queue_;
  size_t weight_ = 0;

  bool ended_ = false;  // of the reader alone
  std::thread thread_;
};

}  // namespace howdah::backend::yarn::client
