#include "block_stream.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "decoder.h"

namespace howdah::hadoop::yarnlogs {
namespace {

// Sizes of reads: small at first and after a skip, because callers often need only a length.
constexpr size_t kReadMin = size_t{4} << 10;
constexpr size_t kReadMax = size_t{256} << 10;
constexpr size_t kInflated = size_t{64} << 10;

Error EndsEarly() { return Failed("the file is damaged: a block ends early"); }

// Reads the bytes of a region sequentially.
class RegionReader {
 public:
  RegionReader(const Source& source, Region region) : source_(source), region_(region) {}

  Result<std::string> Next() {
    const auto size = static_cast<size_t>(std::min<int64_t>(region_.size, static_cast<int64_t>(next_)));
    if (size == 0) return std::string();
    HOWDAH_TRY(auto bytes, source_.read(region_.offset, size));
    if (bytes.size() != size) return Failed("the file shrank while it was read");
    region_.offset += static_cast<int64_t>(size);
    region_.size -= static_cast<int64_t>(size);
    next_ = std::min(next_ * 4, kReadMax);
    return bytes;
  }

  int64_t SkipUnread(int64_t size) {
    const int64_t skipped = std::min(size, region_.size);
    region_.offset += skipped;
    region_.size -= skipped;
    next_ = kReadMin;
    return skipped;
  }

 private:
  const Source& source_;
  Region region_;
  size_t next_ = kReadMin;
};

class PlainStream : public BlockStream {
 public:
  PlainStream(const Source& source, Region region) : reader_(source, region) {}

 private:
  Result<std::string> Fill() override { return reader_.Next(); }
  int64_t SkipUnread(int64_t size) override { return reader_.SkipUnread(size); }

  RegionReader reader_;
};

class ZlibStream : public BlockStream {
 public:
  ZlibStream(const Source& source, Region region) : reader_(source, region) {
    std::memset(&zlib_, 0, sizeof zlib_);
    ready_ = inflateInit(&zlib_) == Z_OK;
  }
  ~ZlibStream() override {
    if (ready_) inflateEnd(&zlib_);
  }

 private:
  Result<std::string> Fill() override {
    if (!ready_) return Failed("out of memory for decompression");
    std::string out(kInflated, '\0');
    zlib_.next_out = reinterpret_cast<Bytef*>(out.data());
    zlib_.avail_out = static_cast<uInt>(out.size());
    while (zlib_.avail_out == out.size()) {
      if (zlib_.avail_in == 0) {
        HOWDAH_TRY(auto more, reader_.Next());
        if (more.empty()) return ended_ ? Result<std::string>(std::string()) : EndsEarly();
        input_ = std::move(more);
        zlib_.next_in = reinterpret_cast<Bytef*>(input_.data());
        zlib_.avail_in = static_cast<uInt>(input_.size());
      }
      // When Hadoop flushed the file, it ended a zlib stream and began another.
      if (ended_ && inflateReset(&zlib_) != Z_OK) return Failed("out of memory for decompression");
      const int result = inflate(&zlib_, Z_NO_FLUSH);
      ended_ = result == Z_STREAM_END;
      const bool wants_input = result == Z_BUF_ERROR && zlib_.avail_in == 0;
      if (result != Z_OK && result != Z_STREAM_END && !wants_input) {
        return Failed("the file is damaged: decompression failed");
      }
    }
    out.erase(out.size() - zlib_.avail_out);
    return out;
  }
  int64_t SkipUnread(int64_t) override { return 0; }

  RegionReader reader_;
  std::string input_;
  z_stream zlib_;
  bool ready_ = false;
  bool ended_ = false;
};

}  // namespace

Result<Compression> CompressionOf(std::string_view name) {
  if (name == "none") return Compression::kNone;
  if (name == "gz") return Compression::kZlib;
  const bool is_word = !name.empty() && name.size() <= 20 && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  return Failed("it is compressed with " + (is_word ? "'" + std::string(name) + "'" : "something unknown") +
                ", which is not supported; read it with `yarn logs`, or set " +
                "yarn.nodemanager.log-aggregation.compression-type to gz or none");
}

Result<std::unique_ptr<BlockStream>> BlockStream::Open(const Source& source, Region region, Compression compression) {
  if (region.offset < 0 || region.size < 0 || region.offset > source.size ||
      region.size > source.size - region.offset) {
    return Failed("the file is damaged or truncated: a block is beyond its end");
  }
  if (compression == Compression::kZlib) return std::unique_ptr<BlockStream>(new ZlibStream(source, region));
  return std::unique_ptr<BlockStream>(new PlainStream(source, region));
}

Status BlockStream::Ensure() {
  if (used_ < buffer_.size()) return {};
  HOWDAH_TRY(auto more, Fill());
  buffer_ = std::move(more);
  used_ = 0;
  return {};
}

Result<std::string> BlockStream::Read(size_t max) {
  HOWDAH_TRY_STATUS(Ensure());
  std::string bytes = buffer_.substr(used_, max);
  used_ += bytes.size();
  position_ += static_cast<int64_t>(bytes.size());
  return bytes;
}

Result<std::string> BlockStream::ReadExactly(size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    HOWDAH_TRY(auto more, Read(size - bytes.size()));
    if (more.empty()) return EndsEarly();
    bytes += more;
  }
  return bytes;
}

Status BlockStream::Skip(int64_t size) {
  while (size > 0) {
    int64_t skipped = std::min(size, static_cast<int64_t>(buffer_.size() - used_));
    used_ += static_cast<size_t>(skipped);
    if (skipped == 0) skipped = SkipUnread(size);
    if (skipped == 0) {
      HOWDAH_TRY_STATUS(Ensure());
      if (buffer_.empty()) return EndsEarly();
    }
    position_ += skipped;
    size -= skipped;
  }
  return {};
}

Result<bool> BlockStream::AtEnd() {
  HOWDAH_TRY_STATUS(Ensure());
  return used_ == buffer_.size();
}

Result<int64_t> BlockStream::ReadVLong() {
  HOWDAH_TRY(const auto first, ReadExactly(1));
  const auto byte = static_cast<uint8_t>(first.front());
  const int size = VLongTail(byte);
  if (size < 0) return Failed("the file is damaged: invalid number");
  HOWDAH_TRY(const auto tail, ReadExactly(static_cast<size_t>(size)));
  return VLongOf(byte, tail);
}

Status ChunkStream::NextChunk() {
  while (left_ == 0 && !last_) {
    HOWDAH_TRY(const auto length, block_.ReadVLong());
    constexpr int64_t kMax = INT32_MAX;
    if (length > kMax || length < -kMax) return Failed("the file is damaged: invalid chunk length");
    last_ = length >= 0;
    left_ = last_ ? length : -length;
  }
  return {};
}

Result<std::string> ChunkStream::Read(size_t max) {
  HOWDAH_TRY_STATUS(NextChunk());
  if (left_ == 0) return std::string();
  HOWDAH_TRY(auto bytes, block_.Read(std::min(max, static_cast<size_t>(left_))));
  if (bytes.empty()) return EndsEarly();
  left_ -= static_cast<int64_t>(bytes.size());
  return bytes;
}

Result<std::string> ChunkStream::ReadExactly(size_t size) {
  std::string bytes;
  while (bytes.size() < size) {
    HOWDAH_TRY(auto more, Read(size - bytes.size()));
    if (more.empty()) return EndsEarly();
    bytes += more;
  }
  return bytes;
}

Result<int64_t> ChunkStream::SkipUpTo(int64_t size) {
  int64_t skipped = 0;
  while (skipped < size) {
    HOWDAH_TRY_STATUS(NextChunk());
    if (left_ == 0) break;
    const int64_t part = std::min(size - skipped, left_);
    HOWDAH_TRY_STATUS(block_.Skip(part));
    left_ -= part;
    skipped += part;
  }
  return skipped;
}

Result<bool> ChunkStream::AtEnd() {
  HOWDAH_TRY_STATUS(NextChunk());
  return left_ == 0;
}

}  // namespace howdah::hadoop::yarnlogs
