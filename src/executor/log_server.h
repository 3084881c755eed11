// Serves the task's log files to an AM with clients that cannot reach them: reports their growth, and sends pieces.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "howdah/executor/task.h"
#include "howdah/wire/executor.pb.h"

namespace howdah::executor {

// Watches and reads nothing before the AM requests it. Reports at most every few milliseconds, however fast the logs
// grow; holds one piece in memory, however much the AM pulls. On the executor's loop.
class LogServer {
 public:
  using Send = std::function<void(const wire::FromExecutor&)>;
  LogServer(boost::asio::io_context& loop, Send send);

  // To be called first. processes: of the task's role.
  void Begin(const TaskOptions& options, int processes);
  // An attempt starts; its files may not exist yet.
  void AddAttempt(int attempt);
  // The files of the newest attempt exist.
  void OnFilesMade();

  void OnWatch(bool on);
  void OnPull(const wire::PullLog& pull);
  void OnSent();  // the stream to the AM has taken everything that was sent

  // The size of each file of the attempt that exists.
  void AddSizes(int attempt, google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) const;

 private:
  struct File {
    wire::LogFile id;
    std::string path;
    int64_t reported = -1;  // size; -1: none
  };
  std::vector<File> FilesOf(int attempt) const;
  void ReportAll();
  bool ReportGrowth();  // false: nothing has grown
  void Watch();
  void AwaitGrowth();
  void Pause(std::chrono::milliseconds pause);
  void Answer();
  std::optional<std::string> PathOf(const wire::LogFile& file) const;

  Send send_;
  TaskOptions options_;
  int processes_ = 1;
  std::vector<int> attempts_;
  std::vector<File> newest_;  // files of the newest attempt; no other files grow
  bool watching_ = false;
  boost::asio::posix::stream_descriptor events_;  // inotify, while watching
  boost::asio::steady_timer pause_;
  std::chrono::milliseconds interval_;  // between two reports
  std::deque<wire::PullLog> pulls_;
  bool answering_ = false;  // the stream has not taken the last answer yet
};

}  // namespace howdah::executor
