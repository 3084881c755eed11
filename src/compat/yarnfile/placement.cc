#include <algorithm>

#include "context.h"
#include "howdah/base/text.h"
#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/words.h"

namespace howdah::compat::yarnfile {
namespace {

// Applies one constraint to a role.
class PlacementRule {
 public:
  PlacementRule(const Context& context, const ResolvedComponent& owner, const Constraint& constraint, std::string path,
                jobspec::RoleSpec& role)
      : context_(context), owner_(owner), constraint_(constraint), path_(std::move(path)), role_(role) {}

  void Apply() {
    if (!constraint_.name.empty()) context_.Note(path_ + "name", std::string(kTable) + "name");
    Attributes();
    Partitions();
    if (!constraint_.type) return;
    for (const std::string& target : constraint_.target_tags) {
      if (target == owner_.component.name) {
        Self();
      } else if (IsComponent(target)) {
        Other(target);
      }
    }
  }

 private:
  static constexpr std::string_view kTable = "components[].placement_policy.constraints[].";

  bool IsComponent(const std::string& target) const {
    std::vector<std::string_view> names;
    for (const Component& component : context_.service.components) names.push_back(component.name);
    if (std::find(names.begin(), names.end(), target) != names.end()) return true;
    const std::string nearest(keyfile::Nearest(target, names));
    context_.Fail(path_ + "target_tags",
                  "unknown component " + keyfile::Quoted(target) +
                      (nearest.empty() ? "; write the name of a component" : "; did you mean '" + nearest + "'?"));
    return false;
  }

  void Self() {
    const bool rack = constraint_.scope == Scope::kRack;
    if (*constraint_.type == ConstraintType::kAffinity) {
      context_.Fail(path_ + "type",
                    "Howdah cannot keep the containers of one component together; remove the constraint, or name "
                    "another component in target_tags");
    } else if (*constraint_.type == ConstraintType::kAntiAffinity) {
      Limit(rack, 1);
    } else {
      if (constraint_.min_cardinality.value_or(0) > 0) {
        context_.Note(path_ + "min_cardinality", std::string(kTable) + "min_cardinality");
      }
      if (!constraint_.max_cardinality) return;
      if (*constraint_.max_cardinality < 1) {
        context_.Fail(path_ + "max_cardinality", "0 containers of the component itself never fit; write at least 1");
        return;
      }
      Limit(rack, *constraint_.max_cardinality);
    }
  }

  void Limit(bool rack, int most) {
    std::optional<int>& limit = rack ? role_.placement.max_per_rack : role_.max_per_node;
    limit = std::min(limit.value_or(most), most);
  }

  void Other(const std::string& target) {
    if (constraint_.scope == Scope::kRack) {
      context_.Fail(path_ + "scope", "RACK is possible only for the component itself; write NODE");
      return;
    }
    const int least = constraint_.min_cardinality.value_or(0);
    const std::optional<int> most = constraint_.max_cardinality;
    const bool cardinality = *constraint_.type == ConstraintType::kCardinality;
    if (*constraint_.type == ConstraintType::kAffinity || (cardinality && least == 1 && !most)) {
      Add(role_.placement.near, target);
    } else if (*constraint_.type == ConstraintType::kAntiAffinity || (cardinality && least == 0 && most == 0)) {
      Add(role_.placement.apart, target);
    } else if (least > 0 || most) {
      context_.Fail(path_ + "type",
                    "for another component only min_cardinality 1 without a maximum, or max_cardinality 0 is possible");
    }
  }

  static void Add(std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  void Attributes() {
    for (const auto& [name, values] : constraint_.node_attributes) {
      if (values.empty()) {
        context_.Fail(path_ + "node_attributes." + name, "has no value; write one value, or a list");
        continue;
      }
      role_.placement.attributes.push_back({name, values, false});
    }
  }

  void Partitions() {
    for (const std::string& label : constraint_.node_partitions) {
      if (role_.node_label.empty()) role_.node_label = label;
      if (role_.node_label == label) continue;
      context_.Fail(path_ + "node_partitions", "a role has only one node label; write only one of " +
                                                   keyfile::Quoted(role_.node_label) + " and " +
                                                   keyfile::Quoted(label));
    }
  }

  const Context& context_;
  const ResolvedComponent& owner_;
  const Constraint& constraint_;
  std::string path_;
  jobspec::RoleSpec& role_;
};

}  // namespace

void SetPlacement(const Context& context, const ResolvedComponent& owner, jobspec::RoleSpec& role) {
  const std::vector<Constraint>& constraints = owner.component.placement_policy.constraints;
  for (size_t i = 0; i < constraints.size(); ++i) {
    const std::string path = owner.path + "placement_policy.constraints[" + std::to_string(i) + "].";
    PlacementRule(context, owner, constraints[i], path, role).Apply();
  }
  // Two constraints may name the same attribute with the same values.
  std::vector<jobspec::NodeAttribute>& attributes = role.placement.attributes;
  std::stable_sort(attributes.begin(), attributes.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  attributes.erase(std::unique(attributes.begin(), attributes.end()), attributes.end());
  const auto twice = std::adjacent_find(attributes.begin(), attributes.end(),
                                        [](const auto& a, const auto& b) { return a.name == b.name; });
  if (twice == attributes.end()) return;
  context.Fail(owner.path + "placement_policy.constraints", "two constraints name the attribute " +
                                                                keyfile::Quoted(twice->name) +
                                                                " with different values; write "
                                                                "one of them");
}

}  // namespace howdah::compat::yarnfile
