// Where the processes of a framework find each other, if it wants a server for that: beside the AM's own, one a
// generation. These protocols know no authentication, so that what a server takes is limited: connections from the
// addresses of the job's executors, and only so many of them and so many bytes.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/core/job.h"
#include "howdah/spec/job_spec.h"

namespace howdah::am {

// Serves until it is destroyed.
class RendezvousServer {
 public:
  struct Options {
    std::string host;             // the address of this machine to listen on
    int processes = 1;            // how many will come
    std::set<std::string> peers;  // IP addresses that they come from; others are refused
    // What a process wants printed for all of them; called on the loop.
    std::function<void(int rank, const std::string& text)> print;
  };
  virtual ~RendezvousServer() = default;
  virtual uint16_t port() const = 0;
};

Result<std::unique_ptr<RendezvousServer>> StartKeyValueServer(boost::asio::io_context& loop,
                                                              RendezvousServer::Options options);
Result<std::unique_ptr<RendezvousServer>> StartTracker(boost::asio::io_context& loop,
                                                       RendezvousServer::Options options);

// The one of the current generation. One thread: the AM's loop.
class Rendezvous {
 public:
  using Print = std::function<void(int rank, const std::string& text)>;
  // host: as RendezvousServer::Options has it. spec outlives this.
  Rendezvous(boost::asio::io_context& loop, std::string host, const spec::JobSpec& spec, Print print)
      : loop_(loop), host_(std::move(host)), spec_(spec), print_(std::move(print)) {}

  // Where the generation's processes meet. The first call for a generation begins a new server on a port of its own
  // and ends the one before, so that what is left of an older generation reaches nobody. nullopt: the job's framework
  // has none.
  Result<std::optional<Endpoint>> For(int generation, const core::Cluster& cluster);

 private:
  boost::asio::io_context& loop_;
  const std::string host_;
  const spec::JobSpec& spec_;
  const Print print_;
  int generation_ = -1;
  std::unique_ptr<RendezvousServer> server_;
};

}  // namespace howdah::am
