// Rendezvous servers of frameworks that need one, in the AM's process. A generation has its own server; only for
// elastic Horovod, one server serves all generations. The protocols have no authentication. Therefore a server accepts
// connections only from the addresses of the job's executors (on one machine: only from the job's user), and limits the
// number of connections, the size of each request, and the amount of stored data.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/core/job.h"
#include "howdah/frameworks/framework.h"
#include "howdah/frameworks/horovod/elastic_rendezvous.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/process/clock.h"
#include "howdah/rpc/am_server.h"

namespace howdah::am {

// A server that listens until it is destroyed.
class RendezvousServer {
 public:
  struct Options {
    std::string host;             // the address of this machine to listen on
    int processes = 1;            // expected number of clients
    std::set<std::string> peers;  // IP addresses of the clients; other addresses are refused
    // Which users of this machine are accepted. All users of one machine have the same address, so on one machine only
    // kSameUser excludes other users.
    rpc::Peers users = rpc::Peers::kAny;
    // Prints a message that all ranks send only once, to the output of one rank. Called on the loop.
    std::function<void(int rank, const std::string& text)> print;
  };
  virtual ~RendezvousServer() = default;
  virtual uint16_t port() const = 0;
};

// Whether the peer of an accepted socket may use the rendezvous.
bool IsClient(const RendezvousServer::Options& options, int socket, const std::string& peer);

// The maximum number of bytes that the processes may store in total.
size_t StoreLimit(int processes);

// clock must live longer than the server.
Result<std::unique_ptr<RendezvousServer>> StartKeyValueServer(boost::asio::io_context& loop,
                                                              const os::process::Clock& clock,
                                                              RendezvousServer::Options options);
Result<std::unique_ptr<RendezvousServer>> StartTracker(boost::asio::io_context& loop,
                                                       RendezvousServer::Options options);

// frameworks::horovod::ElasticRendezvous over HTTP. One server serves all generations, because the processes continue
// from one generation to the next.
class ElasticRendezvousServer : public RendezvousServer {
 public:
  // Receives the tasks' rendezvous steps. Called on the loop.
  using OnReported = std::function<void(core::RendezvousReported)>;
  using Assignments = std::vector<frameworks::horovod::RankAssignment>;

  virtual void SetPeers(std::set<std::string> peers) = 0;
  virtual void Start(const core::StartTask& order, Assignments assignments) = 0;
  virtual void Rejoin(const core::Rejoin& order, Assignments assignments) = 0;
  // Asks the attempt's first process to leave its generation. Repeats the request until some process rejoins, because a
  // process receives requests only while it listens, and does not report when it begins to listen.
  virtual void Ask(const core::RequestRendezvous& order) = 0;
};
// clock must live longer than the server.
Result<std::unique_ptr<ElasticRendezvousServer>> StartElasticRendezvousServer(
    boost::asio::io_context& loop, const os::process::Clock& clock, RendezvousServer::Options options,
    ElasticRendezvousServer::OnReported on_reported);

// The rendezvous server of the current generation. Call it only on the thread of the AM's loop.
class Rendezvous {
 public:
  using Print = std::function<void(int rank, const std::string& text)>;
  // host, users: as in RendezvousServer::Options. clock and spec must live longer than this object.
  Rendezvous(boost::asio::io_context& loop, const os::process::Clock& clock, std::string host, rpc::Peers users,
             const jobspec::JobSpec& spec, Print print, ElasticRendezvousServer::OnReported on_reported)
      : loop_(loop),
        clock_(clock),
        host_(std::move(host)),
        users_(users),
        spec_(spec),
        kind_(frameworks::RendezvousKindOf(spec)),
        print_(std::move(print)),
        on_reported_(std::move(on_reported)) {}

  // Returns the address at which the processes of the generation join. The first call for a generation starts a new
  // server on its own port and closes the previous one, so that remaining processes of an older generation can reach no
  // server. Exception: one ElasticRendezvousServer serves all generations. Returns nullopt if the framework needs no
  // server.
  Result<std::optional<HostPort>> For(int generation, const core::PeerGroup& cluster);

  // These functions have an effect only for a job with an ElasticRendezvousServer. cluster: the current peer group.
  void Start(const core::StartTask& order, const core::PeerGroup& cluster);
  void Rejoin(const core::Rejoin& order, const core::PeerGroup& cluster);
  void Ask(const core::RequestRendezvous& order);

 private:
  Status Begin(int generation, RendezvousServer::Options options);
  ElasticRendezvousServer::Assignments AssignmentsOf(TaskId slot, int generation, const core::PeerGroup& cluster) const;

  boost::asio::io_context& loop_;
  const os::process::Clock& clock_;
  const std::string host_;
  const rpc::Peers users_;
  const jobspec::JobSpec& spec_;
  const frameworks::RendezvousKind kind_;
  const Print print_;
  const ElasticRendezvousServer::OnReported on_reported_;
  int generation_ = -1;
  std::unique_ptr<RendezvousServer> server_;                 // the server of one generation
  std::unique_ptr<ElasticRendezvousServer> elastic_server_;  // the server of all generations
};

}  // namespace howdah::am
