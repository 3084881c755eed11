// Sources: WebAppUtils.getProxyHostsAndPortsForAmFilter, AmFilterInitializer, WebAppProxy.
#include "howdah/hadoop/conf/services.h"
#include "uri.h"

namespace howdah::hadoop::conf {
namespace {

constexpr const char* kKey = "yarn.web-proxy.address";
constexpr uint16_t kHttpPort = 80;

}  // namespace

Result<WebProxy> WebProxyOf(const Configuration& configuration) {
  WebProxy proxy;
  proxy.authority = configuration.Text(kKey);
  if (!proxy.authority.empty()) {
    // Hadoop gives the key no default port: the proxy then listens on any port, and URLs of pages have none.
    const auto address = ParseAddress(proxy.authority, kHttpPort);
    if (!address) {
      return Error{ErrorCode::kUsage, "finding YARN's web proxy: " + configuration.Where(kKey) + " is '" +
                                          proxy.authority + "'; it must be a host, or host:port"};
    }
    proxy.hosts.push_back(address->host);
    return proxy;
  }
  HOWDAH_TRY(const std::vector<Server> servers, ResourceManagers(configuration, RmService::kWeb));
  proxy.authority = servers.front().address.Text();
  for (const Server& server : servers) proxy.hosts.push_back(server.address.host);
  return proxy;
}

}  // namespace howdah::hadoop::conf
