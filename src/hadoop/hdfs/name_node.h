// The calls to the NameNode that reading and writing files needs.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/messages/hdfs.pb.h"
#include "howdah/hadoop/rpc/blocking_client.h"

namespace howdah::hadoop::hdfs {

// A file that is being written, as the NameNode identifies it.
struct OpenFile {
  std::string path;
  std::string client;  // the holder of the lease
  uint64_t id = 0;
};

// Thread-safe. The messages of errors are those of name_node_errors.h. They do not contain the file's path.
class NameNode {
 public:
  using Block = ::hadoop::hdfs::ExtendedBlockProto;
  using LocatedBlock = ::hadoop::hdfs::LocatedBlockProto;
  using DataNodes = std::vector<::hadoop::hdfs::DatanodeInfoProto>;

  virtual ~NameNode() = default;
  // `previous` is the preceding block, with its length. Waits, up to a limit, until that block has enough replicas.
  virtual Result<LocatedBlock> AddBlock(const OpenFile& file, const std::optional<Block>& previous,
                                        const DataNodes& excluded) = 0;
  virtual Status AbandonBlock(const OpenFile& file, const Block& block) = 0;
  // Returns a new generation stamp and token for a block. Call this after a DataNode of the block's pipeline has
  // failed.
  virtual Result<LocatedBlock> UpdateBlockForPipeline(const OpenFile& file, const Block& block) = 0;
  // `before` is the block with its old generation stamp, `after` the block with its new one. `present` lists the
  // remaining DataNodes (locs and storageIDs).
  virtual Status UpdatePipeline(const OpenFile& file, const Block& before, const Block& after,
                                const LocatedBlock& present) = 0;
  // Waits, up to a limit, until the last block has enough replicas.
  virtual Status Complete(const OpenFile& file, const std::optional<Block>& last) = 0;
  // Makes the NameNode store the file's present blocks, so that they survive a restart of the NameNode.
  virtual Status PersistBlocks(const OpenFile& file) = 0;
  virtual Status RenewLease(const std::string& client) = 0;
  virtual Status Delete(const std::string& path, bool recursive) = 0;
  // The id (OpenFile::id) of the file that has this path now.
  virtual Result<uint64_t> FileId(const std::string& path) = 0;

  virtual Result<::hadoop::hdfs::LocatedBlocksProto> BlockLocations(const std::string& path) = 0;
  // Queries the block's DataNodes for the readable length of a block that is being written.
  virtual Result<int64_t> VisibleLength(const LocatedBlock& block) = 0;
  // Returns a key for encrypted transfers; nullopt if the cluster does not require them (dfs.encrypt.data.transfer).
  virtual Result<std::optional<::hadoop::hdfs::DataEncryptionKeyProto>> DataEncryptionKey() = 0;
};

// The NameNode of a cluster, called by RPC.
class RemoteNameNode : public NameNode {
 public:
  // `use_hostname`: see TransferOptions. Only VisibleLength uses it.
  RemoteNameNode(hadoop::rpc::ClientOptions options, bool use_hostname);

  template <typename Response>
  Result<Response> Call(const char* method, const google::protobuf::MessageLite& request) {
    auto response = [&] {
      const std::lock_guard lock(mutex_);
      return client_.Call<Response>(method, request);
    }();
    if (!response) return Explained(response.error());
    // Later requests contain parts of this response, so all required fields must be present.
    if (!response->IsInitialized()) return Failed(std::string("the NameNode's answer to ") + method + " is incomplete");
    return response;
  }

  Result<LocatedBlock> AddBlock(const OpenFile& file, const std::optional<Block>& previous,
                                const DataNodes& excluded) override;
  Status AbandonBlock(const OpenFile& file, const Block& block) override;
  Result<LocatedBlock> UpdateBlockForPipeline(const OpenFile& file, const Block& block) override;
  Status UpdatePipeline(const OpenFile& file, const Block& before, const Block& after,
                        const LocatedBlock& present) override;
  Status Complete(const OpenFile& file, const std::optional<Block>& last) override;
  Status PersistBlocks(const OpenFile& file) override;
  Status RenewLease(const std::string& client) override;
  Status Delete(const std::string& path, bool recursive) override;
  Result<uint64_t> FileId(const std::string& path) override;
  Result<::hadoop::hdfs::LocatedBlocksProto> BlockLocations(const std::string& path) override;
  Result<int64_t> VisibleLength(const LocatedBlock& block) override;
  Result<std::optional<::hadoop::hdfs::DataEncryptionKeyProto>> DataEncryptionKey() override;
  // See BlockingClient::security.
  std::string security() {
    const std::lock_guard lock(mutex_);
    return client_.security();
  }

 private:
  static Error Explained(const Error& error);
  Error WithoutDataNodes(const Error& error);

  hadoop::rpc::ClientOptions options_;
  bool use_hostname_;
  std::mutex mutex_;  // makes the class thread-safe: each writer has a thread, and the client is not thread-safe
  hadoop::rpc::BlockingClient client_;
};

}  // namespace howdah::hadoop::hdfs
