#include "howdah/hadoop/yarn/placement.h"

#include <algorithm>

namespace howdah::hadoop::yarn {
namespace {

// The value of an attribute, or nullptr if the node lacks it.
const std::string* Find(const NodeAttributes& attributes, const std::string& name) {
  const bool full = name.find('/') != std::string::npos;
  for (const char* prefix : {full ? "" : "rm.yarn.io/", full ? "" : "nm.yarn.io/"}) {
    const auto found = attributes.find(prefix + name);
    if (found != attributes.end()) return &found->second;
  }
  return nullptr;
}

}  // namespace

NodeAttributes AttributesOf(const ::hadoop::yarn::NodeReportProto& report) {
  NodeAttributes attributes;
  for (const auto& attribute : report.node_attributes()) {
    const auto& key = attribute.attributekey();
    attributes[key.attributeprefix() + "/" + key.attributename()] = attribute.attributevalue();
  }
  return attributes;
}

bool Meets(const NodeAttributes& attributes, const std::vector<AttributeCondition>& conditions) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const AttributeCondition& condition) {
    const std::string* const value = Find(attributes, condition.name);
    const bool has = value != nullptr &&
                     std::find(condition.values.begin(), condition.values.end(), *value) != condition.values.end();
    return has != condition.none;
  });
}

}  // namespace howdah::hadoop::yarn
