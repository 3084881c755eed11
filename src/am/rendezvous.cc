#include "rendezvous.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "howdah/frameworks/horovod/horovod.h"
#include "howdah/os/net/peer_user.h"

namespace howdah::am {
namespace {

using Kind = frameworks::RendezvousKind;

// The number of ranks if every role had its maximum size.
int LargestWorldSize(const jobspec::JobSpec& spec) {
  core::PeerGroup cluster;
  for (const jobspec::RoleSpec& role : spec.roles) cluster.emplace_back(static_cast<size_t>(role.instances.max));
  return frameworks::WorldSize(spec, cluster);
}

// In each of about ten scopes, a process stores one value of about 64 bytes for each other process.
constexpr size_t kBaseBytes = size_t{1} << 20, kBytesPerProcess = size_t{256} << 10, kBytesPerPair = 1 << 10;
constexpr size_t kMostStoredBytes = size_t{256} << 20;

}  // namespace

bool IsClient(const RendezvousServer::Options& options, int socket, const std::string& peer) {
  if (!options.peers.contains(peer)) return false;
  if (options.users == rpc::Peers::kAny) return true;
  const auto user = os::net::PeerUsers().UserOf(socket);
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
  if (elastic_server_) {
    elastic_server_->SetPeers(std::move(options.peers));
  } else if (generation_ != generation) {
    if (const Status begun = Begin(generation, std::move(options)); !begun.ok())
      return begun.error().While("starting the rendezvous of generation " + std::to_string(generation));
  }
  return std::optional(HostPort{host_, elastic_server_ ? elastic_server_->port() : server_->port()});
}

Status Rendezvous::Begin(int generation, RendezvousServer::Options options) {
  if (kind_ == Kind::kElastic) {
    options.processes = LargestWorldSize(spec_);
    HOWDAH_TRY(auto server, StartElasticRendezvousServer(loop_, clock_, std::move(options), on_reported_));
    elastic_server_ = std::move(server);
    return {};
  }
  HOWDAH_TRY(auto server, kind_ == Kind::kTracker ? StartTracker(loop_, std::move(options))
                                                  : StartKeyValueServer(loop_, clock_, std::move(options)));
  server_ = std::move(server);
  generation_ = generation;
  return {};
}

void Rendezvous::Start(const core::StartTask& order, const core::PeerGroup& cluster) {
  if (elastic_server_)
    elastic_server_->Start(order, AssignmentsOf({order.task.role, order.slot}, order.generation, cluster));
}

void Rendezvous::Rejoin(const core::Rejoin& order, const core::PeerGroup& cluster) {
  if (elastic_server_)
    elastic_server_->Rejoin(order, AssignmentsOf({order.task.role, order.slot}, order.generation, cluster));
}

void Rendezvous::Ask(const core::RequestRendezvous& order) {
  if (elastic_server_) elastic_server_->Ask(order);
}

// Returns an empty list for a task without ranks.
ElasticRendezvousServer::Assignments Rendezvous::AssignmentsOf(TaskId slot, int generation,
                                                               const core::PeerGroup& cluster) const {
  ElasticRendezvousServer::Assignments assignments;
  const jobspec::RoleSpec& role = spec_.roles[static_cast<size_t>(slot.role)];
  const int processes = role.kind == jobspec::RoleKind::kWorker ? role.processes : 0;
  for (int local_rank = 0; local_rank < processes; ++local_rank) {
    frameworks::ProcessInfo process{.task = slot, .local_rank = local_rank, .generation = generation};
    assignments.push_back(frameworks::horovod::RankAssignmentOf(spec_, cluster, process));
  }
  return assignments;
}

}  // namespace howdah::am
