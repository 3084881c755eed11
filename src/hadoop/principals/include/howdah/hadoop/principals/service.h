// The principal that a Hadoop server must have. Source: org.apache.hadoop.security.SaslRpcClient.getServerPrincipal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/principals/principal.h"

namespace howdah::hadoop::principals {

// The configuration of one service.
struct ServicePolicy {
  std::string key;                     // "yarn.resourcemanager.principal"
  std::string where;                   // key and source, for messages: "yarn.resourcemanager.principal in /etc/…"
  std::string principal;               // "rm/_HOST@EXAMPLE.COM"; empty if the key is not set
  std::optional<std::string> pattern;  // the value of KEY.pattern, a glob over the whole principal
};

// The first two parts of the principal that the server advertises.
struct Advertised {
  std::string service, host;
};

// Returns the principal for which to request a ticket, with or without a realm (see below), or an error that contains
// both principals and the key. `hosts` are the names that _HOST stands for: the configured name of the server, and the
// name that its address has; `address` is for messages. With a pattern, the advertised principal must match it. Without
// one it must equal the configured principal. The realm is not advertised: it is `realm_of_host`, which the caller gets
// from [domain_realm] or the default realm, unless the configured principal without a pattern has one.
Result<Principal> ServicePrincipal(const ServicePolicy& policy, const Advertised& advertised,
                                   const std::vector<std::string>& hosts, const std::string& address,
                                   const std::string& realm_of_host);

// Whether a text matches a glob of Hadoop (org.apache.hadoop.fs.GlobPattern): * ? [abc] [^abc] [a-z] {ab,cd} and \ as
// in a shell. Returns nullopt if the glob is invalid.
std::optional<bool> MatchesGlob(const std::string& glob, const std::string& text);

}  // namespace howdah::hadoop::principals
