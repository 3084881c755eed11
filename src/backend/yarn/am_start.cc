#include "howdah/backend/yarn/am_start.h"

#include <nlohmann/json.hpp>

namespace howdah::backend::yarn {
namespace {

using nlohmann::json;

json ToJson(const hadoop::yarn::Resource& resource) {
  return {{"memory_mib", resource.memory_mib}, {"vcores", resource.vcores}, {"others", resource.others}};
}

json ToJson(const StagedFile& file) {
  static constexpr const char* kVisibility[] = {"public", "private", "application"};
  return {{"uri", file.uri},
          {"size", file.size},
          {"timestamp", file.modified_millis},
          {"type", file.type == StagedFile::Type::kArchive ? "archive" : "file"},
          {"visibility", kVisibility[static_cast<size_t>(file.visibility)]}};
}

// Throws for a number with a fraction, as for a missing key: converting a large floating-point number to an integer
// would be undefined behaviour.
int64_t Number(const json& number) { return number.get_ref<const json::number_integer_t&>(); }

hadoop::yarn::Resource ResourceOf(const json& j) {
  hadoop::yarn::Resource resource{Number(j.at("memory_mib")), Number(j.at("vcores")), {}};
  for (const auto& [name, amount] : j.at("others").items()) resource.others.emplace(name, Number(amount));
  return resource;
}

StagedFile StagedFileOf(const json& j) {
  StagedFile file{.uri = j.at("uri"), .size = Number(j.at("size")), .modified_millis = Number(j.at("timestamp"))};
  if (j.at("type") == "archive") file.type = StagedFile::Type::kArchive;
  if (j.at("visibility") == "public") file.visibility = StagedFile::Visibility::kPublic;
  if (j.at("visibility") == "application") file.visibility = StagedFile::Visibility::kApplication;
  return file;
}

}  // namespace

std::string WriteAmStart(const AmStart& start) {
  json j = {{"job", start.job.text},
            {"submitted", start.submitted},
            {"user", start.user},
            {"client", start.client},
            {"staging_uri", start.staging_uri},
            {"queue", start.queue},
            {"node_label", start.node_label},
            {"configuration", start.configuration},
            {"keep", start.keep},
            {"local_resources", json::object()},
            {"only_for", start.only_for},
            {"role_environment", start.role_environment},
            {"nodes", json::array()},
            {"resource_types", start.resource_types}};
  for (const auto& [name, resource] : start.local_resources) j["local_resources"][name] = ToJson(resource);
  for (const CandidateNode& node : start.nodes) {
    j["nodes"].push_back({{"host", node.host},
                          {"port", node.port},
                          {"rack", node.rack},
                          {"label", node.label},
                          {"total", ToJson(node.total)},
                          {"attributes", node.attributes}});
  }
  return j.dump();
}

Result<AmStart> ParseAmStart(const std::string& text) {
  try {
    const json j = json::parse(text);
    AmStart start{.job = {j.at("job").get<std::string>()},
                  .submitted = j.at("submitted"),
                  .user = j.at("user"),
                  .client = j.at("client"),
                  .staging_uri = j.at("staging_uri"),
                  .queue = j.at("queue"),
                  .node_label = j.at("node_label"),
                  .configuration = j.at("configuration"),
                  .keep = j.at("keep"),
                  .only_for = j.at("only_for").get<decltype(start.only_for)>(),
                  .role_environment = j.at("role_environment").get<decltype(start.role_environment)>(),
                  .resource_types = j.at("resource_types").get<std::vector<std::string>>()};
    for (const auto& [name, resource] : j.at("local_resources").items())
      start.local_resources.emplace(name, StagedFileOf(resource));
    for (const json& node : j.at("nodes")) {
      start.nodes.push_back({node.at("host"), static_cast<int>(Number(node.at("port"))), node.at("rack"),
                             node.at("label"), ResourceOf(node.at("total")),
                             node.at("attributes").get<hadoop::yarn::NodeAttributes>()});
    }
    return start;
  } catch (const json::exception& e) {
    return Failed(std::string(kAmStartFile) + ": " + e.what());
  }
}

}  // namespace howdah::backend::yarn
