#include "howdah/autoscale/publication.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "howdah/base/text.h"

namespace howdah::autoscale {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostGrowth = 1'000'000;
constexpr int64_t kMostOfResource = int64_t{1} << 40;
constexpr size_t kLongestReason = 2000;

Json ShapeJson(const NodeShape& shape) {
  return {{"memory_mib", shape.size.memory_mib},
          {"vcores", shape.size.vcores},
          {"gpus", shape.size.gpus},
          {"others", shape.size.others},
          {"label", shape.label}};
}

// Throw if the value is not a number in the range, or not a time.
int64_t NumberAt(const Json& json, const char* key, int64_t most) {
  const int64_t number = json.at(key).get_ref<const Json::number_integer_t&>();
  if (number >= 0 && number <= most) return number;
  throw std::out_of_range(std::string(key) + " is out of range");
}

Instant InstantAt(const Json& json, const char* key) {
  const auto time = ParseInstant(json.at(key).get_ref<const std::string&>());
  if (time) return *time;
  throw std::out_of_range(std::string(key) + " is not a time");
}

NodeShape ShapeOf(const Json& json) {
  NodeShape shape;
  shape.size = {NumberAt(json, "memory_mib", kMostOfResource),
                NumberAt(json, "vcores", kMostOfResource),
                NumberAt(json, "gpus", kMostOfResource),
                {}};
  const Json& others = json.at("others");
  for (const auto& [type, amount] : others.items()) {
    if (const int64_t number = NumberAt(others, type.c_str(), kMostOfResource); number > 0) {
      shape.size.others[type] = number;
    }
  }
  shape.label = json.at("label");
  return shape;
}

}  // namespace

std::string WritePublication(const Publication& publication) {
  Json groups = Json::object();
  for (const Publication::Growth& growth : publication.groups) {
    groups[std::string(ToText(growth.group))] = {
        {"most", growth.most}, {"more", growth.more}, {"node", growth.node ? ShapeJson(*growth.node) : Json(nullptr)}};
  }
  Json coming = {{"nodes", publication.coming}};
  if (publication.coming > 0) coming["since"] = FormatInstant(publication.coming_since);
  const Json json = {
      {"published", FormatInstant(publication.published)},
      {"groups", std::move(groups)},
      {"coming", std::move(coming)},
      {"decision",
       {{"at", FormatInstant(publication.decided)}, {"verdict", publication.verdict}, {"reason", publication.reason}}}};
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<Publication> ReadPublication(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    Publication publication{.published = InstantAt(json, "published")};
    for (const Group group : kGroups) {
      const auto found = json.at("groups").find(std::string(ToText(group)));
      if (found == json.at("groups").end()) continue;
      Publication::Growth growth{.group = group,
                                 .most = static_cast<int>(NumberAt(*found, "most", kMostGrowth)),
                                 .more = static_cast<int>(NumberAt(*found, "more", kMostGrowth)),
                                 .node = {}};
      if (!found->at("node").is_null()) growth.node = ShapeOf(found->at("node"));
      publication.groups.push_back(std::move(growth));
    }
    publication.coming = static_cast<int>(NumberAt(json.at("coming"), "nodes", kMostGrowth));
    if (publication.coming > 0) publication.coming_since = InstantAt(json.at("coming"), "since");
    const Json& decision = json.at("decision");
    publication.decided = InstantAt(decision, "at");
    publication.verdict = OneLine(decision.at("verdict").get_ref<const std::string&>(), kLongestReason);
    publication.reason = OneLine(decision.at("reason").get_ref<const std::string&>(), kLongestReason);
    return publication;
  } catch (const std::exception& e) {
    return Error{ErrorCode::kUsage, std::string("it is not the publication of an autoscaler: ") + e.what()};
  }
}

std::string ComingText(const Publication& publication, Instant now) {
  if (publication.coming == 0) return "";
  return CountOf(publication.coming, "node has", "nodes have") + " been ordered " +
         FormatDuration(std::max(now - publication.coming_since, Duration(0))) + " ago";
}

}  // namespace howdah::autoscale
