#include "node_logs.h"

#include "howdah/http/get.h"

namespace howdah::yarnplace {
namespace {

// Without NodeManagers' framing of text ("LogType: ..."): the bytes as they are.
std::string UrlOf(const std::string& address, const LogFilePlace& place, const std::string& user) {
  return "http://" + address + "/ws/v1/node/containers/" + place.container + "/logs/" + place.file +
         "?format=octet-stream&user.name=" + user;
}

}  // namespace

Result<bool> ReadNodeLog(Cluster& cluster, const LogFilePlace& place, int64_t offset,
                         const LogStore::OnBytes& on_bytes) {
  const auto rm = cluster.Rm();
  if (!rm.ok()) return rm.error();
  const auto nodes = (*rm)->ClusterNodes({});
  if (!nodes.ok()) return nodes.error();
  Error last{ErrorCode::kNotFound, ""};
  for (const auto& node : *nodes) {
    if (node.nodeid().host() != place.node || node.httpaddress().empty()) continue;
    int64_t skipped = 0;
    const auto got = http::Get(UrlOf(node.httpaddress(), place, cluster.user()), {}, [&](std::string_view bytes) {
      const auto skip = std::min<int64_t>(offset - skipped, static_cast<int64_t>(bytes.size()));
      skipped += skip;
      bytes.remove_prefix(static_cast<size_t>(skip));
      if (!bytes.empty()) on_bytes(bytes);
      return true;
    });
    if (got.ok() && got->status == 200) return true;
    if (!got.ok()) last = got.error();
  }
  if (!last.message.empty()) return last;
  return false;
}

}  // namespace howdah::yarnplace
