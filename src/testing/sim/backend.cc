#include "backend.h"

#include <algorithm>

namespace howdah::testing::sim {

using std::chrono::seconds;

SimBackend::SimBackend(World& world, Shape shape)
    : world_(world),
      shape_(shape),
      used_(static_cast<size_t>(shape.nodes), 0),
      down_(static_cast<size_t>(shape.nodes), false) {}

void SimBackend::Begin(std::vector<BackendClient*> clients) {
  clients_ = std::move(clients);
  for (int node = 0; node < shape_.nodes; ++node) {
    if (const auto when = world_.FaultWithin(world_.faults.node_lost, seconds(60))) {
      world_.schedule.After(*when, [this, node] { LoseNode(node); });
    }
  }
}

void SimBackend::Request(BackendClient* client, const core::RequestContainers& request) {
  if (world_.Fault(world_.faults.requests_refused)) {
    world_.Reach(Situation::kRequestRefused);
    client->OnRefused("the largest node has 1 GiB");
    return;
  }
  asks_.push_back({client, request.asks, request.together && shape_.grants_together});
  Consider(world_.GrantDelay());
}

void SimBackend::Cancel(BackendClient* client) {
  std::erase_if(asks_, [client](const Ask& ask) { return ask.client == client; });
}

void SimBackend::Free(int node) {
  --used_[static_cast<size_t>(node)];
  Consider(world_.GrantDelay());
}

void SimBackend::Consider(Duration delay) {
  if (considering_) return;
  considering_ = true;
  if (world_.Fault(world_.faults.grants_stall)) {
    delay += world_.random.Between(Duration(seconds(5)), Duration(seconds(60)));
    for (const Ask& ask : asks_) ask.client->OnWaiting("the queue is full");
  }
  world_.schedule.After(delay, [this] {
    considering_ = false;
    GrantOne();
  });
}

// Serves one request, chosen at random, so that each job may get only a part of its gang. Grants one container, or all
// containers of the request if they are granted together.
void SimBackend::GrantOne() {
  if (asks_.empty()) return;
  const size_t first = world_.random.Next() % asks_.size();
  for (size_t i = 0; i < asks_.size(); ++i) {
    const size_t at = (first + i) % asks_.size();
    Ask& ask = asks_[at];
    if (ask.together) {
      if (!GrantWhole(ask)) continue;
      asks_.erase(asks_.begin() + static_cast<ptrdiff_t>(at));
    } else {
      const int node = FreeNode();
      if (node < 0) break;
      const size_t of = world_.random.Next() % ask.wanted.size();
      const int role = ask.wanted[of].role;
      BackendClient* client = ask.client;
      const bool surplus = world_.Fault(world_.faults.grant_surplus) && FreeSlots() > 1;
      if (--ask.wanted[of].count <= 0) ask.wanted.erase(ask.wanted.begin() + static_cast<ptrdiff_t>(of));
      if (ask.wanted.empty()) asks_.erase(asks_.begin() + static_cast<ptrdiff_t>(at));
      Grant(client, role, node);
      if (surplus) {
        world_.Reach(Situation::kSurplusGranted);
        Grant(client, role, FreeNode());
      }
    }
    Consider(world_.GrantDelay());
    return;
  }
  for (const Ask& ask : asks_) ask.client->OnWaiting("all slots are taken");
}

bool SimBackend::GrantWhole(Ask& ask) {
  int count = 0;
  for (const auto& wanted : ask.wanted) count += wanted.count;
  if (count > FreeSlots()) return false;
  for (const auto& wanted : ask.wanted) {
    for (int i = 0; i < wanted.count; ++i) Grant(ask.client, wanted.role, FreeNode());
  }
  return true;
}

int SimBackend::FreeNode() {
  const int first = world_.random.Between(0, shape_.nodes - 1);
  for (int i = 0; i < shape_.nodes; ++i) {
    const int node = (first + i) % shape_.nodes;
    if (!down_[static_cast<size_t>(node)] && used_[static_cast<size_t>(node)] < shape_.slots) return node;
  }
  return -1;
}

int SimBackend::FreeSlots() const {
  int free = 0;
  for (size_t node = 0; node < down_.size(); ++node) free += down_[node] ? 0 : shape_.slots - used_[node];
  return free;
}

void SimBackend::Grant(BackendClient* client, int role, int node) {
  ++used_[static_cast<size_t>(node)];
  client->OnGranted(role, node);
}

void SimBackend::LoseNode(int node) {
  world_.Reach(Situation::kNodeLost);
  down_[static_cast<size_t>(node)] = true;
  for (BackendClient* client : clients_) client->OnNodeLost(node);
  world_.schedule.At(world_.faults_end, [this, node] {
    down_[static_cast<size_t>(node)] = false;
    Consider(Duration(0));
  });
}

}  // namespace howdah::testing::sim
