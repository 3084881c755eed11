#include "howdah/backend/yarn/am_start.h"

#include <charconv>
#include <nlohmann/json.hpp>

namespace howdah::backend::yarn {
namespace {

using nlohmann::json;

json ToJson(const hadoop::yarn::Resource& resource) {
  return {{"memory_mib", resource.memory_mib}, {"vcores", resource.vcores}, {"others", resource.others}};
}

json ToJson(const LocalResource& resource) {
  static constexpr const char* kVisibility[] = {"public", "private", "application"};
  return {{"uri", resource.uri},
          {"size", resource.size},
          {"timestamp", resource.timestamp},
          {"type", resource.type == LocalResource::Type::kArchive ? "archive" : "file"},
          {"visibility", kVisibility[static_cast<size_t>(resource.visibility)]}};
}

hadoop::yarn::Resource ResourceOf(const json& j) {
  return {j.at("memory_mib").get<int64_t>(), j.at("vcores").get<int64_t>(),
          j.at("others").get<std::map<std::string, int64_t>>()};
}

LocalResource LocalResourceOf(const json& j) {
  LocalResource resource{.uri = j.at("uri"), .size = j.at("size"), .timestamp = j.at("timestamp")};
  if (j.at("type") == "archive") resource.type = LocalResource::Type::kArchive;
  if (j.at("visibility") == "public") resource.visibility = LocalResource::Visibility::kPublic;
  if (j.at("visibility") == "application") resource.visibility = LocalResource::Visibility::kApplication;
  return resource;
}

std::vector<std::string> Split(const std::string& list) {
  std::vector<std::string> parts;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (end > at) parts.push_back(list.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

}  // namespace

std::string WriteAmStart(const YarnAmStart& start) {
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
                          {"total", ToJson(node.total)}});
  }
  return j.dump();
}

Result<YarnAmStart> ParseAmStart(const std::string& text) {
  try {
    const json j = json::parse(text);
    YarnAmStart start{.job = {j.at("job").get<std::string>()},
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
      start.local_resources.emplace(name, LocalResourceOf(resource));
    for (const json& node : j.at("nodes")) {
      start.nodes.push_back(
          {node.at("host"), node.at("port"), node.at("rack"), node.at("label"), ResourceOf(node.at("total"))});
    }
    return start;
  } catch (const json::exception& e) {
    return Failed(std::string(kAmStartFile) + ": " + e.what());
  }
}

Result<ContainerEnvironment> ReadContainerEnvironment(
    const std::function<std::optional<std::string>(const std::string& name)>& environment) {
  ContainerEnvironment result;
  std::string missing;
  const auto need = [&](const char* name) {
    const auto value = environment(name);
    if (!value || value->empty()) missing += (missing.empty() ? "" : ", ") + std::string(name);
    return value.value_or("");
  };
  const std::string container = need("CONTAINER_ID");
  result.node_host = need("NM_HOST");
  result.token_file = need("HADOOP_TOKEN_FILE_LOCATION");
  result.log_dirs = Split(need("LOG_DIRS"));
  result.local_dirs = Split(need("LOCAL_DIRS"));
  if (!missing.empty()) {
    return Failed("the environment has no " + missing +
                  ", which YARN's NodeManager gives every container; this program is started by it alone");
  }
  result.proxy_base = environment("APPLICATION_WEB_PROXY_BASE").value_or("");
  result.user = environment("USER").value_or("");
  const auto id = hadoop::yarn::ParseContainerId(container);
  if (!id) return Failed("CONTAINER_ID is no id of a container: " + container);
  result.container = *id;
  return result;
}

::hadoop::yarn::LocalResourceProto ToProto(const LocalResource& resource) {
  using enum LocalResource::Visibility;
  ::hadoop::yarn::LocalResourceProto proto;
  ::hadoop::yarn::URLProto& url = *proto.mutable_resource();
  url.set_port(-1);
  std::string_view rest = resource.uri;
  if (const size_t colon = rest.find(':'); colon != std::string_view::npos && rest.substr(0, colon).find('/') > colon) {
    url.set_scheme(std::string(rest.substr(0, colon)));
    rest.remove_prefix(colon + 1);
  }
  if (rest.starts_with("//")) {
    rest.remove_prefix(2);
    std::string_view authority = rest.substr(0, rest.find('/'));
    rest.remove_prefix(authority.size());
    if (const size_t at = authority.rfind('@'); at != std::string_view::npos) {
      url.set_userinfo(std::string(authority.substr(0, at)));
      authority.remove_prefix(at + 1);
    }
    const size_t colon = authority.rfind(':');
    int port = 0;
    if (colon != std::string_view::npos && authority.find(']', colon) == std::string_view::npos) {
      const char* end = authority.data() + authority.size();
      if (std::from_chars(authority.data() + colon + 1, end, port).ptr == end) {
        url.set_port(port);
        authority = authority.substr(0, colon);
      }
    }
    if (!authority.empty()) url.set_host(std::string(authority));
  }
  url.set_file(std::string(rest));
  proto.set_size(resource.size);
  proto.set_timestamp(resource.timestamp);
  proto.set_type(resource.type == LocalResource::Type::kArchive ? ::hadoop::yarn::ARCHIVE : ::hadoop::yarn::FILE);
  proto.set_visibility(resource.visibility == kPublic    ? ::hadoop::yarn::PUBLIC
                       : resource.visibility == kPrivate ? ::hadoop::yarn::PRIVATE
                                                         : ::hadoop::yarn::APPLICATION);
  return proto;
}

}  // namespace howdah::backend::yarn
