// Serves the task's log files to the AM, for clients that cannot read the files themselves. Reports the growth of the
// files, and sends pieces of them.
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

// Watches and reads no file before the AM requests it. Reports growth at most once per 10 ms, however fast the logs
// grow. Holds at most one piece in memory, however much the AM requests. Used on the executor's loop only.
class LogServer {
 public:
  using Send = std::function<void(const wire::FromExecutor&)>;
  LogServer(boost::asio::io_context& loop, Send send);

  // Call it first. processes: the number of processes of the task's role.
  void Begin(const TaskOptions& options, int processes);
  // Call it when an attempt starts. Its files may not exist yet.
  void AddAttempt(int attempt);
  // Call it when the files of the newest attempt exist.
  void OnFilesMade();

  void OnWatch(bool on);
  void OnPull(const wire::PullLog& pull);
  void OnSent();  // call it when all messages to the AM have been sent

  // Adds the size of each existing file of the attempt.
  void AddSizes(int attempt, google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) const;

 private:
  struct File {
    wire::LogFile id;
    std::string path;
    int64_t reported = -1;  // the size in the last report; -1 before the first report
  };
  std::vector<File> FilesOf(int attempt) const;
  void ReportAll();
  bool ReportGrowth();  // returns false if no file has grown since the last report
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
  boost::asio::posix::stream_descriptor events_;  // an inotify instance; open while watching
  boost::asio::steady_timer pause_;
  std::chrono::milliseconds interval_;  // the current time between two reports
  std::deque<wire::PullLog> pulls_;
  bool answering_ = false;  // the last answer has not been sent yet
};

}  // namespace howdah::executor
