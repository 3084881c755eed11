// Where the services of a cluster are, out of its configuration.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"

namespace howdah::hadoop::conf {

// One server a service: host and port as configured, never resolved.
struct Server {
  std::string id;  // "rm1", "nn2"; empty without high availability
  std::string host;
  uint16_t port = 0;
  std::string configured_by;  // "yarn.resourcemanager.address.rm1 in /etc/hadoop/conf/yarn-site.xml"
};

enum class RmService { kClient /*8032*/, kScheduler /*8030*/, kAdmin /*8033*/, kWeb /*8088, 8090 with https*/ };
// Every ResourceManager of the cluster (one, or by rm-ids). kUsage: an address is wrong or missing, and which key.
Result<std::vector<Server>> ResourceManagers(const Configuration& configuration, RmService service);

// A file system as a URI names it: "hdfs://ns1", "hdfs://nn.example.com:8020", "file:///".
struct FileSystemAddress {
  std::string scheme;              // "hdfs", "file", "viewfs", ...
  std::string authority;           // as the URI has it: a name service, host:port, or empty
  bool logical = false;            // authority is a name service
  std::vector<Server> name_nodes;  // of hdfs
};
// uri may be a bare path, or empty: then fs.defaultFS. kUsage: the configuration contradicts itself; kUnavailable: the
// scheme is none that Howdah can read.
Result<FileSystemAddress> FileSystemOf(const Configuration& configuration, const std::string& uri);
// viewfs links are resolved: "viewfs:///data/x" → "hdfs://ns2/warehouse/x". Other URIs and paths come back with scheme
// and authority filled in: "/user/ann" → "hdfs://ns1/user/ann".
Result<std::string> ResolveUri(const Configuration& configuration, const std::string& uri);

}  // namespace howdah::hadoop::conf
