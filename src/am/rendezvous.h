// Rendezvous servers of frameworks that need one: one per generation, beside the AM's own server. These protocols have
// no authentication, so a server accepts connections only from the addresses of the job's executors, and limits their
// number and size.
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

namespace howdah::am {

// Serves until it is destroyed.
class RendezvousServer {
 public:
  struct Options {
    std::string host;             // the address of this machine to listen on
    int processes = 1;            // expected clients
    std::set<std::string> peers;  // their IP addresses; others are refused
    // Prints text of one process for all of them; called on the loop.
    std::function<void(int rank, const std::string& text)> print;
  };
  virtual ~RendezvousServer() = default;
  virtual uint16_t port() const = 0;
};

Result<std::unique_ptr<RendezvousServer>> StartKeyValueServer(boost::asio::io_context& loop,
                                                              RendezvousServer::Options options);
Result<std::unique_ptr<RendezvousServer>> StartTracker(boost::asio::io_context& loop,
                                                       RendezvousServer::Options options);

// frameworks::horovod::ElasticRendezvous, over HTTP. Its processes go from one generation to the next, and so does it.
class WorldsServer : public RendezvousServer {
 public:
  // What tasks do there; called on the loop.
  using OnMeets = std::function<void(core::RendezvousReported)>;
  using Seats = std::vector<frameworks::horovod::RankAssignment>;

  virtual void SetPeers(std::set<std::string> peers) = 0;
  virtual void Start(const core::StartTask& order, Seats seats) = 0;
  virtual void Rejoin(const core::Rejoin& order, Seats seats) = 0;
  // Tells the attempt's first process that it is to leave its world, again and again until somebody waits for the next:
  // a process hears it only once it listens, and does not say so.
  virtual void Ask(const core::RequestRendezvous& order) = 0;
};
Result<std::unique_ptr<WorldsServer>> StartWorldsServer(boost::asio::io_context& loop,
                                                        RendezvousServer::Options options,
                                                        WorldsServer::OnMeets on_meets);

// The one of the current generation. One thread: the AM's loop.
class Rendezvous {
 public:
  using Print = std::function<void(int rank, const std::string& text)>;
  // host: as RendezvousServer::Options has it. spec outlives this.
  Rendezvous(boost::asio::io_context& loop, std::string host, const jobspec::JobSpec& spec, Print print,
             WorldsServer::OnMeets on_meets)
      : loop_(loop),
        host_(std::move(host)),
        spec_(spec),
        kind_(frameworks::RendezvousKindOf(spec)),
        print_(std::move(print)),
        on_meets_(std::move(on_meets)) {}

  // Where the generation's processes meet. The first call for a generation begins a new server on a port of its own
  // and ends the one before, so that what is left of an older generation reaches nobody; but for a WorldsServer, of
  // which there is one. nullopt: the job's framework has none.
  Result<std::optional<HostPort>> For(int generation, const core::PeerGroup& cluster);

  // Of a job with a WorldsServer; else nothing. cluster: as it is now.
  void Start(const core::StartTask& order, const core::PeerGroup& cluster);
  void Rejoin(const core::Rejoin& order, const core::PeerGroup& cluster);
  void Ask(const core::RequestRendezvous& order);

 private:
  Status Begin(int generation, RendezvousServer::Options options);
  WorldsServer::Seats SeatsOf(TaskId place, int generation, const core::PeerGroup& cluster) const;

  boost::asio::io_context& loop_;
  const std::string host_;
  const jobspec::JobSpec& spec_;
  const frameworks::RendezvousKind kind_;
  const Print print_;
  const WorldsServer::OnMeets on_meets_;
  int generation_ = -1;
  std::unique_ptr<RendezvousServer> server_;  // of a generation
  std::unique_ptr<WorldsServer> worlds_;      // of all
};

}  // namespace howdah::am
