// The task's log files, for an AM whose clients cannot reach them: tells how they grow, and hands out pieces.
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

// On the executor's loop. Nothing is watched and no file read before the AM asks for it. However fast the logs grow,
// one growth is told every few milliseconds; however much is pulled, one piece is in memory.
class LogServer {
 public:
  using Send = std::function<void(const wire::FromExecutor&)>;
  LogServer(boost::asio::io_context& loop, Send send);

  // processes: of the task's role. Before anything else.
  void Begin(const TaskOptions& options, int processes);
  // The files of an attempt: there from now on, or soon.
  void AddAttempt(int attempt);
  // The newest attempt's files have been made.
  void OnFilesMade();

  void OnWatch(bool on);
  void OnPull(const wire::PullLog& pull);
  void OnSent();  // the stream to the AM has taken everything

  // The size of each of the attempt's files, of those that are there.
  void AddSizes(int attempt, google::protobuf::RepeatedPtrField<wire::LogFileSize>& sizes) const;

 private:
  struct File {
    wire::LogFile id;
    std::string path;
    int64_t told = -1;  // size; -1: none
  };
  std::vector<File> FilesOf(int attempt) const;
  void TellAll();
  bool TellGrowth();  // whether there was any
  void Watch();
  void AwaitGrowth();
  void Pause(std::chrono::milliseconds pause);
  void Answer();
  std::optional<std::string> PathOf(const wire::LogFile& file) const;

  Send send_;
  TaskOptions options_;
  int processes_ = 1;
  std::vector<int> attempts_;
  std::vector<File> newest_;  // of the newest attempt: only they grow
  bool watching_ = false;
  boost::asio::posix::stream_descriptor events_;  // inotify, while watching
  boost::asio::steady_timer pause_;
  std::chrono::milliseconds interval_;  // between two tellings
  std::deque<wire::PullLog> pulls_;
  bool answering_ = false;  // the stream has not yet taken the last answer
};

}  // namespace howdah::executor
