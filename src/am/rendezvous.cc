#include "rendezvous.h"

#include "howdah/frameworks/framework.h"

namespace howdah::am {

Result<std::optional<Endpoint>> Rendezvous::For(int generation, const core::Cluster& cluster) {
  const frameworks::Rendezvous kind = frameworks::RendezvousOf(spec_.framework);
  if (kind == frameworks::Rendezvous::kNone) return std::optional<Endpoint>();
  if (generation_ != generation) {
    RendezvousServer::Options options{host_, frameworks::WorldSize(spec_, cluster), {}, print_};
    for (const auto& role : cluster) {
      for (const Endpoint& endpoint : role) options.peers.insert(endpoint.host);
    }
    auto server = kind == frameworks::Rendezvous::kTracker ? StartTracker(loop_, std::move(options))
                                                           : StartKeyValueServer(loop_, std::move(options));
    if (!server.ok())
      return server.error().While("starting the rendezvous of generation " + std::to_string(generation));
    server_ = std::move(*server);
    generation_ = generation;
  }
  return std::optional(Endpoint{host_, server_->port()});
}

}  // namespace howdah::am
