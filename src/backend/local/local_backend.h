// The AM's backend on this machine. A container is a tree of processes, admitted by the lease registry.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/backend.h"
#include "howdah/backend/local/agent.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/spawn.h"
#include "lease_registry.h"

namespace howdah::backend::local {

// Serves one job. Used on the AM's loop thread only.
class LocalBackend final : public backend::Backend {
 public:
  // job, start, leases and clock must outlive this object. path: the PATH that is searched for tools (nvidia-smi).
  LocalBackend(boost::asio::io_context& loop, backend::Sink& sink, AgentJob& job, const AmStart& start,
               const std::string& path, LeaseRegistry& leases, AmEndpoint am, const os::process::Clock& clock);
  ~LocalBackend() override;

  void Inherit(const std::vector<backend::Inherited>& containers, int am_attempt) override;
  void Request(const core::RequestContainers& request) override;
  void CancelRequests() override;
  void Launch(const ContainerId& container, const TaskId& task) override;
  void Avoid(const std::string&, Duration) override {}
  void Connected(const ContainerId&) override {}
  void Left(const ContainerId&) override {}  // the kernel reports ends immediately
  void Release(const ContainerId& container) override;
  void Kill(const ContainerId& container) override;
  Result<ReplacedTokens> ReplaceTokens(const std::string&) override {
    return Error{ErrorCode::kUnavailable, "the tasks run on this machine as the user, and have no tokens"};
  }
  void Finish(const core::JobChanged& final, const std::string& journal) override;

 private:
  // Requests that must be granted together: all requests of a gang, or a single request.
  struct Pending {
    std::vector<ContainerRequest> requests;
    std::vector<int> roles;  // parallel to requests
  };
  // A container from its grant until all of its processes have exited.
  struct Container {
    Container(boost::asio::io_context& loop, Lease l) : lease(std::move(l)), alive(loop), kill_timer(loop) {}
    Lease lease;
    os::process::Child guardian;  // pid is -1 before the launch
    bool inherited = false;       // taken over from an earlier AM; the guardian is not a child of this process
    std::string log;              // the file with the stderr of guardian and executor
    // The read end of a named pipe. Only guardian and executor hold its write end, so a read returns the end of file
    // when both have exited. A later AM opens the pipe by its name.
    boost::asio::posix::stream_descriptor alive;
    boost::asio::steady_timer kill_timer;
    std::array<char, 1> byte;
  };

  void Enqueue(Pending group);
  void RequestNext();
  void RequestLater();
  bool WatchLeases();
  void StopWatching();
  void OnProcessesExited(const ContainerId& id);
  void KillAfter(const ContainerId& id, std::chrono::milliseconds wait, int signal);
  Status Spawn(Container& container, const ContainerId& id, const TaskId& task);
  std::string LogOf(const TaskId& task) const;
  Status OpenAlive(Container& container, const ContainerId& id);
  void WatchAlive(Container& container, const ContainerId& id);
  Status Adopt(Container& container, const backend::Inherited& inherited);
  void Remove(const ContainerId& id, const std::string& how);
  std::vector<std::string> TaskArguments(const Container& container, const ContainerId& id, const TaskId& task) const;

  boost::asio::io_context& loop_;
  backend::Sink& sink_;
  AgentJob& job_;
  const AmStart& start_;
  Capacity capacity_;
  LeaseRegistry& leases_;
  AmEndpoint am_;
  const os::process::Clock& clock_;
  std::deque<Pending> pending_;
  std::map<ContainerId, Container> containers_;
  boost::asio::posix::stream_descriptor leases_changed_;  // inotify of the leases directory, while a request is pending
  std::array<char, 4096> changes_;
  boost::asio::steady_timer request_timer_;  // repeats a request if no event of leases_changed_ will do so
  const bool machine_has_gpus_;
  std::string name_prefix_ = "c";  // beginning of container ids; every AM of the job uses a different prefix
  int containers_made_ = 0;
  bool waiting_ = false;  // the AM has been informed why a request waits
};

}  // namespace howdah::backend::local
