// Sources: org.apache.hadoop.fs.FileSystem, hdfs.HAUtilClient, fs.viewfs.InodeTree.
#include <algorithm>

#include "howdah/hadoop/conf/services.h"
#include "uri.h"

namespace howdah::hadoop::conf {
namespace {

constexpr uint16_t kNameNodePort = 8020;
constexpr const char* kDefault = "fs.defaultFS";

Error Wrong(const std::string& what) { return {ErrorCode::kUsage, "finding the file system: " + what}; }

// Returns fs.defaultFS. Accepts its old forms "local" and "nn:8020", too.
Uri DefaultUri(const Configuration& configuration) {
  const std::string text = configuration.Text(kDefault, "file:///");
  if (text == "local") return {"file", "", ""};
  if (text.find('/') == std::string::npos) return {"hdfs", text, ""};
  return ParseUri(text);
}

// Fills in a missing scheme and authority from the default file system.
Uri Completed(const Configuration& configuration, const std::string& text) {
  Uri uri = ParseUri(text);
  const Uri standard = DefaultUri(configuration);
  if (uri.scheme.empty()) uri.scheme = standard.scheme;
  if (uri.authority.empty() && uri.scheme == standard.scheme) uri.authority = standard.authority;
  return uri;
}

Result<std::vector<Server>> NameNodesOf(const Configuration& configuration, const std::string& service) {
  std::vector<Server> servers;
  const std::string list = "dfs.ha.namenodes." + service;
  for (const std::string& id : configuration.List(list)) {
    const std::string key = "dfs.namenode.rpc-address." + service + "." + id;
    const auto text = configuration.Get(key);
    if (!text) return Wrong(configuration.Where(list) + " names " + id + ", but " + key + " is not set");
    const auto address = ParseAddress(*text, kNameNodePort);
    if (!address) return Wrong(configuration.Where(key) + " is '" + *text + "'; it must be host:port");
    servers.push_back({id, *address, configuration.Where(key)});
  }
  if (!servers.empty()) return servers;
  return Wrong("the name service " + service + " has no NameNodes; set " + list + " to their ids, as nn1,nn2");
}

Status FindNameNodes(const Configuration& configuration, FileSystemAddress& address) {
  if (address.authority.empty()) {
    return Wrong("an hdfs: URI without a NameNode, and " + configuration.Where(kDefault) +
                 " is not hdfs:// either; name a NameNode, as in hdfs://host:8020/path");
  }
  const std::string& service = address.authority;
  const bool named = configuration.Get("dfs.ha.namenodes." + service).has_value();
  if (named || configuration.Get("dfs.client.failover.proxy.provider." + service)) {
    HOWDAH_TRY(auto servers, NameNodesOf(configuration, service));
    address.logical = true;
    address.name_nodes = std::move(servers);
    return {};
  }
  const auto server = ParseAddress(address.authority, kNameNodePort);
  if (!server) return Wrong("hdfs://" + address.authority + " is neither a name service nor host:port");
  const bool standard = DefaultUri(configuration).authority == address.authority;
  address.name_nodes = {
      {"", *server, standard ? configuration.Where(kDefault) : "the URI hdfs://" + address.authority}};
  return {};
}

// Whether `path` is at or below `mount`; both are absolute.
bool Covers(const std::string& mount, const std::string& path) {
  if (mount == "/") return true;
  return path == mount || (path.starts_with(mount) && path[mount.size()] == '/');
}

// Appends the rest of a path to a link's target: "hdfs://ns2/warehouse" and "/x" → "hdfs://ns2/warehouse/x".
std::string AppendToTarget(const std::string& target, const std::string& rest) {
  Uri uri = ParseUri(target);
  while (uri.path.ends_with('/')) uri.path.pop_back();
  if (rest != "/") uri.path += rest;
  if (uri.path.empty()) uri.path = "/";
  return (uri.scheme.empty() ? "" : uri.scheme + "://" + uri.authority) + uri.path;
}

std::string MountTableOf(const Configuration& configuration, const Uri& uri) {
  const std::string standard = configuration.Text("fs.viewfs.mounttable.default.name.key", "default");
  return uri.authority.empty() ? standard : uri.authority;
}

// The beginning of the keys of a mount table.
std::string MountTablePrefix(const std::string& table) { return "fs.viewfs.mounttable." + table + "."; }

std::string WithoutPath(const Uri& uri) { return uri.scheme + "://" + uri.authority; }

Result<std::string> ResolveMount(const Configuration& configuration, const Uri& uri) {
  const std::string table = MountTableOf(configuration, uri);
  const std::string prefix = MountTablePrefix(table);
  const std::string path = uri.path.empty() ? "/" : uri.path;
  std::string best, target, mounts;
  for (const auto& [key, property] : configuration.properties()) {
    if (!key.starts_with(prefix + "link./")) continue;
    std::string mount = key.substr(prefix.size() + 5);
    while (mount.size() > 1 && mount.ends_with('/')) mount.pop_back();
    mounts += (mounts.empty() ? "" : ", ") + mount;
    if (!Covers(mount, path) || mount.size() < best.size()) continue;
    best = mount;
    target = configuration.Text(key);
  }
  if (!best.empty()) return AppendToTarget(target, best == "/" ? path : path.substr(best.size()));
  for (const char* whole : {"linkMergeSlash", "linkFallback"}) {
    if (const auto link = configuration.Get(prefix + whole)) return AppendToTarget(*link, path);
  }
  // ViewFileSystemOverloadScheme uses the URI itself for paths outside all mounts.
  if (uri.scheme != "viewfs") return AppendToTarget(uri.scheme + "://" + uri.authority, path);
  return Wrong("viewfs://" + uri.authority + path + ": no mount of the table " + table + " covers it; it mounts " +
               (mounts.empty() ? "nothing (" + prefix + "link./... is not set)" : mounts));
}

bool IsView(const Configuration& configuration, const Uri& uri) {
  return uri.scheme == "viewfs" ||
         configuration.Text("fs." + uri.scheme + ".impl").ends_with(".ViewFileSystemOverloadScheme");
}

}  // namespace

Result<FileSystemAddress> FileSystemOf(const Configuration& configuration, const std::string& uri) {
  const Uri whole = Completed(configuration, uri);
  FileSystemAddress address{whole.scheme, whole.authority};
  if (address.scheme == "viewfs") return address;
  if (address.scheme == "file") {
    address.authority.clear();
    return address;
  }
  if (address.scheme != "hdfs") {
    return Error{ErrorCode::kUnavailable,
                 "the file system " + address.scheme + "://" + address.authority +
                     " cannot be read; Howdah reads hdfs:, viewfs: and file: (fs.defaultFS is " +
                     configuration.Text(kDefault) + ")"};
  }
  HOWDAH_TRY_STATUS(FindNameNodes(configuration, address));
  return address;
}

Result<std::string> ResolveUri(const Configuration& configuration, const std::string& uri) {
  const Uri whole = Completed(configuration, uri);
  if (!whole.path.empty() && !whole.path.starts_with('/')) {
    return Wrong("'" + uri + "' is a relative path; write it from the root, as /user/ann/data");
  }
  if (!IsView(configuration, whole)) return whole.scheme + "://" + whole.authority + whole.path;
  auto target = ResolveMount(configuration, whole);
  if (!target || whole.scheme != "viewfs" || ParseUri(*target).scheme != "viewfs") return target;
  return Wrong(uri + " is mounted at " + *target + ", another viewfs: URI, which is not supported");
}

Result<std::vector<std::string>> BackingFileSystems(const Configuration& configuration, const std::string& uri) {
  const Uri whole = Completed(configuration, uri);
  if (!IsView(configuration, whole)) return std::vector<std::string>{WithoutPath(whole)};
  const std::string prefix = MountTablePrefix(MountTableOf(configuration, whole));
  std::vector<std::string> found;
  for (const auto& [key, property] : configuration.properties()) {
    const std::string_view name = std::string_view(key).substr(std::min(prefix.size(), key.size()));
    const bool is_mount = name.starts_with("link./") || name == "linkMergeSlash" || name == "linkFallback";
    if (!is_mount || !key.starts_with(prefix)) continue;
    const std::string target = WithoutPath(Completed(configuration, configuration.Text(key)));
    if (std::find(found.begin(), found.end(), target) == found.end()) found.push_back(target);
  }
  if (whole.scheme != "viewfs") found.push_back(WithoutPath(whole));  // paths outside all mounts
  if (!found.empty()) return found;
  return Wrong("viewfs://" + whole.authority + ": its table mounts nothing (" + prefix + "link./... is not set)");
}

}  // namespace howdah::hadoop::conf
