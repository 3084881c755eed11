#include "block_store.h"

#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <vector>

#include "howdah/base/crc.h"
#include "howdah/os/files/files.h"

namespace howdah::feed::server {
namespace {

using os::files::Fd;
using os::files::SystemError;

constexpr int64_t kMemoryAlignment = 64;
constexpr int64_t kDiskAlignment = 4096;
constexpr int64_t kPage = 4096;
constexpr int64_t kGrowth = int64_t{64} << 20;
constexpr size_t kCopyPiece = size_t{1} << 20;
constexpr size_t kCrcPiece = size_t{64} << 10;
constexpr int64_t kPrefix = 8;  // continuation and length

// The body follows header and prefix, and begins at a multiple of 64 bytes. Arrow's format requires 8.
int64_t Padded(int64_t header_bytes) {
  return ((kPrefix + header_bytes + kMemoryAlignment - 1) & ~(kMemoryAlignment - 1)) - kPrefix;
}

std::array<char, kPrefix> PrefixOf(int64_t padded) {
  std::array<char, kPrefix> prefix;
  const uint32_t continuation = 0xFFFFFFFF;
  const auto length = static_cast<uint32_t>(padded);  // Arrow's format is little-endian, and so are our machines
  std::memcpy(prefix.data(), &continuation, sizeof continuation);
  std::memcpy(prefix.data() + sizeof continuation, &length, sizeof length);
  return prefix;
}

Status WriteAt(int fd, std::vector<iovec> parts, int64_t offset, std::string_view what) {
  size_t first = 0;
  while (first < parts.size()) {
    const size_t count = std::min<size_t>(parts.size() - first, IOV_MAX);
    const ssize_t size = ::pwritev(fd, parts.data() + first, static_cast<int>(count), offset);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return SystemError("writing " + std::string(what));
    offset += size;
    auto rest = static_cast<size_t>(size);
    for (; first < parts.size() && rest >= parts[first].iov_len; ++first) rest -= parts[first].iov_len;
    if (first == parts.size()) break;
    parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + rest;
    parts[first].iov_len -= rest;
  }
  return {};
}

Status ReadAt(int fd, char* to, size_t bytes, int64_t offset, std::string_view what) {
  while (bytes > 0) {
    const ssize_t size = ::pread(fd, to, bytes, offset);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return SystemError("reading " + std::string(what));
    if (size == 0) return Failed("reading " + std::string(what) + ": unexpected end of the file");
    to += size;
    offset += size;
    bytes -= static_cast<size_t>(size);
  }
  return {};
}

iovec Part(std::string_view bytes) { return {const_cast<char*>(bytes.data()), bytes.size()}; }

}  // namespace

// --- Extents ---

std::optional<int64_t> Extents::Take(int64_t bytes) {
  bytes = Rounded(bytes);
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    if (gap->second < bytes) continue;
    const auto [offset, size] = *gap;
    gaps_.erase(gap);
    if (size > bytes) gaps_.emplace(offset + bytes, size - bytes);
    used_ += bytes;
    return offset;
  }
  if (bytes > limit_ - end_) return std::nullopt;
  used_ += bytes;
  return std::exchange(end_, end_ + bytes);
}

void Extents::Free(int64_t offset, int64_t bytes) {
  bytes = Rounded(bytes);
  used_ -= bytes;
  const auto next = gaps_.lower_bound(offset);
  if (next != gaps_.end() && next->first == offset + bytes) {
    bytes += next->second;
    gaps_.erase(next);
  }
  const auto after = gaps_.lower_bound(offset);
  if (after != gaps_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      gaps_.erase(before);
    }
  }
  if (offset + bytes == end_) {
    end_ = offset;
  } else {
    gaps_.emplace(offset, bytes);
  }
}

// --- BlockStore ---

BlockStore::BlockStore(std::string directory, Limits limits)
    : directory_(std::move(directory)),
      limits_(limits),
      memory_(kMemoryAlignment, std::numeric_limits<int64_t>::max() / 2),
      spool_(kDiskAlignment, limits.spool) {}

std::shared_ptr<const BlockSchema> BlockStore::SchemaOf(const std::string& header) {
  std::weak_ptr<const BlockSchema>& known = schemas_[header];
  std::shared_ptr<const BlockSchema> schema = known.lock();
  if (schema) return schema;
  schema = std::make_shared<const BlockSchema>(BlockSchema{++last_schema_, header});
  known = schema;
  std::erase_if(schemas_, [](const auto& entry) { return entry.second.expired(); });
  return schema;
}

// The memfd only grows, and is sealed against shrinking, so that reading a view never fails.
Status BlockStore::Grow() {
  if (!memory_file_->valid()) {
    *memory_file_ = Fd(::memfd_create("howdah-feed", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!memory_file_->valid()) return SystemError("creating shared memory for a feed");
    (void)::fcntl(memory_file_->get(), F_ADD_SEALS, F_SEAL_SHRINK);
  }
  if (memory_.end() <= memory_size_) return {};
  const int64_t size = (memory_.end() + kGrowth - 1) / kGrowth * kGrowth;
  if (::ftruncate(memory_file_->get(), size) != 0) return SystemError("growing the shared memory of a feed");
  memory_size_ = size;
  return {};
}

// Takes a place for a block, and writes everything except the body.
Result<BlockId> BlockStore::Begin(const std::string& schema, std::string_view header, int64_t body_bytes,
                                  int64_t rows) {
  Block block;
  block.schema = SchemaOf(schema);
  block.rows = rows;
  block.header_bytes = static_cast<int64_t>(header.size());
  block.padded_bytes = Padded(block.header_bytes);
  block.body_bytes = body_bytes;
  block.offset = memory_.Take(block.bytes()).value();  // without a limit
  static constexpr std::array<char, kMemoryAlignment> kZeros{};
  const auto prefix = PrefixOf(block.padded_bytes);
  const size_t padding = static_cast<size_t>(block.padded_bytes - block.header_bytes);
  Status written = Grow();
  if (written.ok()) {
    written = WriteAt(memory_file_->get(),
                      {Part({prefix.data(), prefix.size()}), Part(header), Part({kZeros.data(), padding})},
                      block.offset, "a block to shared memory");
  }
  if (!written.ok()) {
    FreeMemory(block);
    return written.error();
  }
  const BlockId id = ++last_block_;
  blocks_.emplace(id, std::move(block));
  return id;
}

Result<BlockId> BlockStore::Put(const std::string& schema, std::string_view header, const BlockBody& body,
                                int64_t rows) {
  HOWDAH_TRY(const BlockId id, Begin(schema, header, static_cast<int64_t>(body.size()), rows));
  const Block& block = blocks_.at(id);
  std::vector<iovec> parts;
  for (const std::string_view part : body.parts()) parts.push_back(Part(part));
  const Status written =
      WriteAt(memory_file_->get(), parts, block.offset + kPrefix + block.padded_bytes, "a block to shared memory");
  if (written.ok()) return id;
  Drop(id);
  return written.error();
}

// A process that has only this descriptor cannot read or map the blocks of other sources.
Status BlockStore::OpenForWriting() {
  if (write_only_->valid()) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(memory_file_->get());
  *write_only_ = Fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!write_only_->valid()) return SystemError("opening the shared memory of a feed for writing");
  return {};
}

Result<BlockStore::Room> BlockStore::Reserve(const std::string& schema, std::string_view header, int64_t body_bytes,
                                             int64_t rows) {
  HOWDAH_TRY(const BlockId id, Begin(schema, header, body_bytes, rows));
  const Block& block = blocks_.at(id);
  const Status opened = OpenForWriting();
  if (opened.ok()) return Room{id, write_only_, block.offset + kPrefix + block.padded_bytes};
  Drop(id);
  return opened.error();
}

// Returns pages behind the first limits_.memory bytes to the system. Pages before them will soon be written again.
void BlockStore::FreeMemory(const Block& block) {
  memory_.Free(block.offset, block.bytes());
  const int64_t from = (std::max(block.offset, limits_.memory) + kPage - 1) / kPage * kPage;
  const int64_t to = (block.offset + block.bytes()) / kPage * kPage;
  if (from >= to || !memory_file_->valid()) return;
  (void)::fallocate(memory_file_->get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, from, to - from);
}

void BlockStore::Free(Blocks::iterator at) {
  const Block& block = at->second;
  if (block.idle) idle_.erase(*block.idle);
  block.on_disk ? spool_.Free(block.offset, block.bytes()) : FreeMemory(block);
  blocks_.erase(at);
}

void BlockStore::Drop(BlockId block) {
  const auto at = blocks_.find(block);
  if (at == blocks_.end()) return;
  at->second.dropped = true;
  if (at->second.leases == 0) Free(at);
}

// --- disk ---

Status BlockStore::OpenSpool() {
  if (spool_file_->valid()) return {};
  *spool_file_ = Fd(::open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (spool_file_->valid()) return {};
  // This file system has no nameless files.
  std::string path = directory_ + "/.howdah-spool.XXXXXX";
  *spool_file_ = Fd(::mkostemp(path.data(), O_CLOEXEC));
  if (!spool_file_->valid()) return SystemError("creating a file for the rows of a feed in " + directory_);
  (void)::unlink(path.c_str());
  return {};
}

// The kernel copies the bytes from one file to the other. It takes half of the CPU time of reading and writing them.
// Readers map the spool file and do not use the position of its descriptor. Returns the number of bytes that were
// copied: 0 if the file system of the spool does not support it.
int64_t BlockStore::SendToSpool(const Block& block, int64_t offset) {
  if (::lseek(spool_file_->get(), offset, SEEK_SET) != offset) return 0;
  off_t from = block.offset;
  const off_t end = from + block.bytes();
  while (from < end) {
    const ssize_t sent = ::sendfile(spool_file_->get(), memory_file_->get(), &from, static_cast<size_t>(end - from));
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) break;  // CopyToSpool reports the reason
  }
  return from - block.offset;
}

Status BlockStore::CopyToSpool(const Block& block, int64_t offset) {
  int64_t done = SendToSpool(block, offset);
  if (done == block.bytes()) return {};
  std::string piece(static_cast<size_t>(std::min<int64_t>(block.bytes(), kCopyPiece)), '\0');
  while (done < block.bytes()) {
    const auto size = static_cast<size_t>(std::min<int64_t>(block.bytes() - done, kCopyPiece));
    HOWDAH_TRY_STATUS(
        ReadAt(memory_file_->get(), piece.data(), size, block.offset + done, "a block from shared memory"));
    HOWDAH_TRY_STATUS(WriteAt(spool_file_->get(), {Part({piece.data(), size})}, offset + done,
                              "a block to the spool file in " + directory_));
    done += static_cast<int64_t>(size);
  }
  return {};
}

Status BlockStore::MoveToDisk(BlockId id) {
  Block& block = blocks_.at(id);
  assert(!block.on_disk && block.leases == 0);
  const auto offset = spool_.Take(block.bytes());
  if (!offset) {
    return Error::WithRemedy(
        ErrorCode::kNoSpace,
        "keeping rows of a feed on disk: the " + std::to_string(limits_.spool) + " bytes of its spool file are in use",
        "choose a larger `spool`");
  }
  Status copied = OpenSpool();
  if (copied.ok()) copied = CopyToSpool(block, *offset);
  if (!copied.ok()) {
    spool_.Free(*offset, block.bytes());
    return copied;
  }
  FreeMemory(block);
  if (block.idle) idle_.erase(*block.idle);
  block.idle.reset();
  block.on_disk = true;
  block.offset = *offset;
  return {};
}

Result<BlockStore::Content> BlockStore::Read(BlockId id) const {
  const Block& block = blocks_.at(id);
  Content content;
  content.schema = block.schema;
  content.header.resize(static_cast<size_t>(block.header_bytes));
  content.body.resize(static_cast<size_t>(block.body_bytes));
  const int fd = FileOf(block).get();
  HOWDAH_TRY_STATUS(ReadAt(fd, content.header.data(), content.header.size(), block.offset + kPrefix, "a block"));
  HOWDAH_TRY_STATUS(
      ReadAt(fd, content.body.data(), content.body.size(), block.offset + kPrefix + block.padded_bytes, "a block"));
  return content;
}

// The pieces stay in the cache of the CPU. Mapping the file takes as long, and its pages would count as memory of this
// process.
Result<uint32_t> BlockStore::CrcOfBody(BlockId id) const {
  const Block& block = blocks_.at(id);
  int64_t at = block.offset + kPrefix + block.padded_bytes;
  const int64_t end = at + block.body_bytes;
  const auto piece = std::make_unique_for_overwrite<char[]>(kCrcPiece);
  uint32_t crc = 0;
  while (at < end) {
    const auto size = static_cast<size_t>(std::min<int64_t>(end - at, kCrcPiece));
    HOWDAH_TRY_STATUS(ReadAt(FileOf(block).get(), piece.get(), size, at, "a block"));
    crc = ContinuedCrc(Crc::kCrc32, crc, {piece.get(), size});
    at += static_cast<int64_t>(size);
  }
  return crc;
}

// --- leases ---

BlockStore::Place BlockStore::Lease(BlockId id) {
  Block& block = blocks_.at(id);
  assert(!block.dropped);
  if (block.leases++ == 0 && !block.on_disk) {
    leased_ += (block.bytes() + kMemoryAlignment - 1) & ~(kMemoryAlignment - 1);
    if (block.idle) idle_.erase(*block.idle);
    block.idle.reset();
  }
  return {block.on_disk ? spool_file_ : memory_file_, block.offset, block.bytes(), block.schema, block.rows};
}

void BlockStore::Release(BlockId id) {
  const auto at = blocks_.find(id);
  assert(at != blocks_.end() && at->second.leases > 0);
  Block& block = at->second;
  if (--block.leases > 0) return;
  if (!block.on_disk) leased_ -= (block.bytes() + kMemoryAlignment - 1) & ~(kMemoryAlignment - 1);
  if (block.dropped) return Free(at);
  if (!block.on_disk) block.idle = idle_.insert(idle_.end(), id);
}

std::optional<BlockId> BlockStore::oldest_idle() const {
  return idle_.empty() ? std::nullopt : std::optional(idle_.front());
}

void BlockStore::KeepIdle(BlockId block) { idle_.splice(idle_.end(), idle_, *blocks_.at(block).idle); }

}  // namespace howdah::feed::server
