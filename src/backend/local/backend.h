// The AM's half of the local place: containers are process trees of this machine, admitted by the ledger.
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
#include "howdah/os/process/spawn.h"
#include "ledger.h"

namespace howdah::backend::local {

// One job, one thread: the AM's loop.
class LocalBackend final : public backend::Backend {
 public:
  // job, start and ledger outlive it. path: where tools of the machine (nvidia-smi) are looked up.
  LocalBackend(boost::asio::io_context& loop, backend::Sink& sink, AgentJob& job, const AmStart& start,
               const std::string& path, Ledger& ledger, std::string am_address);
  ~LocalBackend() override;

  void Inherit(const std::vector<backend::Inherited>& containers, int am_attempt) override;
  void Request(const core::RequestContainers& request) override;
  void CancelRequests() override;
  void Launch(const ContainerId& container, const TaskId& task) override;
  void Avoid(const std::string&, Duration) override {}
  void Connected(const ContainerId&) override {}
  void Release(const ContainerId& container) override;
  void Kill(const ContainerId& container) override;
  Status WriteHistory(const std::string& journal) override;
  void Finish(const core::JobChanged& final, const std::string& journal) override;

 private:
  // What is granted at one stroke: a gang, or one container.
  struct Pending {
    std::vector<Want> wants;
    std::vector<int> roles;  // beside wants
  };
  // A granted container, until nothing of it is left.
  struct Container {
    Container(boost::asio::io_context& loop, Lease l) : lease(std::move(l)), alive(loop), patience(loop) {}
    Lease lease;
    os::process::Child guardian;  // pid -1: nothing was launched
    bool inherited = false;       // by an AM before this one: the guardian is no child of ours
    std::string log;              // what guardian and executor say
    // The read end of a pipe whose other end only the guardian and the executor hold: it closes when both are gone. It
    // has a name, so that an AM after this one can open it.
    boost::asio::posix::stream_descriptor alive;
    boost::asio::steady_timer patience;
    std::array<char, 1> byte;
  };

  void Queue(Pending group);
  void AskNext();
  void WatchLeases();
  void StopWatching();
  void OnGone(const ContainerId& id);
  void KillAfter(const ContainerId& id, std::chrono::milliseconds wait, int signal);
  Status Spawn(Container& container, const ContainerId& id, const TaskId& task);
  std::string LogOf(const TaskId& task) const;
  Status OpenAlive(Container& container, const ContainerId& id);
  void WatchAlive(Container& container, const ContainerId& id);
  Status Take(Container& container, const backend::Inherited& inherited);
  void Give(const ContainerId& id, const std::string& how);
  std::vector<std::string> TaskArguments(const Container& container, const ContainerId& id, const TaskId& task) const;

  boost::asio::io_context& loop_;
  backend::Sink& sink_;
  AgentJob& job_;
  const AmStart& start_;
  Capacity capacity_;
  Ledger& ledger_;
  std::string am_address_;
  std::deque<Pending> pending_;
  std::map<ContainerId, Container> containers_;
  boost::asio::posix::stream_descriptor leases_changed_;  // inotify on the leases, while something is pending
  std::array<char, 4096> changes_;
  const bool machine_has_gpus_;
  std::string name_prefix_ = "c";  // of containers: none has the name of one that an AM before this one had
  int containers_made_ = 0;
  bool waiting_ = false;  // the sink was told that the asks wait
};

}  // namespace howdah::backend::local
