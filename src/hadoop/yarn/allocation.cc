#include "howdah/hadoop/yarn/allocation.h"

#include <algorithm>
#include <utility>

namespace howdah::hadoop::yarn {
namespace {

using namespace ::hadoop::yarn;

constexpr const char* kAnywhere = "*";
// All shapes have the same priority, so that none has to wait for another. They differ by allocation_request_id.
constexpr int kPriority = 1;

}  // namespace

void Allocation::Ask(int key, const Shape& shape, int count) {
  Asked& asked = asked_[key];
  asked.shape = shape;
  asked.outstanding += count;
  asked.dirty = true;
  asked.rejected = false;
}

void Allocation::CancelAll() {
  for (auto& [key, asked] : asked_) {
    if (asked.outstanding == 0) continue;
    asked.outstanding = 0;
    // Do not send the count 0 of a rejected ask, because it would be rejected, too. Containers that are still granted
    // for an earlier ask are released as surplus.
    asked.dirty = !std::exchange(asked.rejected, false);
  }
}

void Allocation::Release(const ContainerId& id) {
  const auto it = held_.find(id);
  if (it == held_.end() || it->second.releasing) return;
  RemoveFromNode(it->second);
  StartRelease(id);
}

void Allocation::StartRelease(const ContainerId& id) {
  held_.at(id).releasing = true;
  releases_.insert(id);
}

void Allocation::Resume(int32_t response_id) {
  response_id_ = response_id;
  resuming_ = true;
}

void Allocation::Adopt(int key, const Shape& shape, const ContainerId& id, const std::string& node) {
  if (!seen_.insert(id).second) return;
  Asked& asked = asked_[key];
  if (asked.outstanding == 0) asked.shape = shape;
  nodes_.Hold(key, node);
  MarkAffected(key);
  held_[id] = {.key = key, .node = node};
}

void Allocation::AdoptSurplus(const ContainerId& id, const std::string& node) {
  if (!seen_.insert(id).second) return;
  held_[id] = {.key = -1, .node = node, .surplus = true};
  StartRelease(id);
}

// Subtracts a container from the count of its node.
void Allocation::RemoveFromNode(const Held& held) {
  Asked& asked = asked_.at(held.key);
  nodes_.Drop(held.key, held.node);
  MarkAffected(held.key);
  if (asked.shape.limited() && asked.outstanding > 0) asked.dirty = true;  // the node has room for another container
}

void Allocation::SetNodes(std::vector<KnownNode> nodes) {
  if (nodes == nodes_.all()) return;
  for (const KnownNode& node : nodes)
    if (options_.inherits_blacklist && nodes_.Find(node.name) == nullptr) unclear_.insert(node.name);
  nodes_.Set(std::move(nodes));
  for (auto& [key, asked] : asked_)
    if (asked.outstanding > 0) asked.dirty = true;
}

void Allocation::NodeFailed(const std::string& node, Instant now) {
  if (++failures_[node].in_a_row < options_.failures_until_avoided) return;
  AvoidUntil(node, now, now + options_.avoided_for);
}

// Does not remove the node from the blacklist, because a successful launch does not disprove the reason for which Avoid
// has put the node there.
void Allocation::NodeSucceeded(const std::string& node) {
  if (const auto it = failures_.find(node); it != failures_.end()) it->second.in_a_row = 0;
}

void Allocation::Avoid(const std::string& host, Instant now, Duration limit) {
  if (!options_.ports_in_names) return AvoidUntil(host, now, now + limit);
  for (const KnownNode& node : nodes_.all()) {
    if (HostOf(node.name) == host) AvoidUntil(node.name, now, now + limit);
  }
}

void Allocation::AvoidUntil(const std::string& node, Instant now, Instant until) {
  const size_t known = std::max(nodes_.all().size(), static_cast<size_t>(std::max(cluster_nodes_, 0)));
  auto others = avoided(now);
  others.erase(node);
  if ((others.size() + 1) * 2 > known) return;
  failures_[node].avoided_until = until;
}

std::set<std::string> Allocation::avoided(Instant now) const {
  std::set<std::string> names;
  for (const auto& [name, failures] : failures_)
    if (failures.avoided_until && *failures.avoided_until > now) names.insert(name);
  return names;
}

std::optional<Instant> Allocation::NextBlacklistExpiry() const {
  std::optional<Instant> next;
  for (const auto& [name, failures] : failures_)
    if (failures.avoided_until && blacklist_.contains(name) && (!next || *failures.avoided_until < *next))
      next = failures.avoided_until;
  return next;
}

bool Allocation::HasChanges(Instant now) const {
  return in_flight_ || !releases_.empty() || !unclear_.empty() || avoided(now) != blacklist_ ||
         std::any_of(asked_.begin(), asked_.end(), [](const auto& a) { return a.second.dirty && !a.second.rejected; });
}

int Allocation::outstanding() const {
  int sum = 0;
  for (const auto& [key, asked] : asked_) sum += asked.outstanding;
  return sum;
}

int Allocation::outstanding(int key) const {
  const auto it = asked_.find(key);
  return it == asked_.end() ? 0 : it->second.outstanding;
}

std::string Allocation::NameOf(const NodeIdProto& node) const {
  return options_.ports_in_names ? ToText(FromProto(node)) : node.host();
}

void Allocation::MarkAffected(int key) {
  for (auto& [other, asked] : asked_) {
    const Placement& placement = asked.shape.placement;
    const auto names = [&](const std::vector<int>& keys) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    const bool affected = names(placement.near) || names(placement.apart) || (other == key && placement.max_per_rack);
    asked.dirty = asked.dirty || (affected && asked.outstanding > 0);
  }
}

// Adds a row for each node that is large enough for a container. If only some nodes may get one, all other nodes are
// excluded (relax_locality is false), so that the scheduler grants at most the count in a node's row on that node.
void Allocation::AddNamedRows(int key, const Asked& asked, std::map<std::string, Row>& rows) const {
  const Shape& shape = asked.shape;
  size_t named = 0;
  for (const KnownNode& node : nodes_.all()) {
    if (!nodes_.Suits(node, shape)) continue;
    if (++named > options_.max_named_nodes && !shape.limited()) return;
    const int room = nodes_.RoomOn(node.name, key, asked.shape, asked.outstanding);
    if (room == 0 && !shape.placement.empty()) continue;
    rows[node.name] = {room, true};
    rows[nodes_.RackOf(node.name)] = {asked.outstanding, !shape.limited()};
  }
  if (!shape.placement.empty() || (shape.limited() && named > 0)) rows[kAnywhere].relax = false;
}

std::map<std::string, Allocation::Row> Allocation::RowsOf(int key, const Asked& asked) const {
  const Shape& shape = asked.shape;
  std::map<std::string, Row> rows;
  rows[kAnywhere] = {asked.outstanding, true};
  if ((shape.nodes.empty() && shape.racks.empty()) || !shape.placement.empty()) {
    AddNamedRows(key, asked, rows);
    return rows;
  }
  rows[kAnywhere].relax = !shape.strict;
  for (const std::string& wanted : shape.nodes) {
    bool known = false;
    for (const KnownNode& node : nodes_.all()) {
      // Users name hosts. If node names include ports, the name matches all nodes of the host.
      if (node.name != wanted && HostOf(node.name) != wanted) continue;
      known = true;
      rows[node.name] = {nodes_.RoomOn(node.name, key, asked.shape, asked.outstanding), true};
      rows[node.rack.empty() ? kDefaultRack : node.rack] = {asked.outstanding, !shape.strict};
    }
    if (known) continue;
    rows[wanted] = {nodes_.RoomOn(wanted, key, asked.shape, asked.outstanding), true};
    rows[kDefaultRack] = {asked.outstanding, !shape.strict};
  }
  for (const std::string& rack : shape.racks) rows[rack] = {asked.outstanding, true};
  return rows;
}

void Allocation::AddAsks(int key, Asked& asked) {
  auto rows = RowsOf(key, asked);
  for (const std::string& name : asked.rows) rows.try_emplace(name, Row{0, true});
  for (const auto& [name, row] : rows) {
    ResourceRequestProto& ask = *in_flight_->add_ask();
    ask.mutable_priority()->set_priority(kPriority);
    ask.set_resource_name(name);
    *ask.mutable_capability() = ToProto(asked.shape.resource);
    ask.set_num_containers(row.count);
    ask.set_relax_locality(row.relax);
    ask.set_allocation_request_id(key);
    // YARN accepts a label only in the row for any node.
    if (name == kAnywhere && !asked.shape.label.empty()) ask.set_node_label_expression(asked.shape.label);
    if (row.count == 0) {
      asked.rows.erase(name);
    } else {
      asked.rows.insert(name);
    }
  }
  asked.dirty = false;
}

const AllocateRequestProto& Allocation::Request(Instant now) {
  if (in_flight_) return *in_flight_;
  in_flight_.emplace();
  in_flight_->set_response_id(response_id_);
  if (std::exchange(resuming_, false)) return *in_flight_;
  for (auto& [key, asked] : asked_)
    if (asked.dirty && !asked.rejected) AddAsks(key, asked);
  for (const ContainerId& id : std::exchange(releases_, {})) *in_flight_->add_release() = ToProto(id);
  AddBlacklist(now);
  return *in_flight_;
}

void Allocation::AddBlacklist(Instant now) {
  const auto avoid = avoided(now);
  for (const std::string& name : avoid)
    if (!blacklist_.contains(name)) in_flight_->mutable_blacklist_request()->add_blacklist_additions(name);
  blacklist_.merge(std::exchange(unclear_, {}));
  for (const std::string& name : blacklist_) {
    if (avoid.contains(name)) continue;
    in_flight_->mutable_blacklist_request()->add_blacklist_removals(name);
    failures_.erase(name);
  }
  blacklist_ = avoid;
}

Allocation::Effects Allocation::Apply(const AllocateResponseProto& response) {
  Effects effects;
  in_flight_.reset();
  if (response.has_response_id()) response_id_ = response.response_id();
  if (response.num_cluster_nodes() > 0) cluster_nodes_ = response.num_cluster_nodes();
  for (const ContainerProto& container : response.allocated_containers()) Admit(container, effects);
  // The owner has not adopted these containers of an earlier attempt, so release them.
  for (const ContainerProto& container : response.containers_from_previous_attempts()) {
    const ContainerId id = FromProto(container.id());
    const std::string node = NameOf(container.nodeid());
    if (!seen_.contains(id)) effects.surplus.push_back({-1, container, node});
    AdoptSurplus(id, node);
  }
  for (const ContainerStatusProto& status : response.completed_container_statuses()) Complete(status, effects);
  return effects;
}

// Whether a granted container satisfies an open ask. If an ask is open but does not accept the container's node, the
// scheduler has lowered the count of the ask too far, so the count must be sent again.
bool Allocation::SatisfiesAsk(int key, Asked& asked, const std::string& node) {
  if (asked.outstanding == 0) return false;
  const bool excluded = asked.shape.limited() && nodes_.RoomOn(node, key, asked.shape, asked.outstanding) == 0;
  if (!excluded && !blacklist_.contains(node)) return true;
  asked.dirty = true;
  return false;
}

void Allocation::Admit(const ContainerProto& container, Effects& effects) {
  const ContainerId id = FromProto(container.id());
  if (!seen_.insert(id).second) return;
  const std::string node = NameOf(container.nodeid());
  const int64_t request = container.allocation_request_id();
  const int key = request >= 0 && request <= INT32_MAX ? static_cast<int>(request) : -1;
  const auto it = asked_.find(key);
  Held& held = held_[id] = {.key = key, .node = node};
  if (it == asked_.end() || !SatisfiesAsk(key, it->second, node)) {
    held.surplus = true;
    effects.surplus.push_back({-1, container, node});
    StartRelease(id);
    return;
  }
  Asked& asked = it->second;
  --asked.outstanding;
  nodes_.Hold(key, node);
  MarkAffected(key);
  effects.granted.push_back({key, container, node});
}

void Allocation::Complete(const ContainerStatusProto& status, Effects& effects) {
  const ContainerId id = FromProto(status.container_id());
  const auto it = held_.find(id);
  if (it == held_.end()) return;
  const Held held = std::move(it->second);
  held_.erase(it);
  releases_.erase(id);
  if (held.surplus) return;
  if (!held.releasing) RemoveFromNode(held);
  effects.completed.push_back({held.key, held.node, status});
}

std::map<int, int> Allocation::Rejected() {
  std::map<int, int> rejected;
  if (!in_flight_) return rejected;
  std::set<int64_t> given_up;
  for (const auto& ask : in_flight_->ask()) given_up.insert(ask.allocation_request_id());
  for (const int64_t key : given_up) {
    Asked& asked = asked_.at(static_cast<int>(key));
    asked.dirty = false;
    asked.rejected = asked.outstanding > 0;
    if (asked.rejected) rejected[static_cast<int>(key)] = asked.outstanding;
  }
  for (const auto& id : in_flight_->release())
    if (held_.contains(FromProto(id))) releases_.insert(FromProto(id));
  for (const auto& name : in_flight_->blacklist_request().blacklist_additions()) blacklist_.erase(name);
  for (const auto& name : in_flight_->blacklist_request().blacklist_removals()) blacklist_.insert(name);
  in_flight_.reset();
  return rejected;
}

void Allocation::Resync() {
  in_flight_.reset();
  response_id_ = 0;
  resuming_ = false;
  blacklist_.clear();
  for (auto& [key, asked] : asked_) {
    asked.rows.clear();
    asked.dirty = asked.outstanding > 0;
  }
  for (const auto& [id, held] : held_)
    if (held.releasing) releases_.insert(id);
}

}  // namespace howdah::hadoop::yarn
