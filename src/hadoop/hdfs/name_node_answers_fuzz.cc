// Fuzzed input: answers of the NameNode. The first byte selects the answer: the locations of a file's blocks, or the
// listing of a directory.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "file_reader.h"
#include "hdfs_file_system.h"

namespace howdah::hadoop::hdfs {
namespace {

namespace pb = ::hadoop::hdfs;

// Answers only the calls of a reader.
class NameNodeOfInput final : public NameNode {
 public:
  NameNodeOfInput(pb::LocatedBlocksProto blocks, int64_t visible) : blocks_(std::move(blocks)), visible_(visible) {}
  Result<pb::LocatedBlocksProto> BlockLocations(const std::string&) override { return blocks_; }
  Result<int64_t> VisibleLength(const LocatedBlock&) override { return visible_; }
  Result<std::optional<pb::DataEncryptionKeyProto>> DataEncryptionKey() override {
    return std::optional<pb::DataEncryptionKeyProto>();
  }

  Result<LocatedBlock> AddBlock(const OpenFile&, const std::optional<Block>&, const DataNodes&) override {
    return Failed("not a reader's call");
  }
  Status AbandonBlock(const OpenFile&, const Block&) override { return Failed("not a reader's call"); }
  Result<LocatedBlock> UpdateBlockForPipeline(const OpenFile&, const Block&) override {
    return Failed("not a reader's call");
  }
  Status UpdatePipeline(const OpenFile&, const Block&, const Block&, const LocatedBlock&) override {
    return Failed("not a reader's call");
  }
  Status Complete(const OpenFile&, const std::optional<Block>&) override { return Failed("not a reader's call"); }
  Status PersistBlocks(const OpenFile&) override { return Failed("not a reader's call"); }
  Status RenewLease(const std::string&) override { return Failed("not a reader's call"); }
  Status Delete(const std::string&, bool) override { return Failed("not a reader's call"); }
  Result<uint64_t> FileId(const std::string&) override { return Failed("not a reader's call"); }

 private:
  pb::LocatedBlocksProto blocks_;
  int64_t visible_;
};

void OpenFileOf(const pb::LocatedBlocksProto& blocks) {
  // The visible length is a number of a DataNode.
  const int64_t visible = blocks.blocks_size() > 0 ? static_cast<int64_t>(blocks.blocks(0).offset()) : 7;
  const auto reader = FileReader::Open(std::make_shared<NameNodeOfInput>(blocks, visible), nullptr, nullptr, "/a");
  if (!reader.ok()) return;
  const int64_t size = (*reader)->size();
  if (size < 0) __builtin_trap();
  for (const int64_t offset : {size / 2, size}) {
    if (!(*reader)->Seek(offset).ok()) __builtin_trap();
  }
  if (const auto end = (*reader)->Read(1); !end.ok() || !end->empty()) __builtin_trap();
}

// RemoteNameNode refuses answers without all required fields.
template <typename Message>
bool Parse(std::string_view bytes, Message& message) {
  return message.ParsePartialFromArray(bytes.data(), static_cast<int>(bytes.size())) && message.IsInitialized();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  pb::LocatedBlocksProto blocks;
  pb::DirectoryListingProto listing;
  if (data[0] % 2 == 0 && Parse(bytes, blocks)) {
    OpenFileOf(blocks);
  } else if (data[0] % 2 == 1 && Parse(bytes, listing)) {
    std::vector<FileStatus> entries;
    if (!AppendEntries(listing, "/user/ann/file", entries).ok()) return 0;
    for (const FileStatus& entry : entries) {
      if (entry.name.empty() || entry.name.find('/') != std::string::npos) __builtin_trap();
    }
  }
  return 0;
}

}  // namespace howdah::hadoop::hdfs
