#include "pipeline.h"

#include <vector>

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

constexpr Duration kPerNode = std::chrono::seconds(5);
constexpr size_t kMaxPieces = 16;

std::string EncodeWriteOp(const PipelineRequest& request) {
  const pb::LocatedBlockProto& block = request.block;
  pb::OpWriteBlockProto op;
  auto& header = *op.mutable_header();
  header.set_clientname(request.client);
  *header.mutable_baseheader()->mutable_block() = block.b();
  if (block.has_blocktoken()) *header.mutable_baseheader()->mutable_token() = block.blocktoken();
  for (int i = 1; i < block.locs_size(); ++i) {
    *op.add_targets() = block.locs(i);
    op.add_targetpinnings(false);
    if (i < block.storagetypes_size()) op.add_targetstoragetypes(block.storagetypes(i));
    if (i < block.storageids_size()) op.add_targetstorageids(block.storageids(i));
  }
  op.set_stage(request.stage);
  op.set_pipelinesize(static_cast<uint32_t>(block.locs_size()));
  op.set_minbytesrcvd(static_cast<uint64_t>(request.least));
  op.set_maxbytesrcvd(static_cast<uint64_t>(request.most));
  op.set_latestgenerationstamp(request.generation);
  op.mutable_requestedchecksum()->set_type(pb::CHECKSUM_CRC32C);
  op.mutable_requestedchecksum()->set_bytesperchecksum(kChunk);
  op.mutable_cachingstrategy();
  if (block.storagetypes_size() > 0) op.set_storagetype(block.storagetypes(0));
  if (block.storageids_size() > 0) op.set_storageid(block.storageids(0));
  return EncodeOp(Op::kWriteBlock, op);
}

// The index of the block's DataNode with this address, such as "10.0.0.7:9866".
size_t IndexOf(const pb::LocatedBlockProto& block, const std::string& address) {
  for (int i = 0; i < block.locs_size(); ++i) {
    const auto& id = block.locs(i).id();
    const std::string port = ":" + std::to_string(id.xferport());
    if (address == id.ipaddr() + port || address == id.hostname() + port) return static_cast<size_t>(i);
  }
  return 0;
}

}  // namespace

Result<Pipeline> Pipeline::Open(DataNodeConnector& connector, const PipelineRequest& request, BadNode& bad) {
  const Duration silence = connector.options().silence + kPerNode * request.block.locs_size();
  const auto fail = [&](size_t index, const Error& error) {
    bad = {index, error.message};
    return error;
  };
  auto connection = connector.Connect(request.block.locs(0), request.block);
  if (!connection) return fail(0, connection.error());
  if (const Status sent = connection->Send(EncodeWriteOp(request), silence); !sent.ok()) return fail(0, sent.error());
  pb::BlockOpResponseProto response;
  if (const Status got = connection->ReceiveDelimited(response, silence); !got.ok()) return fail(0, got.error());
  if (response.status() == pb::SUCCESS) return Pipeline(std::move(*connection), silence);
  std::string why = "it refused the block: " + pb::Status_Name(response.status());
  if (!response.message().empty()) why += ", " + response.message();
  const size_t index = response.firstbadlink().empty() ? 0 : IndexOf(request.block, response.firstbadlink());
  return fail(index, Failed(NameOf(request.block.locs(static_cast<int>(index))) + ": " + why));
}

Status Pipeline::Send(const std::deque<Packet>& packets, size_t& next, size_t& sent, Time now) {
  std::vector<std::string_view> pieces;
  if (!heartbeat_.empty()) pieces.push_back(heartbeat_);
  for (size_t i = next; i < packets.size() && pieces.size() < kMaxPieces; ++i) {
    if (packets[i].last && i > 0) break;
    pieces.push_back(packets[i].bytes().substr(i == next ? sent : 0));
    if (packets[i].last) break;
  }
  if (pieces.empty() && !connection_.has_unsent()) return {};
  HOWDAH_TRY(const auto taken, connection_.SendSome(pieces));
  size_t left = taken;
  if (left > 0) sent_at_ = now;
  const size_t of_heartbeat = std::min(left, heartbeat_.size());
  heartbeat_.erase(0, of_heartbeat);
  left -= of_heartbeat;
  while (left > 0) {
    const size_t rest = packets[next].bytes().size() - sent;
    if (left < rest) {
      sent += left;
      break;
    }
    left -= rest;
    sent = 0;
    ++next;
  }
  return {};
}

Status Pipeline::Heartbeat(Time now) {
  heartbeat_ += EncodeEmptyPacket(0, kHeartbeat, false);
  HOWDAH_TRY(const auto taken, connection_.SendSome({heartbeat_}));
  heartbeat_.erase(0, taken);
  sent_at_ = now;
  return {};
}

Status Pipeline::ReceiveAcks(int64_t& acked, Time now, BadNode& bad) {
  const auto fail = [&](const Error& error) {
    bad = {0, error.message};
    return error;
  };
  for (;;) {
    const auto extent = DelimitedExtent(connection_.buffered());
    if (!extent) return fail(extent.error());
    const size_t size = *extent ? (*extent)->begin + (*extent)->size : 0;
    if (!*extent || connection_.buffered().size() < size) {
      const auto filled = connection_.Fill();
      if (!filled) return fail(filled.error());
      if (*filled == 0) return {};
      continue;
    }
    pb::PipelineAckProto ack;
    const std::string_view bytes = connection_.buffered().substr((*extent)->begin, (*extent)->size);
    if (!ParseMessage(bytes, ack)) {
      return fail(Failed("a DataNode's acknowledgement is unreadable"));
    }
    connection_.Drop(size);
    received_at_ = now;
    if (const auto wrong = BadNodeOf(ack)) {
      bad = *wrong;
      return Failed(wrong->why);
    }
    if (ack.seqno() == kHeartbeat) continue;
    if (ack.seqno() != acked + 1) return fail(Failed("a DataNode acknowledged a packet out of order"));
    ++acked;
  }
}

}  // namespace howdah::hadoop::hdfs
