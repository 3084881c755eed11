// A region of a file as a decompressed stream, and the chunks within such a stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/hadoop/yarnlogs/aggregated_log.h"

namespace howdah::hadoop::yarnlogs {

enum class Compression { kNone, kZlib };

// By Hadoop's name (io.file.tfile.Compression): "none" or "gz" (zlib format). Others are an error with the name.
Result<Compression> CompressionOf(std::string_view name);

// The position of a block in a file.
struct Region {
  int64_t offset = 0;
  int64_t size = 0;  // in the file, compressed
};

class BlockStream {
 public:
  // `source` must outlive the stream. An error: the region is not within the file.
  static Result<std::unique_ptr<BlockStream>> Open(const Source& source, Region region, Compression compression);
  virtual ~BlockStream() = default;
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;

  // Returns up to `max` bytes, at least one; empty: the end.
  Result<std::string> Read(size_t max);
  // Returns exactly `size` bytes; an error if there are fewer. For small sizes.
  Result<std::string> ReadExactly(size_t size);
  // An error if there are fewer bytes.
  Status Skip(int64_t size);
  Result<bool> AtEnd();
  // Reads a variable-length integer of TFile.
  Result<int64_t> ReadVLong();
  // The number of bytes read or skipped.
  int64_t position() const { return position_; }

 protected:
  BlockStream() = default;
  // Returns more bytes; empty: the end.
  virtual Result<std::string> Fill() = 0;
  // Skips up to `size` bytes that have not been read, if that is cheaper than reading them. Returns the number skipped.
  virtual int64_t SkipUnread(int64_t size) = 0;

 private:
  Status Ensure();

  std::string buffer_;
  size_t used_ = 0;  // consumed bytes of buffer_
  int64_t position_ = 0;
};

// A value in a TFile: chunks with their lengths in front, negative except for the last (io.file.tfile.Chunk).
class ChunkStream {
 public:
  explicit ChunkStream(BlockStream& block) : block_(block) {}
  // Continues within a chunk that has `left` bytes left.
  ChunkStream(BlockStream& block, int64_t left, bool last) : block_(block), left_(left), last_(last) {}

  Result<std::string> Read(size_t max);  // as in BlockStream
  Result<std::string> ReadExactly(size_t size);
  // Skips up to `size` bytes and returns the number skipped.
  Result<int64_t> SkipUpTo(int64_t size);
  Result<bool> AtEnd();
  int64_t left() const { return left_; }
  bool last() const { return last_; }

 private:
  // Sets left_ to the size of the next chunk that is not empty; 0: the end.
  Status NextChunk();

  BlockStream& block_;
  int64_t left_ = 0;
  bool last_ = false;
};

}  // namespace howdah::hadoop::yarnlogs
