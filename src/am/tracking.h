// The job's status page over HTTP.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "followers.h"
#include "howdah/am/am.h"
#include "howdah/history/job_view.h"
#include "howdah/http/server.h"
#include "howdah/process/clock.h"

namespace howdah::am {

// One thread: the AM's loop. Read-only: nothing that is asked of it changes the job.
class TrackingServer {
 public:
  // view: the job as it is now, with usage. followers outlives this.
  static Result<std::unique_ptr<TrackingServer>> Start(boost::asio::io_context& loop, const std::string& host,
                                                       Tracking options, std::function<history::JobView()> view,
                                                       Followers& followers, const spec::JobSpec& spec);
  uint16_t port() const { return server_->port(); }

 private:
  using Respond = std::function<void(http::Response)>;
  TrackingServer(Tracking options, std::function<history::JobView()> view, Followers& followers,
                 const spec::JobSpec& spec)
      : options_(std::move(options)), view_(std::move(view)), followers_(followers), spec_(spec) {}
  void OnRequest(const http::Request& request, const Respond& respond);
  void ShowPage(const Respond& respond) const;
  void ShowLog(const std::string& path, const Respond& respond);
  bool HasOutput(const history::TaskView& task) const;
  int RoleOf(const std::string& name) const;

  Tracking options_;
  std::function<history::JobView()> view_;
  Followers& followers_;
  const spec::JobSpec& spec_;
  process::Clock clock_;
  std::unique_ptr<http::Server> server_;
};

}  // namespace howdah::am
