// Recorded bytes of the Hadoop 3.3.6 shell, which writes and reads a file of 700 bytes (hdfs dfs -put and -cat), and
// mutations of these bytes.
#include <gmock/gmock.h>

#include "block_reader.h"
#include "fake_cluster.h"
#include "file_writer.h"
#include "packet.h"
#include "transfer.h"

namespace howdah::hadoop::hdfs {
namespace {

// The bytes that Java's client sends to the DataNode: the op, the header of its only data packet with two checksums,
// and the packet that ends the block.
constexpr const char* kWriteOp =
    "001c50ae010a670a400a340a2442502d3939393438363836322d3132372e302e302e312d3137393532383538363532373010"
    "d68080800418be08208080804012080a0012001a0022001223444653436c69656e745f4e4f4e4d41505245445543455f2d35"
    "30353439323239365f31200628013000380040004a0508021080045200580168007000780082012744532d65366435323766"
    "392d366362322d343663372d623665612d653062363734333839336633";
constexpr const char* kPacketHeadBytes =
    "000002c80019090000000000000000110000000000000000180025bc020000309c8681a54d444d";
constexpr const char* kLastPacket = "00000004001909bc0200000000000011010000000000000018012500000000";
// The DataNode's answer to the op, and its acknowledgements of the two packets.
constexpr const char* kAcks = "04080012000908001000180022010009080210001800220100";
// A read by Java's client: the request; the DataNode's answer, followed by the same two packets; the client's report
// that the checksums were correct.
constexpr const char* kReadOp =
    "001c51700a650a3e0a320a2442502d3939393438363836322d3132372e302e302e312d3137393532383538363532373010d6"
    "8080800418be0820bc0512080a0012001a0022001223444653436c69656e745f4e4f4e4d41505245445543455f3139373932"
    "34303130305f31100018bc0520012a00";
constexpr const char* kReadAnswer = "0d080022090a0508021080041000";
constexpr const char* kReadStatus = "020806";

std::string Bytes(std::string_view hex) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'a' + 10; };
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) bytes += static_cast<char>(digit(hex[i]) * 16 + digit(hex[i + 1]));
  return bytes;
}

std::string File() {
  std::string bytes(700, '\0');
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i % 251);
  return bytes;
}

// Parses the message of an op, which follows version and code.
template <typename Message>
Message OpOf(const std::string& bytes, Op op) {
  EXPECT_EQ(bytes.substr(0, 2), std::string("\0\x1c", 2));
  EXPECT_EQ(static_cast<Op>(bytes[2]), op);
  const std::string_view rest = std::string_view(bytes).substr(3);
  const auto extent = DelimitedExtent(rest);
  EXPECT_TRUE(extent.ok() && extent->has_value() && (*extent)->begin + (*extent)->size == rest.size());
  Message message;
  EXPECT_TRUE(message.ParseFromString(std::string(rest.substr((*extent)->begin))));
  return message;
}

TEST(Golden, EncodedOpsMatchRecordedBytes) {
  const auto write = OpOf<pb::OpWriteBlockProto>(Bytes(kWriteOp), Op::kWriteBlock);
  EXPECT_EQ(write.stage(), pb::OpWriteBlockProto::PIPELINE_SETUP_CREATE);
  EXPECT_EQ(write.pipelinesize(), 1u);
  EXPECT_EQ(write.latestgenerationstamp(), 0u);
  EXPECT_EQ(write.requestedchecksum().type(), pb::CHECKSUM_CRC32C);
  EXPECT_EQ(EncodeOp(Op::kWriteBlock, write), Bytes(kWriteOp));
  const auto read = OpOf<pb::OpReadBlockProto>(Bytes(kReadOp), Op::kReadBlock);
  EXPECT_EQ(read.len(), 700u);
  EXPECT_EQ(EncodeOp(Op::kReadBlock, read), Bytes(kReadOp));
  pb::ClientReadStatusProto status;
  status.set_status(pb::CHECKSUM_OK);
  EXPECT_EQ(EncodeDelimited(status), Bytes(kReadStatus));
}

TEST(Golden, EncodedPacketsMatchRecordedBytes) {
  PacketBuilder builder(1 << 20);
  const std::string file = File();
  std::string_view rest = file;
  EXPECT_FALSE(builder.Add(rest));
  EXPECT_EQ(builder.Flush()->bytes(), Bytes(kPacketHeadBytes) + file);
  EXPECT_EQ(builder.EndBlock()->bytes(), Bytes(kLastPacket));
}

// A server that answers each connection with the given bytes and then sends nothing more.
class RawServer {
 public:
  RawServer() {
    listener_ = os::files::Fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address_), size), 0);
    EXPECT_EQ(::listen(listener_.get(), 16), 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size);
    thread_ = std::thread([this] { Serve(); });
  }
  ~RawServer() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    thread_.join();
  }
  void Set(std::string bytes) {
    const std::lock_guard lock(mutex_);
    bytes_ = std::move(bytes);
  }
  pb::DatanodeInfoProto info() const {
    pb::DatanodeInfoProto node;
    node.mutable_id()->set_ipaddr("127.0.0.1");
    node.mutable_id()->set_hostname("raw");
    node.mutable_id()->set_datanodeuuid("raw");
    node.mutable_id()->set_xferport(ntohs(address_.sin_port));
    node.mutable_id()->set_infoport(0);
    node.mutable_id()->set_ipcport(0);
    return node;
  }

 private:
  void Serve() {
    for (;;) {
      const os::files::Fd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) return;
      std::string bytes;
      {
        const std::lock_guard lock(mutex_);
        bytes = bytes_;
      }
      (void)::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ::shutdown(fd.get(), SHUT_WR);
      char drained[4096];
      while (::recv(fd.get(), drained, sizeof drained, 0) > 0) {
      }
    }
  }

  os::files::Fd listener_;
  sockaddr_in address_{};
  std::mutex mutex_;
  std::string bytes_;
  std::thread thread_;
};

pb::LocatedBlockProto BlockOn(const RawServer& server) {
  pb::LocatedBlockProto block;
  block.mutable_b()->set_poolid("BP-1");
  block.mutable_b()->set_blockid(1);
  block.mutable_b()->set_generationstamp(1);
  block.mutable_b()->set_numbytes(700);
  *block.add_locs() = server.info();
  return block;
}

Result<std::string> ReadBlock(const RawServer& server, int64_t offset, int64_t length) {
  SharedState shared;
  std::vector<std::unique_ptr<FakeDataNode>> none;
  DataNodeConnector connector(std::make_shared<FakeNameNode>(shared, none, 1), {});
  HOWDAH_TRY(auto reader, BlockReader::Open(connector, BlockOn(server), server.info(), "me", offset, length));
  std::string all;
  for (;;) {
    HOWDAH_TRY(const auto bytes, reader.Next());
    if (bytes.empty()) return all;
    all += bytes;
  }
}

std::string ReadStream() { return Bytes(kReadAnswer) + Bytes(kPacketHeadBytes) + File() + Bytes(kLastPacket); }

TEST(Golden, RecordedBlockIsRead) {
  RawServer server;
  server.Set(ReadStream());
  EXPECT_EQ(*ReadBlock(server, 0, 700), File());
  EXPECT_EQ(*ReadBlock(server, 100, 500), File().substr(100, 500));
  EXPECT_EQ(*ReadBlock(server, 600, 100), File().substr(600)) << "the packet begins before the requested offset";
}

// Mutates bytes at random, with fixed seeds.
class Mutations {
 public:
  std::string operator()(std::string bytes, size_t within) {
    for (size_t edits = 1 + Next(3); edits > 0; --edits) {
      const size_t at = Next(std::min(within, bytes.size()));
      switch (Next(4)) {
        case 0:
          bytes[at] = static_cast<char>(Next(256));
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << Next(8)));
          break;
        case 2:
          bytes.erase(at, 1 + Next(4));
          break;
        default:
          bytes.insert(at, 1 + Next(4), static_cast<char>(Next(256)));
      }
    }
    return bytes;
  }

 private:
  size_t Next(size_t below) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state_ >> 33) % below;
  }
  uint64_t state_ = 11;
};

TEST(Golden, MutatedAnswersToReaderAreSafeAndDetected) {
  RawServer server;
  Mutations mutate;
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    // Do not mutate the file's data in every round, so that most mutations hit lengths and types.
    server.Set(mutate(ReadStream(), round % 3 == 0 ? 10'000 : 60));
    const auto bytes = ReadBlock(server, 0, 700);
    refused += bytes ? 0 : 1;
    if (bytes) {
      EXPECT_EQ(*bytes, File()) << round;
    }
  }
  EXPECT_GT(refused, 1000);
}

// A NameNode with the test server as its only DataNode.
class RawNameNode : public FakeNameNode {
 public:
  RawNameNode(SharedState& shared, std::vector<std::unique_ptr<FakeDataNode>>& none, const RawServer& server)
      : FakeNameNode(shared, none, 1), server_(server) {}
  Result<LocatedBlock> AddBlock(const OpenFile&, const std::optional<Block>&, const DataNodes& excluded) override {
    if (!excluded.empty()) return Failed("there are no DataNodes");
    return BlockOn(server_);
  }
  Status AbandonBlock(const OpenFile&, const Block&) override { return {}; }

 private:
  const RawServer& server_;
};

Status WriteBlock(const RawServer& server) {
  SharedState shared;
  std::vector<std::unique_ptr<FakeDataNode>> none;
  const auto name_node = std::make_shared<RawNameNode>(shared, none, server);
  FileWriter writer(name_node, std::make_shared<DataNodeConnector>(name_node, TransferOptions()), {"/x", "me", 1},
                    1 << 20);
  HOWDAH_TRY_STATUS(writer.Write(File()));
  HOWDAH_TRY_STATUS(writer.Flush());
  return writer.Close();
}

TEST(Golden, MutatedAnswersToWriterAreSafe) {
  RawServer server;
  Mutations mutate;
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    server.Set(mutate(Bytes(kAcks), 100));
    refused += WriteBlock(server).ok() ? 0 : 1;
  }
  EXPECT_GT(refused, 500);
}

TEST(Golden, MutatedLengthPrefixesStayWithinLimits) {
  Mutations mutate;
  const std::string seed = Bytes(kPacketHeadBytes);
  for (int round = 0; round < 5000; ++round) {
    const std::string bytes = mutate(seed, seed.size());
    const auto extent = DelimitedExtent(bytes);
    if (extent && *extent) {
      EXPECT_LE((*extent)->size, size_t{1} << 20);
    }
    const auto prefix = ParsePacketPrefix(bytes);
    if (!prefix) continue;
    EXPECT_LE(prefix->body, size_t{16} << 20);
    const auto header = ParsePacketHeader(std::string_view(bytes).substr(PacketPrefix::kSize, prefix->header), *prefix);
    if (header) {
      EXPECT_LE(header->data, prefix->body);
    }
  }
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
