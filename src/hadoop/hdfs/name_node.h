// What readers and writers of a file need of the NameNode.
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

// A file that is being written, as the NameNode knows it.
struct OpenFile {
  std::string path;
  std::string client;  // who holds its lease
  uint64_t id = 0;
};

// Errors are explained (name_node_errors.h) and do not say which file they are about. Safe from any thread.
class NameNode {
 public:
  using Block = ::hadoop::hdfs::ExtendedBlockProto;
  using LocatedBlock = ::hadoop::hdfs::LocatedBlockProto;
  using DataNodes = std::vector<::hadoop::hdfs::DatanodeInfoProto>;

  virtual ~NameNode() = default;
  // previous: the block before it, with its length. Waits, with a limit, until that has enough replicas.
  virtual Result<LocatedBlock> AddBlock(const OpenFile& file, const std::optional<Block>& previous,
                                        const DataNodes& excluded) = 0;
  virtual Status AbandonBlock(const OpenFile& file, const Block& block) = 0;
  // A new generation stamp and token for a block whose pipeline lost a DataNode.
  virtual Result<LocatedBlock> UpdateBlockForPipeline(const OpenFile& file, const Block& block) = 0;
  // before and after: the block with its generation stamps; block.locs and storageIDs: who has it now.
  virtual Status UpdatePipeline(const OpenFile& file, const Block& before, const Block& after,
                                const LocatedBlock& present) = 0;
  // Waits, with a limit, until the last block has enough replicas.
  virtual Status Complete(const OpenFile& file, const std::optional<Block>& last) = 0;
  // The blocks that the file has are kept over a restart of the NameNode.
  virtual Status PersistBlocks(const OpenFile& file) = 0;
  virtual Status RenewLease(const std::string& client) = 0;
  virtual Status Delete(const std::string& path, bool recursive) = 0;

  virtual Result<::hadoop::hdfs::LocatedBlocksProto> BlockLocations(const std::string& path) = 0;
  // How much of a block that is being written readers may see: asked of the DataNodes that write it.
  virtual Result<int64_t> VisibleLength(const LocatedBlock& block) = 0;
};

// The real one.
class RemoteNameNode : public NameNode {
 public:
  // use_hostname: as in TransferOptions, for VisibleLength.
  RemoteNameNode(hadoop::rpc::ClientOptions options, bool use_hostname);

  template <typename Response>
  Result<Response> Call(const char* method, const google::protobuf::MessageLite& request) {
    auto response = [&] {
      const std::lock_guard lock(mutex_);
      return client_.Call<Response>(method, request);
    }();
    if (!response) return Explained(response.error());
    // Parts of it are sent back, for which they must be whole.
    if (!response->IsInitialized()) return Failed(std::string("the NameNode's answer to ") + method + " is not whole");
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
  Result<::hadoop::hdfs::LocatedBlocksProto> BlockLocations(const std::string& path) override;
  Result<int64_t> VisibleLength(const LocatedBlock& block) override;

 private:
  static Error Explained(const Error& error);
  Error WithoutDataNodes(const Error& error);

  hadoop::rpc::ClientOptions options_;
  bool use_hostname_;
  std::mutex mutex_;  // the client is for one thread; writers have their own
  hadoop::rpc::BlockingClient client_;
};

}  // namespace howdah::hadoop::hdfs
