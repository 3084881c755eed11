// The job's status page over HTTP.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>

#include "followers.h"
#include "howdah/am/am.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/http/server.h"
#include "howdah/os/process/clock.h"

namespace howdah::am {

// Call it only on the thread of the AM's loop. Read-only: no request changes the job.
class TrackingServer {
 public:
  // view: returns the current status, with usage. followers, spec and clock must live longer than this object.
  static Result<std::unique_ptr<TrackingServer>> Start(boost::asio::io_context& loop, const std::string& host,
                                                       Tracking options, std::function<journal::JobView()> view,
                                                       Followers& followers, const jobspec::JobSpec& spec,
                                                       const os::process::Clock& clock);
  uint16_t port() const { return server_->port(); }

 private:
  using Respond = std::function<void(os::http::Response)>;
  TrackingServer(Tracking options, std::function<journal::JobView()> view, Followers& followers,
                 const jobspec::JobSpec& spec, const os::process::Clock& clock)
      : options_(std::move(options)), view_(std::move(view)), followers_(followers), spec_(spec), clock_(clock) {}
  void OnRequest(const os::http::Request& request, const Respond& respond);
  void Show(const std::string& path, const Respond& respond);
  void ShowPage(const Respond& respond) const;
  // rest: what follows the path of the exports, "" or "/ROLE".
  void ShowExports(const std::string& rest, const Respond& respond) const;
  void ShowResources(const Respond& respond) const;
  void ShowLog(const std::string& path, const Respond& respond);
  bool HasOutput(const journal::TaskView& task) const;
  int RoleOf(const std::string& name) const;

  Tracking options_;
  std::function<journal::JobView()> view_;
  Followers& followers_;
  const jobspec::JobSpec& spec_;
  const os::process::Clock& clock_;
  std::unique_ptr<backend::PageReaders> readers_;  // null: no check
  std::unique_ptr<os::http::Server> server_;
};

}  // namespace howdah::am
