#include "howdah/hadoop/yarn/known_nodes.h"

#include <algorithm>
#include <utility>

namespace howdah::hadoop::yarn {
namespace {

int HeldOn(const std::string& node, int key, const HeldContainers& held) {
  const auto of_key = held.find(key);
  if (of_key == held.end()) return 0;
  const auto there = of_key->second.find(node);
  return there == of_key->second.end() ? 0 : there->second;
}

}  // namespace

KnownNodes::KnownNodes(std::vector<KnownNode> nodes) : all_(std::move(nodes)) {
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

int KnownNodes::HeldInRack(const std::string& rack, int key, const HeldContainers& held) const {
  const auto of_key = held.find(key);
  int count = 0;
  if (of_key == held.end()) return count;
  for (const auto& [node, there] : of_key->second) count += RackOf(node) == rack ? there : 0;
  return count;
}

bool KnownNodes::Allows(const std::string& node, int key, const Placement& placement,
                        const HeldContainers& held) const {
  if (!placement.attributes.empty()) {
    const KnownNode* const known = Find(node);
    if (known == nullptr || !Meets(known->attributes, placement.attributes)) return false;
  }
  return std::all_of(placement.near.begin(), placement.near.end(),
                     [&](int other) { return HeldOn(node, other, held) > 0; }) &&
         std::all_of(placement.apart.begin(), placement.apart.end(),
                     [&](int other) { return other == key || HeldOn(node, other, held) == 0; });
}

int KnownNodes::RoomOn(const std::string& node, int key, const Shape& shape, int wanted,
                       const HeldContainers& held) const {
  const Placement& placement = shape.placement;
  int room = wanted;
  if (shape.max_per_node) room = std::min(room, *shape.max_per_node - HeldOn(node, key, held));
  if (placement.empty()) return std::max(room, 0);
  const bool apart = std::find(placement.apart.begin(), placement.apart.end(), key) != placement.apart.end();
  if (apart) room = std::min(room, 1 - HeldOn(node, key, held));
  if (placement.max_per_rack) room = std::min(room, *placement.max_per_rack - HeldInRack(RackOf(node), key, held));
  return Allows(node, key, placement, held) ? std::max(room, 0) : 0;
}

}  // namespace howdah::hadoop::yarn
