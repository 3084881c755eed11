// Opens connections to DataNodes, protected as the cluster requires.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "data_connection.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "name_node.h"
#include "transfer_handshake.h"

namespace howdah::hadoop::hdfs {

// Which handshake a connection begins with (SaslDataTransferClient.send).
enum class HandshakeKind { kNone, kWithKey, kWithToken };
// has_key: whether the NameNode has issued a key, which means that all transfers are encrypted. port: of the DataNode.
// Only root may listen on a port below 1024, so such a DataNode needs no handshake.
HandshakeKind HandshakeFor(bool has_key, const TransferSecurity& security, uint32_t port);

// Thread-safe. Blocks for the connection, the handshake and, once, for the NameNode's key.
class DataNodeConnector {
 public:
  DataNodeConnector(std::shared_ptr<NameNode> name_node, TransferOptions options)
      : name_node_(std::move(name_node)), options_(std::move(options)) {}

  // Connects to a DataNode that has the block. Requests a new key if the DataNode does not know the present one (any
  // more). Returns kUnavailable if the configuration requires something that is not supported.
  Result<DataConnection> Connect(const ::hadoop::hdfs::DatanodeInfoProto& node,
                                 const ::hadoop::hdfs::LocatedBlockProto& block);
  const TransferOptions& options() const { return options_; }
  // Keeps a connection on which a DataNode waits for the next request, and returns one that it has not closed yet. A
  // request on such a connection may still fail, because DataNodes close them after some seconds.
  void Keep(std::optional<DataConnection> connection);
  std::optional<DataConnection> TakeKept(const ::hadoop::hdfs::DatanodeInfoProto& node);
  // See FileSystem::transfer_protection.
  std::string last_protection() const;

 private:
  using Key = ::hadoop::hdfs::DataEncryptionKeyProto;
  using SharedKey = std::shared_ptr<const std::optional<Key>>;

  Result<DataConnection> ConnectOnce(const ::hadoop::hdfs::DatanodeInfoProto& node,
                                     const ::hadoop::hdfs::LocatedBlockProto& block, const std::optional<Key>& key,
                                     bool& key_unknown);
  void Remember(std::string protection);
  // The present key; nullopt if the cluster does not encrypt transfers. `refused`: a key that must not be returned
  // again, or null.
  Result<SharedKey> CurrentKey(const SharedKey& refused);

  const std::shared_ptr<NameNode> name_node_;
  const TransferOptions options_;
  mutable std::mutex mutex_;
  SharedKey key_;  // null before the first request to the NameNode
  std::string last_protection_;
  std::vector<DataConnection> kept_;  // the newest one last
};

}  // namespace howdah::hadoop::hdfs
