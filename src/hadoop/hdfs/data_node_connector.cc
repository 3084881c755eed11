#include "data_node_connector.h"

#include <openssl/rand.h>

#include <algorithm>
#include <ranges>

#include "howdah/hadoop/sasl/digest.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

constexpr uint32_t kPrivilegedPorts = 1024;
constexpr size_t kNonceSize = 30;
constexpr size_t kMostKept = 8;

Result<std::string> NewNonce() {
  std::string bytes(kNonceSize, '\0');
  if (RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()), static_cast<int>(bytes.size())) != 1) {
    return Failed("OpenSSL has no random bytes");
  }
  return sasl::Base64(bytes);
}

Status Shake(DataConnection& connection, TransferHandshake& handshake, Duration silence) {
  std::optional<std::string> next = handshake.Begin();
  while (next) {
    HOWDAH_TRY_STATUS(connection.Send(*next, silence));
    TransferHandshake::Message answer;
    HOWDAH_TRY_STATUS(connection.ReceiveDelimited(answer, silence));
    HOWDAH_TRY(next, handshake.Receive(answer));
  }
  if (!connection.buffered().empty()) return Failed("it sent unprotected bytes after the handshake");
  if (auto codec = handshake.TakeCodec()) connection.Protect(std::move(codec));
  return {};
}

// The probable reason why a DataNode closes a connection that began with this handshake.
std::string CloseReason(HandshakeKind kind, const TransferSecurity& security) {
  switch (kind) {
    case HandshakeKind::kWithKey:
      return "it may not expect an encrypted transfer; is dfs.encrypt.data.transfer the same on it as on the NameNode?";
    case HandshakeKind::kWithToken:
      return security.accepted_from + " makes this client protect transfers; is that key set on the DataNode?";
    case HandshakeKind::kNone:
      break;
  }
  if (!security.kerberos || security.accepted != 0) return {};
  return "it may require protected transfers; " + security.accepted_from +
         " must have the value that it has on the DataNode";
}

}  // namespace

HandshakeKind HandshakeFor(bool has_key, const TransferSecurity& security, uint32_t port) {
  if (has_key) return HandshakeKind::kWithKey;
  if (!security.kerberos || port < kPrivilegedPorts || security.accepted == 0) return HandshakeKind::kNone;
  return HandshakeKind::kWithToken;
}

Result<DataConnection> DataNodeConnector::Connect(const pb::DatanodeInfoProto& node,
                                                  const pb::LocatedBlockProto& block) {
  if (!options_.security.unsupported.empty()) return Error{ErrorCode::kUnavailable, options_.security.unsupported};
  SharedKey refused;
  for (;;) {
    HOWDAH_TRY(const auto key, CurrentKey(refused));
    bool key_unknown = false;
    auto connection = ConnectOnce(node, block, *key, key_unknown);
    if (connection || !key_unknown || refused) return connection;
    refused = key;
  }
}

Result<DataConnection> DataNodeConnector::ConnectOnce(const pb::DatanodeInfoProto& node,
                                                      const pb::LocatedBlockProto& block, const std::optional<Key>& key,
                                                      bool& key_unknown) {
  const TransferSecurity& security = options_.security;
  HOWDAH_TRY(auto connection, DataConnection::Open(node, options_));
  const HandshakeKind kind = HandshakeFor(key.has_value(), security, node.id().xferport());
  connection.ExplainClose(CloseReason(kind, security));
  if (kind == HandshakeKind::kNone) {
    Remember("not protected");
    return connection;
  }
  HOWDAH_TRY(auto nonce, NewNonce());
  TransferHandshake handshake(
      kind == HandshakeKind::kWithKey
          ? LoginWithKey(*key)
          : LoginWithToken(block.blocktoken(), block.b().poolid(), {security.accepted, security.accepted_from}),
      std::move(nonce));
  const Status done = Shake(connection, handshake, options_.silence);
  key_unknown = handshake.key_unknown();
  if (!done.ok()) return done.error().While("protecting the connection to " + NameOf(node));
  connection.ExplainClose("");
  Remember(handshake.protection());
  return connection;
}

void DataNodeConnector::Keep(std::optional<DataConnection> connection) {
  if (!connection) return;
  const std::lock_guard lock(mutex_);
  if (kept_.size() == kMostKept) kept_.erase(kept_.begin());
  kept_.push_back(std::move(*connection));
}

std::optional<DataConnection> DataNodeConnector::TakeKept(const pb::DatanodeInfoProto& node) {
  const std::string name = NameOf(node);
  const std::lock_guard lock(mutex_);
  std::erase_if(kept_, [](const DataConnection& one) { return !one.idle(); });
  const auto found = std::ranges::find(std::views::reverse(kept_), name, &DataConnection::peer);
  if (found == std::views::reverse(kept_).end()) return std::nullopt;
  DataConnection connection = std::move(*found);
  kept_.erase(std::prev(found.base()));
  return connection;
}

void DataNodeConnector::Remember(std::string protection) {
  const std::lock_guard lock(mutex_);
  last_protection_ = std::move(protection);
}

std::string DataNodeConnector::last_protection() const {
  const std::lock_guard lock(mutex_);
  return last_protection_;
}

Result<DataNodeConnector::SharedKey> DataNodeConnector::CurrentKey(const SharedKey& refused) {
  const std::lock_guard lock(mutex_);
  if (key_ && key_ != refused) return key_;
  HOWDAH_TRY(auto key, name_node_->DataEncryptionKey());
  key_ = std::make_shared<const std::optional<Key>>(std::move(key));
  return key_;
}

}  // namespace howdah::hadoop::hdfs
