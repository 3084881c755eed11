// Sources: org.apache.hadoop.yarn.conf.HAUtil, YarnConfiguration.getSocketAddr.
#include "howdah/hadoop/conf/services.h"
#include "uri.h"

namespace howdah::hadoop::conf {
namespace {

constexpr const char* kHostname = "yarn.resourcemanager.hostname";
constexpr const char* kIds = "yarn.resourcemanager.ha.rm-ids";

struct Service {
  std::string key;
  uint16_t port = 0;
};

Service ServiceOf(const Configuration& configuration, RmService service) {
  switch (service) {
    case RmService::kClient:
      return {"yarn.resourcemanager.address", 8032};
    case RmService::kScheduler:
      return {"yarn.resourcemanager.scheduler.address", 8030};
    case RmService::kAdmin:
      return {"yarn.resourcemanager.admin.address", 8033};
    case RmService::kWeb:
      break;
  }
  if (configuration.Text("yarn.http.policy") == "HTTPS_ONLY")
    return {"yarn.resourcemanager.webapp.https.address", 8090};
  return {"yarn.resourcemanager.webapp.address", 8088};
}

Result<Server> ServerAt(const std::string& id, const std::string& text, uint16_t port,
                        const std::string& configured_by) {
  const auto address = ParseAddress(text, port);
  if (address) return Server{id, *address, configured_by};
  return Error{ErrorCode::kUsage,
               "finding the ResourceManager: " + configured_by + " is '" + text + "'; it must be a host, or host:port"};
}

Result<Server> WithId(const Configuration& configuration, const Service& service, const std::string& id) {
  const std::string key = service.key + "." + id, hostname = std::string(kHostname) + "." + id;
  if (const auto text = configuration.Get(key)) return ServerAt(id, *text, service.port, configuration.Where(key));
  if (const auto host = configuration.Get(hostname)) {
    return ServerAt(id, *host, service.port, configuration.Where(hostname));
  }
  return Error{ErrorCode::kUsage, "finding the ResourceManager: " + configuration.Where(kIds) + " names " + id +
                                      ", but neither " + key + " nor " + hostname + " is set; set one of them"};
}

}  // namespace

Result<std::vector<Server>> ResourceManagers(const Configuration& configuration, RmService service) {
  const Service what = ServiceOf(configuration, service);
  HOWDAH_TRY(const auto ha, configuration.Bool("yarn.resourcemanager.ha.enabled", false));
  std::vector<Server> servers;
  if (!ha) {
    const bool own = configuration.Find(what.key) != nullptr;
    const std::string text = configuration.Text(what.key, configuration.Text(kHostname));
    HOWDAH_TRY(auto server, ServerAt("", text, what.port, configuration.Where(own ? what.key : kHostname)));
    servers.push_back(std::move(server));
    return servers;
  }
  const std::vector<std::string> ids = configuration.List(kIds);
  for (const std::string& id : ids) {
    HOWDAH_TRY(auto server, WithId(configuration, what, id));
    servers.push_back(std::move(server));
  }
  if (!servers.empty()) return servers;
  return Error{ErrorCode::kUsage,
               "finding the ResourceManager: " + configuration.Where("yarn.resourcemanager.ha.enabled") +
                   " is true, but " + configuration.Where(kIds) + " is empty; set it to the ids, as rm1,rm2"};
}

}  // namespace howdah::hadoop::conf
