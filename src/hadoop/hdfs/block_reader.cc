#include "block_reader.h"

#include <utility>

#include "howdah/hadoop/messages/datatransfer.pb.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

constexpr uint32_t kMaxChunk = 1 << 20;

}  // namespace

Result<BlockReader> BlockReader::Open(DataNodeConnector& connector, const pb::LocatedBlockProto& block,
                                      const pb::DatanodeInfoProto& node, const std::string& client, int64_t offset,
                                      int64_t length) {
  const Duration silence = connector.options().silence;
  pb::OpReadBlockProto op;
  op.mutable_header()->set_clientname(client);
  *op.mutable_header()->mutable_baseheader()->mutable_block() = block.b();
  if (block.has_blocktoken()) *op.mutable_header()->mutable_baseheader()->mutable_token() = block.blocktoken();
  op.set_offset(static_cast<uint64_t>(offset));
  op.set_len(static_cast<uint64_t>(length));
  op.mutable_cachingstrategy();
  const std::string request = EncodeOp(Op::kReadBlock, op);
  if (auto kept = connector.TakeKept(node)) {
    auto reader = OpenOn(std::move(*kept), silence, request, offset, length);
    if (reader) return reader;
    // The DataNode may have closed the connection in the meantime.
  }
  HOWDAH_TRY(auto connection, connector.Connect(node, block));
  return OpenOn(std::move(connection), silence, request, offset, length);
}

Result<BlockReader> BlockReader::OpenOn(DataConnection connection, Duration silence, std::string_view request,
                                        int64_t offset, int64_t length) {
  if (const Status sent = connection.Send(request, silence); !sent.ok()) {
    return sent.error();
  }
  pb::BlockOpResponseProto response;
  HOWDAH_TRY_STATUS(connection.ReceiveDelimited(response, silence));
  if (response.status() != pb::SUCCESS) {
    return Failed("it refused the block: " + pb::Status_Name(response.status()) +
                  (response.message().empty() ? "" : ", " + response.message()));
  }
  BlockReader reader(std::move(connection), silence, offset, length);
  const auto& checksum = response.readopchecksuminfo().checksum();
  reader.checked_ = checksum.type() != pb::CHECKSUM_NULL;
  reader.crc_ = checksum.type() == pb::CHECKSUM_CRC32 ? Crc::kCrc32 : Crc::kCrc32c;
  reader.chunk_ = checksum.bytesperchecksum();
  if (!response.has_readopchecksuminfo() || reader.chunk_ == 0 || reader.chunk_ > kMaxChunk) {
    return Failed("it did not send the block's checksum type");
  }
  return reader;
}

Result<std::string_view> BlockReader::Next(char* out, size_t size) {
  while (data_.empty() && left_ > 0) {
    HOWDAH_TRY_STATUS(ReadPacket(out, size));
  }
  const std::string_view data = data_.substr(0, static_cast<size_t>(left_));
  data_ = {};
  offset_ += static_cast<int64_t>(data.size());
  left_ -= static_cast<int64_t>(data.size());
  if (!data.empty() && left_ == 0) finished_ = Finish().ok() && connection_.buffered().empty();
  return data;
}

std::optional<DataConnection> BlockReader::TakeConnection() && {
  if (!finished_) return std::nullopt;
  return std::move(connection_);
}

Result<PacketHeader> BlockReader::ReadHead(size_t& body) {
  char bytes[PacketPrefix::kSize];
  HOWDAH_TRY_STATUS(connection_.Receive(bytes, sizeof bytes, silence_));
  HOWDAH_TRY(const auto prefix, ParsePacketPrefix({bytes, sizeof bytes}));
  body = prefix.body;
  std::string head(prefix.header, '\0');
  HOWDAH_TRY_STATUS(connection_.Receive(head.data(), head.size(), silence_));
  return ParsePacketHeader(head, prefix);
}

Status BlockReader::ReadPacket(char* out, size_t size) {
  size_t body = 0;
  HOWDAH_TRY(const auto header, ReadHead(body));
  if (header.last) return Failed("the block ended " + std::to_string(left_) + " bytes too early");
  const size_t checksums = body - header.data;
  // Only the first and the last packet have bytes that were not requested, because checksums cover whole chunks.
  const bool direct = header.offset == offset_ && header.data <= size && std::cmp_less_equal(header.data, left_);
  body_.resize(direct ? checksums : body);
  HOWDAH_TRY_STATUS(connection_.Receive(body_.data(), body_.size(), silence_));
  if (direct) {
    HOWDAH_TRY_STATUS(connection_.Receive(out, header.data, silence_));
  }
  const std::string_view data = direct ? std::string_view(out, header.data) : std::string_view(body_).substr(checksums);
  HOWDAH_TRY_STATUS(Verify(header, data, std::string_view(body_).substr(0, checksums)));
  // The first packet begins at a chunk boundary, which may be before the first requested byte.
  const int64_t before = offset_ - header.offset;
  if (before < 0 || (before > 0 && static_cast<size_t>(before) >= data.size())) {
    return Failed("a packet arrived out of order");
  }
  data_ = data.substr(static_cast<size_t>(before));
  return {};
}

Status BlockReader::Verify(const PacketHeader& header, std::string_view data, std::string_view sums) const {
  if (!checked_) return {};
  if (sums.size() != (data.size() + chunk_ - 1) / chunk_ * 4)
    return Failed("a packet has the wrong number of checksums");
  const auto wrong = FirstWrongChunk(crc_, data, chunk_, sums);
  if (!wrong) return {};
  return Failed("the checksum of the block's bytes from " +
                std::to_string(header.offset + static_cast<int64_t>(*wrong * chunk_)) +
                " on is wrong: the replica is corrupt");
}

// Reads the empty last packet. Then reports to the DataNode that the checksums were correct, so that it can postpone
// its own verification of the block.
Status BlockReader::Finish() {
  size_t body = 0;
  if (const auto last = ReadHead(body); !last || !last->last) return Failed("the block does not end at its length");
  pb::ClientReadStatusProto status;
  status.set_status(pb::CHECKSUM_OK);
  return connection_.Send(EncodeDelimited(status), silence_);
}

}  // namespace howdah::hadoop::hdfs
