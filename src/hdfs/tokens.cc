#include "tokens.h"

#include "howdah/net/resolve.h"

namespace howdah::hdfs {
namespace {

constexpr const char* kTokenKind = "HDFS_DELEGATION_TOKEN";

}  // namespace

std::optional<hadooprpc::Token> TokenOf(const hadoopconf::FileSystemAddress& address,
                                        const hadooprpc::Credentials& credentials, Duration limit) {
  const auto find = [&](const std::string& service) -> std::optional<hadooprpc::Token> {
    const hadooprpc::Token* token = credentials.Find(kTokenKind, service);
    return token != nullptr ? std::optional(*token) : std::nullopt;
  };
  if (credentials.Find(kTokenKind) == nullptr) return std::nullopt;
  if (address.logical) return find("ha-hdfs:" + address.authority);
  for (const auto& server : address.name_nodes) {
    const net::HostPort where{server.host, server.port};
    if (auto token = find(where.text())) return token;
    const auto addresses = net::Resolve(where, limit);
    if (!addresses) continue;
    for (const auto& resolved : *addresses) {
      if (auto token = find(net::HostPort{resolved.ip(), resolved.port()}.text())) return token;
    }
  }
  return std::nullopt;
}

}  // namespace howdah::hdfs
