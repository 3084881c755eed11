// The keys of a client's configuration that concern Kerberos.
#pragma once

#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/principals/protection.h"
#include "howdah/hadoop/principals/service.h"
#include "howdah/hadoop/principals/short_name.h"

namespace howdah::hadoop::conf {

// Whether hadoop.security.authentication is kerberos.
bool UsesKerberos(const Configuration& configuration);

// How to authenticate to a service.
struct ServiceSecurity {
  principals::ServicePolicy server;  // the principal that its servers must have
  principals::Protection weakest;    // the weakest protection in hadoop.rpc.protection
  std::string weakest_from;          // that key and its source
};
// `key`: the key of the service's principal, such as "yarn.resourcemanager.principal". Returns kUsage if
// hadoop.rpc.protection is invalid.
Result<ServiceSecurity> SecurityOf(const Configuration& configuration, const std::string& key);

// The principal of the ResourceManager, which renews the tokens of jobs: yarn.resourcemanager.principal, whose _HOST
// stands for the configured name of the (first) ResourceManager (org.apache.hadoop.mapred.Master.getMasterPrincipal).
// Returns kUsage if the key is not set.
Result<std::string> PrincipalOfResourceManager(const Configuration& configuration);

// The keys that forbid a server without authentication, for messages. Empty if such servers are accepted.
Result<std::string> WhyNotSimple(const Configuration& configuration);

// hadoop.security.auth_to_local. Returns kUsage if a rule is invalid.
Result<principals::ShortNameRules> ShortNameRulesOf(const Configuration& configuration,
                                                    const std::string& default_realm);

}  // namespace howdah::hadoop::conf
