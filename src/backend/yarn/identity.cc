#include "howdah/backend/yarn/identity.h"

#include "howdah/hadoop/conf/security.h"

namespace howdah::backend::yarn {

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
  const auto realm = client.login->DefaultRealm();
  HOWDAH_TRY(const auto rules, hadoop::conf::ShortNameRulesOf(configuration, realm ? *realm : ""));
  const auto short_name = rules.ShortName(principal);
  if (!short_name) return Error{ErrorCode::kUnavailable, short_name.error().message};
  client.short_name = *short_name;
  client.on_behalf_of = identity.as.empty() ? variable("HADOOP_PROXY_USER") : identity.as;
  return client;
}

}  // namespace howdah::backend::yarn
