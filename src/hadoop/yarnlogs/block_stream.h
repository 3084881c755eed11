// Reads a region of a file as a decompressed stream, and a value that is stored in such a stream as chunks.
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

// Parses the name of a compression (io.file.tfile.Compression): "none" or "gz" (zlib format). For other names, returns
// an error that contains the name.
Result<Compression> CompressionOf(std::string_view name);

// The position of a block in a file.
struct Region {
  int64_t offset = 0;
  int64_t size = 0;  // number of (compressed) bytes in the file
};

class BlockStream {
 public:
  // `source` must live longer than the stream. Returns an error if the region is not within the file.
  static Result<std::unique_ptr<BlockStream>> Open(const Source& source, Region region, Compression compression);
  virtual ~BlockStream() = default;
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;

  // Returns between one and `max` bytes, or an empty string at the end.
  Result<std::string> Read(size_t max);
  // Returns exactly `size` bytes, or an error if fewer are left. Intended for small sizes.
  Result<std::string> ReadExactly(size_t size);
  // Returns an error if fewer than `size` bytes are left.
  Status Skip(int64_t size);
  Result<bool> AtEnd();
  // Reads an integer in the variable-length encoding of TFile.
  Result<int64_t> ReadVLong();
  // The number of bytes read or skipped.
  int64_t position() const { return position_; }

 protected:
  BlockStream() = default;
  // Returns the next decompressed bytes, or an empty string at the end.
  virtual Result<std::string> Fill() = 0;
  // Skips up to `size` bytes that have not been read from the file, if skipping is cheaper than reading them. Returns
  // the number of skipped bytes.
  virtual int64_t SkipUnread(int64_t size) = 0;

 private:
  Status Ensure();

  std::string buffer_;
  size_t used_ = 0;  // number of consumed bytes in buffer_
  int64_t position_ = 0;
};

// A value in a TFile, which is stored as chunks. Each chunk is preceded by its length, which is negative except for the
// last chunk (io.file.tfile.Chunk).
class ChunkStream {
 public:
  explicit ChunkStream(BlockStream& block) : block_(block) {}
  // Starts in the middle of a chunk of which `left` bytes remain.
  ChunkStream(BlockStream& block, int64_t left, bool last) : block_(block), left_(left), last_(last) {}

  Result<std::string> Read(size_t max);  // as in BlockStream
  Result<std::string> ReadExactly(size_t size);
  // Skips up to `size` bytes and returns the number skipped.
  Result<int64_t> SkipUpTo(int64_t size);
  Result<bool> AtEnd();
  int64_t left() const { return left_; }
  bool last() const { return last_; }

 private:
  // Sets left_ to the size of the next chunk that is not empty, or to 0 at the end.
  Status NextChunk();

  BlockStream& block_;
  int64_t left_ = 0;
  bool last_ = false;
};

}  // namespace howdah::hadoop::yarnlogs
