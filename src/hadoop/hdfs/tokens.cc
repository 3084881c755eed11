#include "tokens.h"

#include "howdah/os/net/resolve.h"

namespace howdah::hadoop::hdfs {
namespace {

constexpr const char* kTokenKind = "HDFS_DELEGATION_TOKEN";

}  // namespace

std::optional<hadoop::rpc::Token> TokenOf(const hadoop::conf::FileSystemAddress& address,
                                          const hadoop::rpc::Credentials& credentials, Duration limit) {
  const auto find = [&](const std::string& service) -> std::optional<hadoop::rpc::Token> {
    const hadoop::rpc::Token* token = credentials.Find(kTokenKind, service);
    return token != nullptr ? std::optional(*token) : std::nullopt;
  };
  if (credentials.Find(kTokenKind) == nullptr) return std::nullopt;
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

Result<hadoop::rpc::Login> LoginOf(const hadoop::conf::Configuration& configuration, const std::string& user,
                                   std::optional<hadoop::rpc::Token> token) {
  HOWDAH_TRY(const bool simple, hadoop::conf::MayFallBackToSimple(configuration));
  hadoop::rpc::Login login;
  if (!token || simple) login.user = user;
  login.token = std::move(token);
  return login;
}

}  // namespace howdah::hadoop::hdfs
