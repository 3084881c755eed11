// Addresses of a cluster's services, from its configuration.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"

namespace howdah::hadoop::conf {

// One server of a service. The address is as configured: its host name is not resolved.
struct Server {
  std::string id;  // "rm1", "nn2"; empty without high availability
  HostPort address;
  std::string configured_by;  // source of the address: "yarn.resourcemanager.address in /etc/hadoop/conf/yarn-site.xml"
};

// The services of a ResourceManager. The comments give their default ports.
enum class RmService { kClient /*8032*/, kScheduler /*8030*/, kAdmin /*8033*/, kWeb /*8088, 8090 with https*/ };
// Whether a client that has a token may use a server that requires no authentication. On a cluster with Kerberos such a
// server is an impostor, unless ipc.client.fallback-to-simple-auth-allowed says otherwise
// (org.apache.hadoop.ipc.Client).
Result<bool> MayFallBackToSimple(const Configuration& configuration);

// All ResourceManagers of the cluster: one, or one per id in rm-ids. Returns kUsage if an address is invalid or
// missing; the message names the key.
Result<std::vector<Server>> ResourceManagers(const Configuration& configuration, RmService service);

// YARN's web proxy, through which browsers reach the page of an AM: a server of its own, or the ResourceManagers.
struct WebProxy {
  std::string authority;           // of URLs; has a port unless the configuration gives none
  std::vector<std::string> hosts;  // where requests to the AM come from; not resolved
};
// Returns kUsage if an address is invalid.
Result<WebProxy> WebProxyOf(const Configuration& configuration);

// The file system of a URI: "hdfs://ns1", "hdfs://nn.example.com:8020", "file:///".
struct FileSystemAddress {
  std::string scheme;              // "hdfs", "file", "viewfs", ...
  std::string authority;           // as in the URI: a name service, host:port, or empty
  bool logical = false;            // whether `authority` is a name service
  std::vector<Server> name_nodes;  // filled in for hdfs only
};
// If `uri` is a path or empty, returns the file system of fs.defaultFS. Returns kUsage if the configuration is
// inconsistent, and kUnavailable if Howdah does not support the scheme.
Result<FileSystemAddress> FileSystemOf(const Configuration& configuration, const std::string& uri);
// Resolves viewfs links: "viewfs:///data/x" → "hdfs://ns2/warehouse/x". If the scheme or authority is missing, adds
// that of fs.defaultFS: "/user/ann" → "hdfs://ns1/user/ann".
Result<std::string> ResolveUri(const Configuration& configuration, const std::string& uri);
// The file systems that hold the files of a URI's file system, as URIs without a path: for viewfs, one for each target
// of the mount table; otherwise the file system itself. Each occurs once. kUsage: a table without mounts.
Result<std::vector<std::string>> BackingFileSystems(const Configuration& configuration, const std::string& uri);

}  // namespace howdah::hadoop::conf
