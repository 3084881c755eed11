#include "quota.h"

#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/rpc/blocking_client.h"

namespace howdah::hadoop::hdfs {
namespace {

// Encodes an integer field of a protobuf message.
std::string Number(int field, int64_t value) {
  std::string bytes(1, static_cast<char>(field << 3));
  auto rest = static_cast<uint64_t>(value);
  for (; rest >= 0x80; rest >>= 7) bytes += static_cast<char>(rest | 0x80);
  return bytes + static_cast<char>(rest);
}

}  // namespace

QuotaSetter QuotaSetterOf(const hadoop::conf::Configuration& configuration, const OpenOptions& options) {
  const auto address = hadoop::conf::FileSystemOf(configuration, "");
  hadoop::rpc::ClientOptions client;
  if (address) {
    for (const auto& server : address->name_nodes) client.servers.push_back(server.address);
  }
  client.protocol = "org.apache.hadoop.hdfs.protocol.ClientProtocol";
  client.login.user = options.user;
  return [client](const std::string& path, int64_t names, int64_t bytes) -> Status {
    // SetQuotaRequestProto: path = 1, namespaceQuota = 2, storagespaceQuota = 3
    const std::string request =
        "\x0a" + std::string(1, static_cast<char>(path.size())) + path + Number(2, names) + Number(3, bytes);
    const auto done = hadoop::rpc::BlockingClient(client).CallBytes("setQuota", request);
    return done ? Status() : Status(done.error());
  };
}

}  // namespace howdah::hadoop::hdfs
