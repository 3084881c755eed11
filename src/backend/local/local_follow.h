// Follows the journal and output of a job on this machine: by polling at first, and then with inotify.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/local/layout.h"
#include "howdah/os/files/fd.h"
#include "journal_reader.h"
#include "log_tree.h"

namespace howdah::backend::local {

// Reads growing log files in turn, one chunk of each at a time.
class OutputReader {
 public:
  OutputReader();
  // Must be called for a file that is new or has grown. tail_lines: if set, a new file is delivered from its last lines
  // on.
  void Enqueue(const std::string& path, const backend::LogSource& source, std::optional<int64_t> tail_lines);
  // Delivers about 1 MiB of output. Returns true if there may be more.
  bool Deliver(backend::FollowSink& sink);
  bool empty() const { return queue_.empty(); }  // whether no output may have grown
  size_t known() const { return outputs_.size(); }

 private:
  struct Output {
    backend::LogSource source;
    std::string path;
    int64_t offset = 0;
    std::optional<int64_t> tail_lines;  // reset by the first read
    bool queued = false;
  };
  // Delivers one chunk of the output. Returns true if the file may have more.
  bool DeliverChunk(Output& output, backend::FollowSink& sink);

  std::vector<Output> outputs_;
  std::map<std::string, size_t> by_path_;
  std::deque<size_t> queue_;  // outputs that may have grown
  std::string buffer_;
};

// With inotify, watches each directory before listing it, so that no file created in between is missed. Files that are
// found twice are ignored the second time. If the kernel drops events or refuses a watch, output is late but complete:
// all directories are listed again after lost events and at the end of the job.
//
// A follow begins with polling, because the kernel needs some 10 ms to end an inotify instance, and the follower of a
// short job would wait for that. The pauses between two polls grow with the time that has passed, so that polling
// delays a job by 5 % at most. Polling continues if the kernel refuses an inotify instance.
class LocalFollow final : public backend::Follow {
 public:
  // end_orphan is called, with am.lock held, whenever all processes that held am.lock have died. It must record an end
  // if the journal has none (orphaned_job.h).
  // poll_for: how long to poll before using inotify.
  static Result<std::unique_ptr<LocalFollow>> Start(const JobFiles& files, std::optional<backend::LogSelection> logs,
                                                    std::function<void()> end_orphan,
                                                    Duration poll_for = std::chrono::seconds(1));

  int fd() const override { return ready_.get(); }
  bool Read(backend::FollowSink& sink) override;
  bool ended() const override { return final_seen_ && outputs_.empty(); }
  bool starts_at_tail() const override { return true; }

 private:
  struct Directory {
    std::string path;
    std::optional<LogPosition> position;  // nullopt for logs/ itself
  };
  // The watches of an inotify instance.
  struct Watches {
    os::files::Fd events;
    int job = -1, lock = -1;
    std::map<int, Directory> logs;
  };
  LocalFollow(const JobFiles& files, std::optional<backend::LogSelection> logs, std::function<void()> end_orphan,
              Duration poll_for);
  bool polling() const { return !watches_.events.valid(); }
  void Poll();
  void WatchJob();
  void FindLogs();
  // Watches the directory, except while polling, and lists it.
  void FindIn(const std::string& path, const std::optional<LogPosition>& position);
  void Found(const Directory& directory, const std::string& name);
  void ReadEvents();
  // Returns whether the journal had a complete line.
  bool ReadJournal(backend::FollowSink& sink);
  void EndIfOrphaned();
  // Makes fd() readable: now, after the next pause of polling, or only by events.
  void Arm(bool now);
  Duration Pause() const;

  JobFiles files_;
  std::optional<backend::LogSelection> selection_;
  std::function<void()> end_orphan_;
  const Duration poll_for_;
  Duration polled_{0};   // the sum of the pauses
  os::files::Fd ready_;  // an epoll instance that watches timer_ and the inotify instance; fd() returns it
  os::files::Fd timer_;  // a timerfd
  // The descriptor of am.lock. It stays open, because closing it would cause the same inotify event as the death of a
  // process that holds the lock.
  os::files::Fd lock_;
  Watches watches_;
  JournalReader journal_;
  bool journal_grew_ = true, lock_closed_ = true, final_seen_ = false;

  OutputReader outputs_;
};

}  // namespace howdah::backend::local
