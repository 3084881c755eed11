// The feeds that the processes of the task read.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>

#include "am_connection.h"
#include "howdah/core/progress.h"
#include "howdah/feed/server/hub.h"
#include "task_plan.h"

namespace howdah::executor {

// Returns a path for the sockets of feeds: short, not used yet, and impossible to guess. work_dir: of the task.
std::string FeedSocketDirectory(const std::string& work_dir);

// Has no effect if the job has no feeds.
//
// Used on the executor's loop only.
class TaskFeeds {
 public:
  TaskFeeds(boost::asio::io_context& loop, AmConnection& am) : loop_(loop), am_(am) {}

  // Begins to serve the feeds of the job. Sets plan.feed_socket. Call it after the Register.
  Status Begin(TaskPlan& plan);

  // The functions of feed::server::Hub.
  void OnRegistered();
  void OnMessage(const wire::ToExecutor& message);
  void OnStart(const wire::Start& start);
  void OnAttemptEnded();
  void OnLine(int local_rank, const core::ProgressLine& line);

 private:
  boost::asio::io_context& loop_;
  AmConnection& am_;
  std::unique_ptr<feed::server::Hub> hub_;  // nullptr if the job has no feeds
};

}  // namespace howdah::executor
