// A part of a file as a stream, taken out of its compression; and the chunks within such a stream.
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

// By Hadoop's name of it (io.file.tfile.Compression): "none", "gz" (which is zlib's format); others are refused by
// name.
Result<Compression> CompressionOf(std::string_view name);

// Where a block lies in a file.
struct Region {
  int64_t offset = 0;
  int64_t size = 0;  // as it is in the file, compressed
};

class BlockStream {
 public:
  // `source` must outlive it. An error: the region does not lie within the file.
  static Result<std::unique_ptr<BlockStream>> Open(const Source& source, Region region, Compression compression);
  virtual ~BlockStream() = default;
  BlockStream(const BlockStream&) = delete;
  BlockStream& operator=(const BlockStream&) = delete;

  // Up to `max` bytes, at least one; empty: the end.
  Result<std::string> Read(size_t max);
  // Exactly `size` bytes; an error if there are fewer. For what is small.
  Result<std::string> ReadExactly(size_t size);
  // An error if there are fewer bytes.
  Status Skip(int64_t size);
  Result<bool> AtEnd();
  // A variable-length integer of TFile.
  Result<int64_t> ReadVLong();
  // How many bytes have been read or skipped.
  int64_t position() const { return position_; }

 protected:
  BlockStream() = default;
  // More bytes; empty: the end.
  virtual Result<std::string> Fill() = 0;
  // Leaves out up to `size` bytes that have not been filled in, if that is cheaper than to read them: how many.
  virtual int64_t Leap(int64_t size) = 0;

 private:
  Status Ensure();

  std::string buffer_;
  size_t used_ = 0;  // of buffer_
  int64_t position_ = 0;
};

// A value of a TFile: chunks, each with its length before it, negative but for the last one (io.file.tfile.Chunk).
class ChunkStream {
 public:
  explicit ChunkStream(BlockStream& block) : block_(block) {}
  // Goes on within a chunk of which `left` bytes are left.
  ChunkStream(BlockStream& block, int64_t left, bool last) : block_(block), left_(left), last_(last) {}

  Result<std::string> Read(size_t max);  // as of BlockStream
  Result<std::string> ReadExactly(size_t size);
  // As much as there is of `size` bytes: how many.
  Result<int64_t> SkipUpTo(int64_t size);
  Result<bool> AtEnd();
  int64_t left() const { return left_; }
  bool last() const { return last_; }

 private:
  // Makes left_ the bytes that are left of a chunk that has some; 0: the end.
  Status NextChunk();

  BlockStream& block_;
  int64_t left_ = 0;
  bool last_ = false;
};

}  // namespace howdah::hadoop::yarnlogs
