#include "tokens.h"

#include "howdah/hadoop/conf/security.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/hadoop/rpc/token_service.h"
#include "howdah/os/net/resolve.h"

namespace howdah::hadoop::hdfs {
std::optional<hadoop::rpc::Token> TokenOf(const hadoop::conf::FileSystemAddress& address,
                                          const hadoop::rpc::Credentials& credentials, Duration limit) {
  const auto find = [&](const std::string& service) -> std::optional<hadoop::rpc::Token> {
    const hadoop::rpc::Token* token = credentials.Find(hadoop::rpc::kHdfsToken, service);
    return token != nullptr ? std::optional(*token) : std::nullopt;
  };
  if (credentials.Find(hadoop::rpc::kHdfsToken) == nullptr) return std::nullopt;
  if (address.logical) return find("ha-hdfs:" + address.authority);
  for (const auto& server : address.name_nodes) {
    if (auto token = find(server.address.Text())) return token;
    const auto addresses = os::net::Resolve(server.address, limit);
    if (!addresses) continue;
    for (const auto& resolved : *addresses) {
      if (auto token = find(HostPort{resolved.ip(), resolved.port()}.Text())) return token;
    }
  }
  return std::nullopt;
}

Result<std::string> ServiceOf(const hadoop::conf::Configuration& configuration,
                              const hadoop::conf::FileSystemAddress& address, Duration limit) {
  if (address.logical) return "ha-hdfs:" + address.authority;
  HOWDAH_TRY(const bool use_ip, configuration.Bool("hadoop.security.token.service.use_ip", true));
  return hadoop::rpc::TokenService(address.name_nodes.front().address, use_ip, limit);
}

Result<hadoop::rpc::Login> LoginOf(const hadoop::conf::Configuration& configuration, const std::string& user,
                                   std::optional<hadoop::rpc::Token> token,
                                   std::optional<hadoop::rpc::KerberosLogin> kerberos) {
  HOWDAH_TRY(const bool simple, hadoop::conf::MayFallBackToSimple(configuration));
  hadoop::rpc::Login login;
  HOWDAH_TRY(login.why_not_simple, hadoop::conf::WhyNotSimple(configuration));
  if ((!token && !kerberos) || simple) login.user = user;
  login.token = std::move(token);
  if (kerberos) {
    HOWDAH_TRY(auto security, hadoop::conf::SecurityOf(configuration, "dfs.namenode.kerberos.principal"));
    login.kerberos = std::move(kerberos);
    login.kerberos->server = std::move(security.server);
    login.kerberos->weakest = security.weakest;
    login.kerberos->weakest_from = std::move(security.weakest_from);
  }
  return login;
}

}  // namespace howdah::hadoop::hdfs
