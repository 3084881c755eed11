#include "howdah/hadoop/yarn/known_nodes.h"

#include <algorithm>
#include <utility>

namespace howdah::hadoop::yarn {
namespace {

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string HostOf(const std::string& node) { return node.substr(0, node.rfind(':')); }

void KnownNodes::Set(std::vector<KnownNode> nodes) {
  all_ = std::move(nodes);
  index_.clear();
  for (size_t i = 0; i < all_.size(); ++i) index_.emplace(all_[i].name, i);
}

const KnownNode* KnownNodes::Find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &all_[found->second];
}

std::string KnownNodes::RackOf(const std::string& name) const {
  const KnownNode* const node = Find(name);
  return node == nullptr || node->rack.empty() ? kDefaultRack : node->rack;
}

void KnownNodes::Hold(int key, const std::string& node) { ++held_[key][node]; }

void KnownNodes::Drop(int key, const std::string& node) {
  auto& of_key = held_[key];
  if (--of_key[node] == 0) of_key.erase(node);
}

int KnownNodes::HeldOn(const std::string& node, int key) const {
  const auto of_key = held_.find(key);
  if (of_key == held_.end()) return 0;
  const auto there = of_key->second.find(node);
  return there == of_key->second.end() ? 0 : there->second;
}

int KnownNodes::HeldInRack(const std::string& rack, int key) const {
  const auto of_key = held_.find(key);
  int count = 0;
  if (of_key == held_.end()) return count;
  for (const auto& [node, there] : of_key->second) count += RackOf(node) == rack ? there : 0;
  return count;
}

bool KnownNodes::Suits(const KnownNode& node, const Shape& shape) const {
  if (node.label != shape.label || !shape.resource.FitsIn(node.total)) return false;
  const bool anywhere = !shape.strict || (shape.nodes.empty() && shape.racks.empty());
  return anywhere || Has(shape.nodes, node.name) || Has(shape.nodes, HostOf(node.name)) ||
         Has(shape.racks, RackOf(node.name));
}

bool KnownNodes::Allows(const std::string& node, int key, const Placement& placement) const {
  if (!placement.attributes.empty()) {
    const KnownNode* const known = Find(node);
    if (known == nullptr || !Meets(known->attributes, placement.attributes)) return false;
  }
  return std::all_of(placement.near.begin(), placement.near.end(),
                     [&](int other) { return HeldOn(node, other) > 0; }) &&
         std::all_of(placement.apart.begin(), placement.apart.end(),
                     [&](int other) { return other == key || HeldOn(node, other) == 0; });
}

int KnownNodes::RoomOn(const std::string& node, int key, const Shape& shape, int wanted) const {
  const Placement& placement = shape.placement;
  int room = wanted;
  if (shape.max_per_node) room = std::min(room, *shape.max_per_node - HeldOn(node, key));
  if (placement.empty()) return std::max(room, 0);
  const bool apart = std::find(placement.apart.begin(), placement.apart.end(), key) != placement.apart.end();
  if (apart) room = std::min(room, 1 - HeldOn(node, key));
  if (placement.max_per_rack) room = std::min(room, *placement.max_per_rack - HeldInRack(RackOf(node), key));
  return Allows(node, key, placement) ? std::max(room, 0) : 0;
}

KnownNodes::Count KnownNodes::CountFor(int key, const Shape& shape) const {
  Count count;
  for (const KnownNode& node : all_) {
    if (!Suits(node, shape)) continue;
    ++count.suitable;
    count.allowed += RoomOn(node.name, key, shape, 1);
  }
  return count;
}

}  // namespace howdah::hadoop::yarn
