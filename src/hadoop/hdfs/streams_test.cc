// Writing and reading while DataNodes fail.
#include <gmock/gmock.h>

#include "fake_cluster.h"
#include "file_reader.h"
#include "file_writer.h"

namespace howdah::hadoop::hdfs {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Content(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + i / 257);
  return bytes;
}

class Streams : public ::testing::Test {
 protected:
  void Make(int nodes, int replicas) {
    for (int i = 0; i < nodes; ++i) {
      nodes_.push_back(std::make_unique<FakeDataNode>(shared_, "dn" + std::to_string(i)));
    }
    name_node_ = std::make_shared<FakeNameNode>(shared_, nodes_, replicas);
    options_.silence = std::chrono::seconds(30);
  }
  std::shared_ptr<DataNodeConnector> Connector() { return std::make_shared<DataNodeConnector>(name_node_, options_); }
  std::unique_ptr<FileWriter> Create() {
    return std::make_unique<FileWriter>(name_node_, Connector(), OpenFile{"/x", "me", 7}, kBlock);
  }
  Status Write(const std::string& bytes) {
    const auto writer = Create();
    HOWDAH_TRY_STATUS(writer->Write(bytes));
    return writer->Close();
  }
  std::string ReadAll(int64_t from = 0) {
    auto reader = FileReader::Open(name_node_, Connector(), nullptr, "/x");
    if (!reader) return reader.error().message;
    if (const Status sought = (*reader)->Seek(from); !sought.ok()) return sought.error().message;
    std::string all;
    for (;;) {
      const auto piece = (*reader)->Read(10'000);
      if (!piece) return piece.error().message;
      if (piece->empty()) return all;
      all += *piece;
    }
  }

  static constexpr int64_t kBlock = 1000 * kChunk;
  const std::string bytes_ = Content(2500 * kChunk + 100);  // two full blocks and a third, shorter block
  SharedState shared_;
  std::vector<std::unique_ptr<FakeDataNode>> nodes_;
  std::shared_ptr<FakeNameNode> name_node_;
  TransferOptions options_;
};

TEST_F(Streams, BlocksAreWrittenInOrder) {
  Make(2, 2);
  const Status written = Write(bytes_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(name_node_->Content(), bytes_);
  EXPECT_THAT(name_node_->lengths(), ElementsAre(kBlock, kBlock, bytes_.size() - 2 * kBlock));
  EXPECT_EQ(shared_.Count("dn0 PIPELINE_SETUP_CREATE"), 3);
  EXPECT_EQ(shared_.Count("delete"), 0);
  EXPECT_EQ(ReadAll(), bytes_);
  EXPECT_TRUE(
      shared_.Eventually([this] { return std::ranges::count(shared_.events, "dn0 received CHECKSUM_OK") == 3; }));
  EXPECT_EQ(ReadAll(kBlock + 777), bytes_.substr(kBlock + 777));
  EXPECT_EQ(ReadAll(static_cast<int64_t>(bytes_.size())), "");
}

TEST_F(Streams, InvalidLengthsOfBlocksAreRefused) {
  Make(1, 1);
  ASSERT_TRUE(Write(bytes_).ok());
  for (const uint64_t length : {uint64_t{INT64_MAX}, uint64_t{1} << 63, UINT64_MAX}) {
    name_node_->length_of_second = length;
    EXPECT_THAT(ReadAll(), HasSubstr("has the invalid length")) << length;
  }
}

TEST_F(Streams, EmptyFileHasNoBlock) {
  Make(1, 1);
  ASSERT_TRUE(Write("").ok());
  EXPECT_EQ(shared_.Count("add"), 0);
  EXPECT_EQ(shared_.Count("complete"), 1);
}

TEST_F(Streams, BlockContinuesAfterFirstDataNodeFails) {
  Make(3, 3);
  nodes_[0]->faults.packets = 3;
  const Status written = Write(bytes_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(name_node_->Content(), bytes_);
  EXPECT_EQ(shared_.Count("dn1 PIPELINE_SETUP_STREAMING_RECOVERY gs1001"), 1);
  EXPECT_EQ(shared_.Count("pipeline gs1000 gs1001 dn1/s-dn1 dn2/s-dn2"), 1);
  EXPECT_EQ(shared_.Count("dn0 "), 1) << "it is not used again";
}

TEST_F(Streams, BlockContinuesAfterLaterDataNodeFails) {
  Make(3, 3);
  nodes_[0]->faults.packets = 5;
  nodes_[0]->faults.reports_failure_of = 1;
  const Status written = Write(bytes_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(name_node_->Content(), bytes_);
  EXPECT_EQ(shared_.Count("pipeline gs1000 gs1001 dn0/s-dn0 dn2/s-dn2"), 1);
}

TEST_F(Streams, BlockContinuesAfterTwoDataNodesFail) {
  Make(3, 3);
  nodes_[0]->faults.packets = 2;
  nodes_[1]->faults.packets = 2;
  const Status written = Write(bytes_);
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(name_node_->Content(), bytes_);
  EXPECT_EQ(shared_.Count("pipeline gs1001 gs1002 dn2/s-dn2"), 1);
}

TEST_F(Streams, BlockIsClosedAfterDataNodeFailsAtItsEnd) {
  Make(2, 2);
  nodes_[0]->faults.dies_at_end = true;
  const Status written = Write(bytes_.substr(0, 1000));
  ASSERT_TRUE(written.ok()) << written.error().message;
  EXPECT_EQ(name_node_->Content(), bytes_.substr(0, 1000));
  EXPECT_EQ(shared_.Count("dn1 PIPELINE_CLOSE_RECOVERY gs1001"), 1);
  EXPECT_THAT(name_node_->lengths(), ElementsAre(1000));
}

TEST_F(Streams, DataNodeThatRefusedBlockIsExcluded) {
  Make(3, 1);
  nodes_[0]->faults.refuses = true;
  ASSERT_TRUE(Write(bytes_).ok());
  EXPECT_EQ(name_node_->Content(), bytes_);
  EXPECT_EQ(shared_.Count("abandon"), 1);
  EXPECT_EQ(shared_.Count("dn0 "), 1);
}

TEST_F(Streams, FileIsRemovedIfAllDataNodesFail) {
  Make(2, 2);
  nodes_[0]->faults.packets = 2;
  nodes_[1]->faults.packets = 0;
  const Status written = Write(bytes_);
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message, HasSubstr("writing /x: every DataNode of a block has failed, the last was dn1"));
  EXPECT_EQ(shared_.Count("delete"), 1);
  EXPECT_EQ(shared_.Count("complete"), 0);
}

TEST_F(Streams, WriterDestroyedBeforeCloseDeletesFile) {
  Make(1, 1);
  auto writer = Create();
  ASSERT_TRUE(writer->Write(bytes_).ok());
  writer.reset();
  EXPECT_EQ(shared_.Count("delete"), 1);
}

// Another writer has created the path again, with CreateOptions::overwrite.
TEST_F(Streams, WriterOfAReplacedFileDeletesNothing) {
  Make(1, 1);
  auto writer = Create();
  ASSERT_TRUE(writer->Write(bytes_).ok());
  name_node_->file_id = 8;
  writer.reset();
  EXPECT_EQ(shared_.Count("delete"), 0);
}

TEST_F(Streams, IdleOpenFileIsKeptAlive) {
  Make(1, 1);
  options_.heartbeat = options_.lease = std::chrono::milliseconds(5);
  auto writer = Create();
  ASSERT_TRUE(writer->Write("hello").ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(name_node_->Content(), "hello");
  EXPECT_EQ(shared_.Count("persist"), 1);
  EXPECT_TRUE(shared_.Eventually([this] { return shared_.heartbeats >= 3; }));
  EXPECT_TRUE(shared_.Eventually([this] { return std::ranges::count(shared_.events, "lease") >= 3; }));
  ASSERT_TRUE(writer->Write(" world").ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(name_node_->Content(), "hello world");
  EXPECT_EQ(shared_.Count("persist"), 1);
  ASSERT_TRUE(writer->Close().ok());
  EXPECT_EQ(shared_.Count("add"), 1);
}

TEST_F(Streams, CorruptReplicaIsSkipped) {
  Make(3, 3);
  ASSERT_TRUE(Write(bytes_).ok());
  nodes_[0]->faults.corrupts = true;
  nodes_[1]->faults.refuses = true;
  EXPECT_EQ(ReadAll(), bytes_);
  EXPECT_EQ(shared_.Count("dn0 read"), 1);
  EXPECT_EQ(shared_.Count("dn1 read"), 1);
}

TEST_F(Streams, ErrorNamesAllCorruptReplicas) {
  Make(2, 2);
  ASSERT_TRUE(Write(bytes_).ok());
  nodes_[0]->faults.corrupts = true;
  nodes_[1]->faults.refuses = true;
  const std::string message = ReadAll().substr(0, 1000);
  EXPECT_THAT(message, HasSubstr("reading /x: no DataNode can provide the block at byte 4096; dn0"));
  EXPECT_THAT(message, HasSubstr("the checksum of the block's bytes from 7680 on is wrong"));
  EXPECT_THAT(message, HasSubstr("dn1"));
  EXPECT_THAT(message, HasSubstr("it refused the block: ERROR, it does not like it"));
  EXPECT_LE(shared_.Count("locate"), 2);
}

// Reads the file in parts of these sizes, from random offsets, as a user of columns does.
TEST_F(Streams, PartsAreReadIntoTheMemoryOfTheCaller) {
  Make(1, 1);
  ASSERT_TRUE(Write(bytes_).ok());
  auto reader = FileReader::Open(name_node_, Connector(), nullptr, "/x");
  ASSERT_TRUE(reader.ok());
  uint32_t random = 1;
  for (const size_t size : {size_t{1}, 3 * kChunk, 8 * kChunk, size_t{5000}, size_t{100'000}, size_t{700'001}}) {
    for (int round = 0; round < 8; ++round) {
      random = random * 1664525 + 1013904223;
      const size_t begin = random % (bytes_.size() + 1);
      const size_t end = std::min(bytes_.size(), begin + size);
      if (round % 2 == 0) (*reader)->ExpectUntil(static_cast<int64_t>(end));
      ASSERT_TRUE((*reader)->Seek(static_cast<int64_t>(begin)).ok());
      std::string read(end - begin, '\0');
      size_t filled = 0;
      while (filled < read.size()) {
        const auto count = (*reader)->ReadInto(read.data() + filled, read.size() - filled);
        ASSERT_TRUE(count.ok()) << count.error().message;
        ASSERT_GT(*count, 0u);
        filled += *count;
      }
      ASSERT_TRUE(read == bytes_.substr(begin, end - begin)) << size << " " << begin;
    }
  }
  ASSERT_TRUE((*reader)->Seek(static_cast<int64_t>(bytes_.size())).ok());
  char byte = 0;
  EXPECT_EQ(*(*reader)->ReadInto(&byte, 1), 0u);
}

TEST_F(Streams, CorruptReplicaIsSkippedWhenBytesAreReadIntoMemory) {
  Make(2, 2);
  ASSERT_TRUE(Write(bytes_).ok());
  nodes_[0]->faults.corrupts = true;
  auto reader = FileReader::Open(name_node_, Connector(), nullptr, "/x");
  ASSERT_TRUE(reader.ok());
  std::string read(bytes_.size(), '\0');
  for (size_t filled = 0; filled < read.size();) {
    const auto count = (*reader)->ReadInto(read.data() + filled, read.size() - filled);
    ASSERT_TRUE(count.ok()) << count.error().message;
    filled += *count;
  }
  EXPECT_TRUE(read == bytes_);
}

// The DataNode sends only the bytes up to the expected end, and then serves the next request on the same connection.
TEST_F(Streams, ExpectedPartsUseOneConnection) {
  Make(1, 1);
  ASSERT_TRUE(Write(bytes_).ok());
  const int before = shared_.Count("connection of dn0");
  const auto connector = Connector();
  for (int file = 0; file < 2; ++file) {
    auto reader = FileReader::Open(name_node_, connector, nullptr, "/x");
    ASSERT_TRUE(reader.ok());
    for (const int64_t begin : {int64_t{300}, int64_t{90'000}, int64_t{10}}) {
      (*reader)->ExpectUntil(begin + 7000);
      ASSERT_TRUE((*reader)->Seek(begin).ok());
      std::string read;
      while (read.size() < 7000) read += *(*reader)->Read(7000 - read.size());
      EXPECT_EQ(read, bytes_.substr(static_cast<size_t>(begin), 7000));
    }
  }
  EXPECT_EQ(shared_.Count("dn0 read 7000"), 6);
  EXPECT_EQ(shared_.Count("connection of dn0"), before + 1);
}

TEST_F(Streams, ReadingContinuesBehindTheExpectedEnd) {
  Make(1, 1);
  ASSERT_TRUE(Write(bytes_).ok());
  auto reader = FileReader::Open(name_node_, Connector(), nullptr, "/x");
  ASSERT_TRUE(reader.ok());
  (*reader)->ExpectUntil(1000);
  std::string all;
  while (all.size() < bytes_.size()) {
    const auto piece = (*reader)->Read(100'000);
    ASSERT_TRUE(piece.ok() && !piece->empty());
    all += *piece;
  }
  EXPECT_TRUE(all == bytes_);
}

TEST_F(Streams, ConnectionThatTheDataNodeHasClosedIsReplaced) {
  Make(1, 1);
  ASSERT_TRUE(Write(bytes_).ok());
  nodes_[0]->faults.closes = true;
  const auto connector = Connector();
  for (int round = 0; round < 20; ++round) {
    auto reader = FileReader::Open(name_node_, connector, nullptr, "/x");
    ASSERT_TRUE(reader.ok());
    (*reader)->ExpectUntil(1000);
    const auto piece = (*reader)->Read(1000);
    ASSERT_TRUE(piece.ok()) << piece.error().message;
    EXPECT_EQ(*piece, bytes_.substr(0, 1000));
  }
}

TEST_F(Streams, UnsupportedProtectionIsRefused) {
  Make(1, 1);
  options_.security.unsupported = "dfs.trustedchannel.resolver.class is x";
  const Status written = Write(bytes_);
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code, ErrorCode::kUnavailable);
  EXPECT_THAT(written.error().message, HasSubstr("dfs.trustedchannel.resolver.class is x"));
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
