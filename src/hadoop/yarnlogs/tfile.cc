#include "tfile.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "block_stream.h"
#include "decoder.h"
#include "howdah/base/number.h"

namespace howdah::hadoop::yarnlogs {
namespace {

constexpr int64_t kTail = 8 + 4 + 16;  // size of the end of the file: position of the meta index, version, magic
constexpr int64_t kMetaIndexMax = int64_t{1} << 20;
constexpr int64_t kIndexMax = int64_t{64} << 20;
constexpr int64_t kKeyMax = int64_t{64} << 10;
constexpr size_t kPiece = size_t{256} << 10;
// Limits the memory of a list, because a compressed block of a few kilobytes can list many logs.
constexpr size_t kListMax = size_t{64} << 20;

Error Damaged(const std::string& what) { return Failed("the TFile is damaged: " + what); }

struct MetaBlock {
  Region region;
  Compression compression = Compression::kNone;
};

struct Block {
  Region region;
  std::string only_key;  // the key, if the block has exactly one
};

struct Index {
  Compression compression = Compression::kNone;
  std::vector<Block> blocks;
};

Region ReadRegion(Decoder& in) {
  Region region;
  region.offset = in.VLong();
  region.size = in.VLong();
  in.VLong();  // skip the decompressed size: it is wrong from 2 GiB on
  return region;
}

Result<std::map<std::string, MetaBlock>> ReadMetaIndex(const Source& source) {
  if (source.size < kTail + static_cast<int64_t>(kTFileMagic.size())) return Damaged("it is too short");
  HOWDAH_TRY(const auto tail, source.read(source.size - kTail, static_cast<size_t>(kTail)));
  Decoder end(tail);
  const int64_t index_offset = end.I64();
  const uint16_t major = end.U16();
  end.U16();
  if (end.Bytes(static_cast<int64_t>(kTFileMagic.size())) != kTFileMagic) {
    return Damaged("its end is missing; the upload was interrupted");
  }
  if (major != 1) return Failed("the TFile is of version " + std::to_string(major) + "; only version 1 is supported");
  if (index_offset < 0 || index_offset > source.size - kTail) return Damaged("its index is beyond its end");
  const int64_t size = source.size - kTail - index_offset;
  if (size > kMetaIndexMax) return Damaged("its index is too large");
  HOWDAH_TRY(const auto bytes, source.read(index_offset, static_cast<size_t>(size)));
  Decoder in(bytes);
  std::map<std::string, MetaBlock> blocks;
  for (int64_t count = in.VLong(); count > 0 && in.ok(); --count) {
    const std::string name = in.String();
    const Result<Compression> compression = CompressionOf(in.String());
    const Region region = ReadRegion(in);
    if (!in.ok()) break;
    if (!compression.ok()) return compression.error();
    blocks[name] = {region, *compression};
  }
  if (!in.ok()) return Damaged("its index ends early");
  return blocks;
}

Result<std::string> ReadMetaBlock(const Source& source, const std::map<std::string, MetaBlock>& blocks,
                                  const std::string& name) {
  const auto found = blocks.find("data:" + name);
  if (found == blocks.end()) return Damaged("it has no " + name);
  HOWDAH_TRY(auto stream, BlockStream::Open(source, found->second.region, found->second.compression));
  std::string bytes;
  for (;;) {
    HOWDAH_TRY(auto more, stream->Read(kPiece));
    if (more.empty()) return bytes;
    bytes += more;
    if (static_cast<int64_t>(bytes.size()) > kIndexMax) return Failed("the index of the TFile is too large");
  }
}

// Returns the text of a key that is in the format of writeUTF, or nullopt if the key is invalid.
std::optional<std::string> TextOfKey(std::string_view key) {
  Decoder in(key);
  std::string text = in.Utf();
  return in.ok() && in.left() == 0 ? std::optional(std::move(text)) : std::nullopt;
}

// Finds the blocks that have a single key in a TFile.TFileIndex. The index has the first key of the file, and for each
// block its last key and its number of keys.
Status ReadKeys(std::string_view bytes, std::vector<Block>& blocks) {
  Decoder in(bytes);
  in.String();
  for (Block& block : blocks) {
    Decoder entry(in.Bytes(in.VLong()));
    const std::string key = entry.String();
    const int64_t count = entry.VLong();
    if (!in.ok() || !entry.ok()) return Damaged("the index of its keys ends early");
    if (count == 1) block.only_key = TextOfKey(key).value_or("");
  }
  return {};
}

Result<Index> ReadIndex(const Source& source) {
  HOWDAH_TRY(const auto meta, ReadMetaIndex(source));
  HOWDAH_TRY(const auto regions, ReadMetaBlock(source, meta, "BCFile.index"));
  Decoder in(regions);
  HOWDAH_TRY(const auto compression, CompressionOf(in.String()));
  Index index{compression, {}};
  // Limits the total size of the blocks: otherwise, a few kilobytes of index could list one large block many times.
  int64_t left = source.size;
  for (int64_t count = in.VLong(); count > 0 && in.ok(); --count) {
    const Region region = ReadRegion(in);
    if (region.size < 0 || region.size > left) return Damaged("its blocks overlap");
    left -= region.size;
    index.blocks.push_back({region, ""});
  }
  if (!in.ok()) return Damaged("the index of its blocks ends early");
  HOWDAH_TRY(const auto keys, ReadMetaBlock(source, meta, "TFile.index"));
  HOWDAH_TRY_STATUS(ReadKeys(keys, index.blocks));
  return index;
}

class ValueStream : public LogStream {
 public:
  ValueStream(std::unique_ptr<BlockStream> block, const LogEntry::Position& at, int64_t left)
      : block_(std::move(block)), chunks_(*block_, at.size, at.last), left_(left) {}

  Status Skip(int64_t size) {
    if (const auto skipped = chunks_.SkipUpTo(size); !skipped.ok()) return skipped.error();
    left_ -= size;
    return {};
  }

  Result<std::string> Next() override {
    if (left_ <= 0) return std::string();
    Result<std::string> bytes = chunks_.Read(static_cast<size_t>(std::min<int64_t>(left_, kPiece)));
    if (bytes.ok()) left_ -= static_cast<int64_t>(bytes->size());
    return bytes;
  }

 private:
  std::unique_ptr<BlockStream> block_;
  ChunkStream chunks_;
  int64_t left_;
};

class TFile : public AggregatedLog {
 public:
  TFile(Source source, Index index) : source_(std::move(source)), index_(std::move(index)) {}

  Result<std::vector<LogEntry>> List(std::string_view container) override;
  Result<std::unique_ptr<LogStream>> Read(const LogEntry& entry, int64_t from) override;

 private:
  Status ListBlock(size_t number, std::string_view wanted, size_t& left, std::vector<LogEntry>& entries);

  Source source_;
  Index index_;
  std::map<std::string, std::vector<LogEntry>, std::less<>> listed_;  // by container
};

// Lists the log files in an AggregatedLogFormat.LogValue. Each one consists of its name and its length in decimal, both
// in the format of writeUTF, and then its bytes. `left` is the memory that further entries may still occupy.
Status ListValue(const std::string& container, size_t block_number, BlockStream& block, ChunkStream& value,
                 size_t& left, std::vector<LogEntry>& entries) {
  const auto text = [&value]() -> Result<std::string> {
    HOWDAH_TRY(const auto length, value.ReadExactly(2));
    return value.ReadExactly(Decoder(length).U16());
  };
  for (;;) {
    HOWDAH_TRY(const auto at_end, value.AtEnd());
    if (at_end) return {};
    HOWDAH_TRY(const auto name, text());
    HOWDAH_TRY(const auto digits, text());
    const auto length = ParseNumber<int64_t>(digits);
    if (!length || *length < 0) return Damaged("the length of a log is not a number");
    LogEntry entry{container, name, *length, {}};
    entry.position = {static_cast<int64_t>(block_number), block.position(), value.left(), value.last()};
    HOWDAH_TRY(const auto skipped, value.SkipUpTo(entry.length));
    entry.length = skipped;
    const size_t size = sizeof entry + entry.container.size() + entry.name.size();
    if (size > left) return Failed("the TFile lists too many logs");
    left -= size;
    entries.push_back(std::move(entry));
  }
}

Status TFile::ListBlock(size_t number, std::string_view wanted, size_t& left, std::vector<LogEntry>& entries) {
  HOWDAH_TRY(auto block, BlockStream::Open(source_, index_.blocks[number].region, index_.compression));
  for (;;) {
    HOWDAH_TRY(const auto at_end, block->AtEnd());
    if (at_end) return {};
    HOWDAH_TRY(const auto length, block->ReadVLong());
    if (length < 0 || length > kKeyMax) return Damaged("invalid length of a key");
    HOWDAH_TRY(const auto bytes, block->ReadExactly(static_cast<size_t>(length)));
    const std::optional<std::string> key = TextOfKey(bytes);
    if (!key) return Damaged("a key is not text");
    ChunkStream value(*block);
    const bool about_all = *key == "VERSION" || *key == "APPLICATION_OWNER" || *key == "APPLICATION_ACL";
    if (!about_all && (wanted.empty() || *key == wanted)) {
      HOWDAH_TRY_STATUS(ListValue(*key, number, *block, value, left, entries));
    } else if (const Result<int64_t> skipped = value.SkipUpTo(INT64_MAX); !skipped.ok()) {
      return skipped.error();
    }
  }
}

Result<std::vector<LogEntry>> TFile::List(std::string_view container) {
  if (const auto found = listed_.find(container); found != listed_.end()) return found->second;
  std::vector<LogEntry> entries;
  size_t left = kListMax;
  for (size_t i = 0; i < index_.blocks.size(); ++i) {
    const std::string& only = index_.blocks[i].only_key;
    if (!container.empty() && !only.empty() && only != container) continue;
    HOWDAH_TRY_STATUS(ListBlock(i, container, left, entries));
  }
  listed_.emplace(container, entries);
  return entries;
}

Result<std::unique_ptr<LogStream>> TFile::Read(const LogEntry& entry, int64_t from) {
  const LogEntry::Position& at = entry.position;
  if (at.block < 0 || static_cast<uint64_t>(at.block) >= index_.blocks.size()) {
    return Failed("reading " + entry.name + ": not an entry of this file");
  }
  HOWDAH_TRY(auto block,
             BlockStream::Open(source_, index_.blocks[static_cast<size_t>(at.block)].region, index_.compression));
  HOWDAH_TRY_STATUS(block->Skip(at.offset));
  auto stream = std::make_unique<ValueStream>(std::move(block), at, entry.length);
  HOWDAH_TRY_STATUS(stream->Skip(std::clamp<int64_t>(from, 0, entry.length)));
  return std::unique_ptr<LogStream>(std::move(stream));
}

}  // namespace

Result<std::unique_ptr<AggregatedLog>> OpenTFile(Source source) {
  HOWDAH_TRY(auto index, ReadIndex(source));
  return std::unique_ptr<AggregatedLog>(std::make_unique<TFile>(std::move(source), std::move(index)));
}

}  // namespace howdah::hadoop::yarnlogs
