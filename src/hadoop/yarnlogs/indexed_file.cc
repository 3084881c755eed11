#include "indexed_file.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "block_stream.h"
#include "decoder.h"
#include "java_object.h"

namespace howdah::hadoop::yarnlogs {
namespace {

constexpr int64_t kMark = 32;  // size of the SHA-256 of the application id, which ends the file and each index
constexpr int64_t kLogTail = 4 + kMark;
constexpr int64_t kLogIndexMax = int64_t{64} << 20;
constexpr size_t kLogPiece = size_t{256} << 10;

Error IndexDamaged(const std::string& what) { return Failed("the IndexedFile is damaged: " + what); }

struct LogIndex {
  Compression compression = Compression::kNone;
  std::vector<LogEntry> entries;
};

Result<std::string> ReadIndexBytes(const Source& source) {
  if (source.size < kMark + kLogTail) return IndexDamaged("it is too short");
  HOWDAH_TRY(const auto mark, source.read(0, static_cast<size_t>(kMark)));
  HOWDAH_TRY(const auto tail, source.read(source.size - kLogTail, static_cast<size_t>(kLogTail)));
  Decoder in(tail);
  const int32_t size = in.I32();
  if (in.Bytes(kMark) != mark) {
    return IndexDamaged(
        "its end does not match its beginning; the upload was interrupted, or it is not a file of aggregated logs");
  }
  if (size < 0 || size > source.size - kMark - kLogTail) return IndexDamaged("its index begins before the file");
  if (size > kLogIndexMax) return Failed("the index of the IndexedFile is too large");
  return source.read(source.size - kLogTail - size, static_cast<size_t>(size));
}

const JavaNode* ObjectOf(const JavaTree& tree, const JavaValue& value) {
  const JavaNode* node = tree.Node(value);
  return node != nullptr && node->kind == JavaNode::Kind::kObject ? node : nullptr;
}

// Converts an IndexedFileLogMeta to a LogEntry.
Result<LogEntry> EntryOf(const JavaTree& tree, const JavaNode& meta) {
  LogEntry entry;
  entry.container = tree.Text(tree.Field(meta, "containerId"));
  entry.name = tree.Text(tree.Field(meta, "fileName"));
  entry.length = tree.Field(meta, "fileSize").number;
  entry.position.offset = tree.Field(meta, "startIndex").number;
  entry.position.size = tree.Field(meta, "fileCompressedSize").number;
  if (entry.container.empty() || entry.name.empty()) return IndexDamaged("a log has no name");
  if (entry.length < 0) return IndexDamaged("the length of a log is negative");
  return entry;
}

// Limits the items that are read from an index. Objects in it may refer to each other, so a few kilobytes could list
// billions of logs.
class ItemLimit {
 public:
  // Allows as many items as the index has bytes, because each item that is listed once takes at least one byte.
  explicit ItemLimit(size_t index_bytes) : left_(index_bytes) {}

  Status Take() {
    if (left_ == 0) return IndexDamaged("it lists the same logs many times");
    --left_;
    return {};
  }

 private:
  size_t left_;
};

// Adds the logs of one upload. An upload is an IndexedPerAggregationLogMeta, which maps containers to lists of logs.
Status AddUpload(const JavaTree& tree, const JavaNode& upload, ItemLimit& limit, std::vector<LogEntry>& entries) {
  const JavaNode* map = ObjectOf(tree, tree.Field(upload, "logMetas"));
  if (map == nullptr) return IndexDamaged("its index is invalid");
  for (const JavaValue& value : map->items) {
    HOWDAH_TRY_STATUS(limit.Take());
    const JavaNode* list = ObjectOf(tree, value);
    if (list == nullptr) continue;  // a key of the map, not a list
    for (const JavaValue& item : list->items) {
      HOWDAH_TRY_STATUS(limit.Take());
      const JavaNode* meta = ObjectOf(tree, item);
      if (meta == nullptr) return IndexDamaged("its index is invalid");
      HOWDAH_TRY(auto entry, EntryOf(tree, *meta));
      entries.push_back(std::move(entry));
    }
  }
  return {};
}

Result<LogIndex> ReadLogIndex(const Source& source) {
  HOWDAH_TRY(const auto bytes, ReadIndexBytes(source));
  const Result<JavaTree> tree = ReadJavaObject(bytes);
  if (!tree.ok()) return IndexDamaged(tree.error().message);
  const JavaNode* root = ObjectOf(*tree, tree->root);
  if (root == nullptr) return IndexDamaged("its index is invalid");
  HOWDAH_TRY(const auto compression, CompressionOf(tree->Text(tree->Field(*root, "compressName"))));
  const JavaNode* uploads = ObjectOf(*tree, tree->Field(*root, "logMetas"));
  if (uploads == nullptr) return IndexDamaged("its index is invalid");
  LogIndex index{compression, {}};
  ItemLimit limit(bytes.size());
  for (const JavaValue& value : uploads->items) {
    HOWDAH_TRY_STATUS(limit.Take());
    const JavaNode* upload = ObjectOf(*tree, value);
    if (upload == nullptr) return IndexDamaged("its index is invalid");
    HOWDAH_TRY_STATUS(AddUpload(*tree, *upload, limit, index.entries));
  }
  std::stable_sort(index.entries.begin(), index.entries.end(), [](const LogEntry& a, const LogEntry& b) {
    return std::tie(a.container, a.name) < std::tie(b.container, b.name);
  });
  return index;
}

class RegionStream : public LogStream {
 public:
  RegionStream(std::unique_ptr<BlockStream> block, int64_t left) : block_(std::move(block)), left_(left) {}

  Result<std::string> Next() override {
    if (left_ <= 0) return std::string();
    Result<std::string> bytes = block_->Read(static_cast<size_t>(std::min<int64_t>(left_, kLogPiece)));
    if (bytes.ok()) left_ -= static_cast<int64_t>(bytes->size());
    return bytes;
  }

 private:
  std::unique_ptr<BlockStream> block_;
  int64_t left_;
};

class IndexedFile : public AggregatedLog {
 public:
  IndexedFile(Source source, LogIndex index) : source_(std::move(source)), index_(std::move(index)) {}

  Result<std::vector<LogEntry>> List(std::string_view container) override {
    std::vector<LogEntry> entries;
    for (const LogEntry& entry : index_.entries) {
      if (container.empty() || entry.container == container) entries.push_back(entry);
    }
    return entries;
  }

  Result<std::unique_ptr<LogStream>> Read(const LogEntry& entry, int64_t from) override {
    HOWDAH_TRY(auto block,
               BlockStream::Open(source_, {entry.position.offset, entry.position.size}, index_.compression));
    const int64_t skipped = std::clamp<int64_t>(from, 0, entry.length);
    HOWDAH_TRY_STATUS(block->Skip(skipped));
    return std::unique_ptr<LogStream>(new RegionStream(std::move(block), entry.length - skipped));
  }

 private:
  Source source_;
  LogIndex index_;
};

}  // namespace

Result<std::unique_ptr<AggregatedLog>> OpenIndexedFile(Source source) {
  HOWDAH_TRY(auto index, ReadLogIndex(source));
  return std::unique_ptr<AggregatedLog>(std::make_unique<IndexedFile>(std::move(source), std::move(index)));
}

}  // namespace howdah::hadoop::yarnlogs
