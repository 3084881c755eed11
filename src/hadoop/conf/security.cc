#include "howdah/hadoop/conf/security.h"

#include "howdah/base/text.h"
#include "howdah/hadoop/conf/services.h"

namespace howdah::hadoop::conf {
namespace {

constexpr const char* kProtection = "hadoop.rpc.protection";
constexpr const char* kRules = "hadoop.security.auth_to_local";

}  // namespace

bool UsesKerberos(const Configuration& configuration) {
  return configuration.Text("hadoop.security.authentication") == "kerberos";
}

Result<ServiceSecurity> SecurityOf(const Configuration& configuration, const std::string& key) {
  const auto weakest = principals::WeakestOf(configuration.List(kProtection));
  if (!weakest) return weakest.error().While(configuration.Where(kProtection));
  return ServiceSecurity{{key, configuration.Where(key), configuration.Text(key), configuration.Get(key + ".pattern")},
                         *weakest,
                         configuration.Where(kProtection)};
}

Result<std::string> PrincipalOfResourceManager(const Configuration& configuration) {
  constexpr const char* kKey = "yarn.resourcemanager.principal";
  constexpr std::string_view kHost = "/_HOST@";
  std::string principal = configuration.Text(kKey);
  if (principal.empty())
    return Error{ErrorCode::kUsage, std::string(kKey) + " is not set, so the ResourceManager cannot renew tokens"};
  HOWDAH_TRY(const auto servers, ResourceManagers(configuration, RmService::kClient));
  const size_t host = principal.find(kHost);
  if (host != std::string::npos) principal.replace(host + 1, kHost.size() - 2, LowerCase(servers.front().address.host));
  return principal;
}

Result<std::string> WhyNotSimple(const Configuration& configuration) {
  HOWDAH_TRY(const bool simple, MayFallBackToSimple(configuration));
  if (simple) return std::string();
  return configuration.Where("hadoop.security.authentication") + " is kerberos, and " +
         configuration.Where("ipc.client.fallback-to-simple-auth-allowed") + " is not true";
}

Result<principals::ShortNameRules> ShortNameRulesOf(const Configuration& configuration,
                                                    const std::string& default_realm) {
  const std::string mechanism = configuration.Text("hadoop.security.auth_to_local.mechanism", "hadoop");
  const bool mit = mechanism == "mit" || mechanism == "MIT";
  auto rules =
      principals::ShortNameRules::Parse(configuration.Text(kRules, "DEFAULT"), default_realm,
                                        mit ? principals::RuleMechanism::kMit : principals::RuleMechanism::kHadoop);
  if (!rules) return rules.error().While(configuration.Where(kRules));
  return rules;
}

}  // namespace howdah::hadoop::conf
