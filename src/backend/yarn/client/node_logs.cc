#include "node_logs.h"

#include "howdah/hadoop/yarnlogs/node_text.h"
#include "howdah/os/http/get.h"

namespace howdah::backend::yarn::client {
namespace {

std::string UrlOf(const std::string& address, const LogFileLocation& place, const std::string& user) {
  return "http://" + address + "/ws/v1/node/containers/" + place.container + "/logs/" + place.file +
         "?user.name=" + user;
}

}  // namespace

Result<bool> ReadNodeLog(HadoopClient& cluster, const LogFileLocation& place, int64_t offset,
                         const LogStore::OnBytes& on_bytes) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  HOWDAH_TRY(const auto nodes, rm->ClusterNodes({}));
  Error last{ErrorCode::kNotFound, ""};
  for (const auto& node : nodes) {
    if (node.nodeid().host() != place.node || node.httpaddress().empty()) continue;
    hadoop::yarnlogs::NodeText text(offset, on_bytes);
    Status understood;
    const auto got = os::http::Get(UrlOf(node.httpaddress(), place, cluster.user()), {}, [&](std::string_view bytes) {
      understood = text.Add(bytes);
      return understood.ok() && !text.whole();
    });
    if (!understood.ok()) return understood.error();
    if (text.whole()) return true;
    if (!got.ok()) last = got.error();
  }
  if (!last.message.empty()) return last;
  return false;
}

bool IsNodeLost(HadoopClient& cluster, const std::string& node) {
  const auto rm = cluster.Rm();
  const auto nodes = rm.ok() ? (*rm)->ClusterNodes({}) : rm.error();
  if (!nodes.ok()) return false;
  bool lost = false;
  for (const auto& report : *nodes) {
    if (report.nodeid().host() != node) continue;
    if (report.node_state() != ::hadoop::yarn::NS_LOST) return false;  // another NodeManager runs there
    lost = true;
  }
  return lost;
}

}  // namespace howdah::backend::yarn::client
