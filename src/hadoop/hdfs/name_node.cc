#include "name_node.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "howdah/hadoop/rpc/token_proto.h"
#include "name_node_errors.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;
using std::chrono::milliseconds;

// The longest wait until the DataNodes have reported a block to the NameNode. Java waits about 12 s by default
// (dfs.client.block.write.locateFollowingBlock.retries), which is too short for a busy cluster.
constexpr milliseconds kReplicated = std::chrono::seconds(60);

// Sleeps before the next attempt. The pauses grow from 5 ms to 1 s. Returns false when the limit is reached.
class Pauses {
 public:
  bool Next() {
    if (std::chrono::steady_clock::now() + pause_ > deadline_) return false;
    std::this_thread::sleep_for(pause_);
    pause_ = std::min(2 * pause_, milliseconds(1000));
    return true;
  }

 private:
  std::chrono::steady_clock::time_point deadline_ = std::chrono::steady_clock::now() + kReplicated;
  milliseconds pause_{5};
};

Status StatusOf(const auto& result) { return result ? Status() : Status(result.error()); }

}  // namespace

RemoteNameNode::RemoteNameNode(hadoop::rpc::ClientOptions options, bool use_hostname)
    : options_(options), use_hostname_(use_hostname), client_(std::move(options)) {}

Error RemoteNameNode::Explained(const Error& error) { return Explain(error); }

Error RemoteNameNode::WithoutDataNodes(const Error& error) {
  const auto stats = Call<pb::GetFsStatsResponseProto>("getFsStats", pb::GetFsStatusRequestProto());
  if (!stats) return ExplainWithoutDataNodes(error, nullptr);
  const ClusterSpace space{static_cast<int64_t>(stats->capacity()), static_cast<int64_t>(stats->used()),
                           static_cast<int64_t>(stats->remaining())};
  return ExplainWithoutDataNodes(error, &space);
}

Result<NameNode::LocatedBlock> RemoteNameNode::AddBlock(const OpenFile& file, const std::optional<Block>& previous,
                                                        const DataNodes& excluded) {
  pb::AddBlockRequestProto request;
  request.set_src(file.path);
  request.set_clientname(file.client);
  request.set_fileid(file.id);
  if (previous) *request.mutable_previous() = *previous;
  for (const auto& node : excluded) *request.add_excludenodes() = node;
  Pauses pauses;
  for (;;) {
    auto response = Call<pb::AddBlockResponseProto>("addBlock", request);
    if (response && response->block().locs_size() > 0) return response->block();
    if (response) return Failed("the NameNode allocated a block without DataNodes");
    if (IsNotReplicatedYet(response.error()) && pauses.Next()) continue;
    if (!IsWithoutDataNodes(response.error())) return response.error();
    if (excluded.empty()) return WithoutDataNodes(response.error());
    return Error{ErrorCode::kUnavailable, "no other DataNode can take the block", response.error().remote_class};
  }
}

Status RemoteNameNode::AbandonBlock(const OpenFile& file, const Block& block) {
  pb::AbandonBlockRequestProto request;
  *request.mutable_b() = block;
  request.set_src(file.path);
  request.set_holder(file.client);
  request.set_fileid(file.id);
  return StatusOf(Call<pb::AbandonBlockResponseProto>("abandonBlock", request));
}

Result<NameNode::LocatedBlock> RemoteNameNode::UpdateBlockForPipeline(const OpenFile& file, const Block& block) {
  pb::UpdateBlockForPipelineRequestProto request;
  *request.mutable_block() = block;
  request.set_clientname(file.client);
  HOWDAH_TRY(auto response, Call<pb::UpdateBlockForPipelineResponseProto>("updateBlockForPipeline", request));
  return response.block();
}

Status RemoteNameNode::UpdatePipeline(const OpenFile& file, const Block& before, const Block& after,
                                      const LocatedBlock& present) {
  pb::UpdatePipelineRequestProto request;
  request.set_clientname(file.client);
  *request.mutable_oldblock() = before;
  *request.mutable_newblock() = after;
  for (const auto& node : present.locs()) *request.add_newnodes() = node.id();
  for (const auto& storage : present.storageids()) request.add_storageids(storage);
  return StatusOf(Call<pb::UpdatePipelineResponseProto>("updatePipeline", request));
}

Status RemoteNameNode::Complete(const OpenFile& file, const std::optional<Block>& last) {
  pb::CompleteRequestProto request;
  request.set_src(file.path);
  request.set_clientname(file.client);
  request.set_fileid(file.id);
  if (last) *request.mutable_last() = *last;
  Pauses pauses;
  do {
    const auto response = Call<pb::CompleteResponseProto>("complete", request);
    if (!response && !IsNotReplicatedYet(response.error())) return response.error();
    if (response && response->result()) return {};
  } while (pauses.Next());
  return Error{ErrorCode::kTimeout, "the last block does not have enough replicas after " +
                                        FormatDuration(kReplicated) +
                                        "; are the DataNodes alive? hdfs dfsadmin -report"};
}

Status RemoteNameNode::PersistBlocks(const OpenFile& file) {
  pb::FsyncRequestProto request;
  request.set_src(file.path);
  request.set_client(file.client);
  request.set_fileid(file.id);
  return StatusOf(Call<pb::FsyncResponseProto>("fsync", request));
}

Status RemoteNameNode::RenewLease(const std::string& client) {
  pb::RenewLeaseRequestProto request;
  request.set_clientname(client);
  return StatusOf(Call<pb::RenewLeaseResponseProto>("renewLease", request));
}

Status RemoteNameNode::Delete(const std::string& path, bool recursive) {
  pb::DeleteRequestProto request;
  request.set_src(path);
  request.set_recursive(recursive);
  return StatusOf(Call<pb::DeleteResponseProto>("delete", request));
}

Result<uint64_t> RemoteNameNode::FileId(const std::string& path) {
  pb::GetFileInfoRequestProto request;
  request.set_src(path);
  HOWDAH_TRY(const auto response, Call<pb::GetFileInfoResponseProto>("getFileInfo", request));
  if (!response.has_fs()) return Error{ErrorCode::kNotFound, "there is no such file"};
  return response.fs().fileid();
}

Result<pb::LocatedBlocksProto> RemoteNameNode::BlockLocations(const std::string& path) {
  pb::GetBlockLocationsRequestProto request;
  request.set_src(path);
  request.set_offset(0);
  request.set_length(INT64_MAX);
  HOWDAH_TRY(auto response, Call<pb::GetBlockLocationsResponseProto>("getBlockLocations", request));
  if (!response.has_locations()) return Error{ErrorCode::kNotFound, "there is no such file"};
  return response.locations();
}

Result<int64_t> RemoteNameNode::VisibleLength(const LocatedBlock& block) {
  pb::GetReplicaVisibleLengthRequestProto request;
  *request.mutable_block() = block.b();
  Error error = Failed("no DataNode has the block");
  for (const auto& node : block.locs()) {
    hadoop::rpc::ClientOptions options = options_;
    options.servers = {
        {use_hostname_ ? node.id().hostname() : node.id().ipaddr(), static_cast<uint16_t>(node.id().ipcport())}};
    options.protocol = "org.apache.hadoop.hdfs.protocol.ClientDatanodeProtocol";
    options.service_name = "the DataNode";
    options.configured_by = "the NameNode";
    // DataNodes accept the block's token, and not that of the NameNode.
    options.login.token.reset();
    if (!block.blocktoken().identifier().empty()) options.login.token = hadoop::rpc::FromProto(block.blocktoken());
    options.limits.give_up = std::min(options.limits.give_up, Duration(std::chrono::seconds(5)));
    const auto response = hadoop::rpc::BlockingClient(options).Call<pb::GetReplicaVisibleLengthResponseProto>(
        "getReplicaVisibleLength", request);
    if (response) return static_cast<int64_t>(response->length());
    error = response.error();
  }
  return error.While("querying the visible length of the block being written");
}

Result<std::optional<pb::DataEncryptionKeyProto>> RemoteNameNode::DataEncryptionKey() {
  HOWDAH_TRY(auto response, Call<pb::GetDataEncryptionKeyResponseProto>("getDataEncryptionKey",
                                                                        pb::GetDataEncryptionKeyRequestProto()));
  if (!response.has_dataencryptionkey()) return std::optional<pb::DataEncryptionKeyProto>();
  return std::optional(std::move(*response.mutable_dataencryptionkey()));
}

}  // namespace howdah::hadoop::hdfs
