// Following a job of this machine: its journal and its growing output, told by inotify. Nothing is polled.
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

// What becomes of directories and files is learned by watching a directory first and listing it then, so nothing that
// appears in between is missed; what is told twice is known already. Should the kernel lose events or refuse a watch,
// output comes late, not never: everything is listed again when events were lost, and at the end of the job.
class LocalFollow final : public backend::Follow {
 public:
  // settle: called with am.lock held whenever its holders were gone; records an end if the journal has none
  // (vanished.h).
  static Result<std::unique_ptr<LocalFollow>> Start(const JobFiles& files, std::optional<backend::LogSelection> logs,
                                                    std::function<void()> settle);

  int fd() const override { return ready_.get(); }
  bool Read(backend::FollowSink& sink) override;
  bool ended() const override { return final_seen_ && queue_.empty(); }

 private:
  struct Directory {
    std::string path;
    std::optional<LogPosition> position;  // nullopt: logs/
  };
  struct Output {
    backend::LogSource source;
    std::string path;
    int64_t offset = 0;
    bool queued = false;
  };

  LocalFollow(const JobFiles& files, std::optional<backend::LogSelection> logs, std::function<void()> settle);
  howdah::Status WatchJob();
  void WatchLogs();
  void WatchDirectory(const std::string& path, const std::optional<LogPosition>& position);
  void ListDirectory(const std::string& path, const std::optional<LogPosition>& position);
  void Found(const Directory& directory, const std::string& name);
  void DrainEvents();
  void ReadJournal(backend::FollowSink& sink);
  void SettleIfAbandoned();
  bool HandOn(Output& output, backend::FollowSink& sink);
  void Enqueue(size_t output);
  void SetMore(bool more);

  JobFiles files_;
  std::optional<backend::LogSelection> selection_;
  std::function<void()> settle_;
  os::files::Fd ready_;   // epoll over the two below: what fd() gives
  os::files::Fd events_;  // inotify
  os::files::Fd more_;    // an eventfd, readable while there is more to hand on
  // am.lock, open as long as the follow: opening and closing it for each look would be events that call for another
  // look.
  os::files::Fd lock_;

  int job_watch_ = -1, lock_watch_ = -1;
  std::map<int, Directory> watches_;
  JournalReader journal_;
  bool journal_grew_ = true, lock_closed_ = true, final_seen_ = false;

  std::vector<Output> outputs_;
  std::map<std::string, size_t> by_path_;
  std::deque<size_t> queue_;  // outputs that may have grown, in turn
  std::string buffer_;
};

}  // namespace howdah::backend::local
