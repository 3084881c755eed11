#include "rm_options.h"

#include <utility>

#include "howdah/hadoop/conf/security.h"

namespace howdah::hadoop::yarn {

Result<rpc::ClientOptions> RmOptions(const conf::Configuration& configuration, conf::RmService service,
                                     rpc::Login login, rpc::RetryLimits limits) {
  HOWDAH_TRY(const auto servers, conf::ResourceManagers(configuration, service));
  HOWDAH_TRY(const bool simple, conf::MayFallBackToSimple(configuration));
  HOWDAH_TRY(login.why_not_simple, conf::WhyNotSimple(configuration));
  if ((login.token || login.kerberos) && !simple) login.user.clear();
  if (login.kerberos) {
    HOWDAH_TRY(auto security, conf::SecurityOf(configuration, "yarn.resourcemanager.principal"));
    login.kerberos->server = std::move(security.server);
    login.kerberos->weakest = security.weakest;
    login.kerberos->weakest_from = std::move(security.weakest_from);
  }
  rpc::ClientOptions options{.login = std::move(login), .limits = limits};
  options.service_name = "the ResourceManager";
  for (const conf::Server& server : servers) {
    options.servers.push_back(server.address);
    options.configured_by += (options.configured_by.empty() ? "" : ", ") + server.configured_by;
  }
  return options;
}

}  // namespace howdah::hadoop::yarn
