#include "rendezvous.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "howdah/frameworks/horovod/horovod.h"
#include "howdah/rpc/peer_user.h"

namespace howdah::am {
namespace {

using Kind = frameworks::RendezvousKind;

// The world size if every role had its maximum size.
int LargestWorld(const jobspec::JobSpec& spec) {
  core::PeerGroup cluster;
  for (const jobspec::RoleSpec& role : spec.roles) cluster.emplace_back(static_cast<size_t>(role.instances.max));
  return frameworks::WorldSize(spec, cluster);
}

// A process stores one value per scope, of about 64 bytes for each other process, in some ten scopes.
constexpr size_t kBaseBytes = size_t{1} << 20, kBytesPerProcess = size_t{256} << 10, kBytesPerPair = 1 << 10;
constexpr size_t kMostStoredBytes = size_t{256} << 20;

}  // namespace

bool IsClient(const RendezvousServer::Options& options, int socket, const std::string& peer) {
  if (!options.peers.contains(peer)) return false;
  if (options.users == rpc::Peers::kAny) return true;
  const auto user = rpc::PeerUsers().UserOf(socket);
  return !user || *user == 0 || *user == geteuid();
}

size_t StoreLimit(int processes) {
  const auto count = static_cast<size_t>(processes);
  return std::min(kMostStoredBytes, kBaseBytes + count * (kBytesPerProcess + count * kBytesPerPair));
}

Result<std::optional<HostPort>> Rendezvous::For(int generation, const core::PeerGroup& cluster) {
  if (kind_ == Kind::kNone) return std::optional<HostPort>();
  RendezvousServer::Options options{host_, frameworks::WorldSize(spec_, cluster), {}, users_, print_};
  for (const auto& role : cluster) {
    for (const HostPort& endpoint : role) options.peers.insert(endpoint.host);
  }
  if (worlds_) {
    worlds_->SetPeers(std::move(options.peers));
  } else if (generation_ != generation) {
    if (const Status begun = Begin(generation, std::move(options)); !begun.ok())
      return begun.error().While("starting the rendezvous of generation " + std::to_string(generation));
  }
  return std::optional(HostPort{host_, worlds_ ? worlds_->port() : server_->port()});
}

Status Rendezvous::Begin(int generation, RendezvousServer::Options options) {
  if (kind_ == Kind::kElastic) {
    options.processes = LargestWorld(spec_);
    auto worlds = StartWorldsServer(loop_, std::move(options), on_meets_);
    if (!worlds.ok()) return worlds.error();
    worlds_ = std::move(*worlds);
    return {};
  }
  auto server = kind_ == Kind::kTracker ? StartTracker(loop_, std::move(options))
                                        : StartKeyValueServer(loop_, std::move(options));
  if (!server.ok()) return server.error();
  server_ = std::move(*server);
  generation_ = generation;
  return {};
}

void Rendezvous::Start(const core::StartTask& order, const core::PeerGroup& cluster) {
  if (worlds_) worlds_->Start(order, SeatsOf({order.task.role, order.slot}, order.generation, cluster));
}

void Rendezvous::Rejoin(const core::Rejoin& order, const core::PeerGroup& cluster) {
  if (worlds_) worlds_->Rejoin(order, SeatsOf({order.task.role, order.slot}, order.generation, cluster));
}

void Rendezvous::Ask(const core::RequestRendezvous& order) {
  if (worlds_) worlds_->Ask(order);
}

// Empty for a task without ranks.
WorldsServer::Seats Rendezvous::SeatsOf(TaskId place, int generation, const core::PeerGroup& cluster) const {
  WorldsServer::Seats seats;
  const jobspec::RoleSpec& role = spec_.roles[static_cast<size_t>(place.role)];
  const int processes = role.kind == jobspec::RoleKind::kWorker ? role.processes : 0;
  for (int local_rank = 0; local_rank < processes; ++local_rank) {
    frameworks::ProcessInfo process{.task = place, .local_rank = local_rank, .generation = generation};
    seats.push_back(frameworks::horovod::RankAssignmentOf(spec_, cluster, process));
  }
  return seats;
}

}  // namespace howdah::am
