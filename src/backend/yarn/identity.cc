#include "howdah/backend/yarn/identity.h"

#include <utility>

#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/rpc/token_identifier.h"

namespace howdah::backend::yarn {

namespace {

// default_realm: for a configuration without a default realm.
Result<std::string> ShortNameOf(const hadoop::conf::Configuration& configuration, hadoop::kerberos::Login& login,
                                const hadoop::principals::Principal& principal, const std::string& default_realm) {
  const auto realm = login.DefaultRealm();
  HOWDAH_TRY(const auto rules, hadoop::conf::ShortNameRulesOf(configuration, realm ? *realm : default_realm));
  return rules.ShortName(principal);
}

}  // namespace

Result<ClientLogin> LogIn(const hadoop::conf::Configuration& configuration, const Identity& identity) {
  const auto variable = [&](const char* name) { return configuration.environment().variable(name).value_or(""); };
  hadoop::kerberos::LoginOptions options;
  options.principal = identity.principal;
  options.keytab = identity.keytab.empty() ? variable("HOWDAH_KEYTAB") : identity.keytab;
  options.cache = variable("KRB5CCNAME");
  options.client_keytab = variable("KRB5_CLIENT_KTNAME");
  options.configuration = variable("KRB5_CONFIG");
  ClientLogin client;
  client.login = std::make_shared<hadoop::kerberos::Login>(std::move(options));
  HOWDAH_TRY(client.ticket, client.login->Authenticate());
  HOWDAH_TRY(const auto principal, hadoop::principals::ParsePrincipal(client.ticket.principal));
  const auto short_name = ShortNameOf(configuration, *client.login, principal, "");
  if (!short_name) return Error{ErrorCode::kUnavailable, short_name.error().message};
  client.short_name = *short_name;
  client.on_behalf_of = identity.as.empty() ? variable("HADOOP_PROXY_USER") : identity.as;
  return client;
}

std::string OwnerOf(const hadoop::conf::Configuration& configuration, const hadoop::rpc::Credentials& credentials) {
  for (const auto& [alias, token] : credentials.tokens) {
    const auto identifier = hadoop::rpc::ParseTokenIdentifier(token);
    const auto owner = identifier ? hadoop::principals::ParsePrincipal(identifier->owner)
                                  : Result<hadoop::principals::Principal>(Failed("another kind of token"));
    if (!owner) continue;
    if (owner->realm.empty()) return identifier->owner;
    hadoop::kerberos::LoginOptions options;
    options.configuration = configuration.environment().variable("KRB5_CONFIG").value_or("");
    hadoop::kerberos::Login login(std::move(options));
    const auto short_name = ShortNameOf(configuration, login, *owner, owner->realm);
    if (short_name) return *short_name;
  }
  return "";
}

}  // namespace howdah::backend::yarn
