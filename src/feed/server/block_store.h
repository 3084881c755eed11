// The bytes of the blocks that an executor keeps for its readers: in shared memory, and in a spool file.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "block_body.h"
#include "howdah/base/result.h"
#include "howdah/feed/receiver.h"
#include "howdah/os/files/fd.h"

namespace howdah::feed::server {

// The places in a file that are in use. Takes the first gap that is large enough, so that the beginning of the file is
// used again and again. Pure.
class Extents {
 public:
  // alignment: of all offsets, a power of two. limit: the largest size of the file.
  Extents(int64_t alignment, int64_t limit) : alignment_(alignment), limit_(limit) {}

  // Returns the offset; nullopt if the file would exceed the limit.
  std::optional<int64_t> Take(int64_t bytes);
  // bytes: as for Take.
  void Free(int64_t offset, int64_t bytes);

  // The bytes in use, rounded up to the alignment.
  int64_t used() const { return used_; }
  // The size that the file needs.
  int64_t end() const { return end_; }

 private:
  int64_t Rounded(int64_t bytes) const { return (bytes + alignment_ - 1) & ~(alignment_ - 1); }

  int64_t alignment_, limit_;
  std::map<int64_t, int64_t> gaps_;  // offset, bytes; no two touch, and none touches end_
  int64_t end_ = 0;
  int64_t used_ = 0;
};

// The schema of blocks.
struct BlockSchema {
  int64_t id = 0;      // blocks with the same schema have the same number
  std::string header;  // the flatbuffer Message
};

// The blocks of one feed. Blocks in memory are in one memfd, and blocks on disk in one spool file. Both are written
// with pwrite and never mapped here, so they do not count as its memory. Memory that is freed is used again: writing
// to new pages takes six times as long.
//
//  Put ---> in memory ---MoveToDisk---> on disk
//              |                           |
//              +-----------Drop------------+--> gone, as soon as it is not leased
//
// A block is leased while a process may hold views of it. Its bytes stay in their place until the last lease ends.
//
// Not thread-safe.
class BlockStore {
 public:
  struct Limits {
    int64_t memory = 0;  // bytes of the memfd that stay allocated when they are free
    int64_t spool = 0;   // the largest size of the spool file
  };
  // Where a process finds a block: an encapsulated Arrow message (continuation 0xFFFFFFFF, length, header, padding,
  // body). In memory, block and body begin at multiples of 64 bytes.
  struct Place {
    std::shared_ptr<const os::files::Fd> file;
    int64_t offset = 0;
    int64_t bytes = 0;
    std::shared_ptr<const BlockSchema> schema;
    int64_t rows = 0;
  };
  struct Content {
    std::string header, body;  // as given to Put
    std::shared_ptr<const BlockSchema> schema;
  };

  // directory: for the spool file, which is created when it is first needed, and has no name.
  BlockStore(std::string directory, Limits limits);

  // Where a process writes the body of a block that it has announced. The descriptor is open for writing only.
  struct Room {
    BlockId block = 0;
    std::shared_ptr<const os::files::Fd> file;
    int64_t offset = 0;
  };

  // schema, header: flatbuffer Messages. Fails if the system has no memory left.
  Result<BlockId> Put(const std::string& schema, std::string_view header, const BlockBody& body, int64_t rows);
  // As Put, and another process writes the body. It must not have the descriptor any more, or must promise to write no
  // more to this place, when the block is dropped: the place is used again.
  Result<Room> Reserve(const std::string& schema, std::string_view header, int64_t body_bytes, int64_t rows);
  // The block is needed only by its leases.
  void Drop(BlockId block);
  // Moves a block that is in memory and not leased. The code of the error is kNoSpace if the spool is full.
  Status MoveToDisk(BlockId block);
  // Reads a block that was not dropped.
  Result<Content> Read(BlockId block) const;
  // The CRC-32 of the body of such a block.
  Result<uint32_t> CrcOfBody(BlockId block) const;

  // A process begins to use a block that was not dropped. Several leases of one block are counted.
  Place Lease(BlockId block);
  void Release(BlockId block);

  // The block whose last lease ended first, of all blocks in memory that were leased before; nullopt if there is none.
  std::optional<BlockId> oldest_idle() const;
  // Makes such a block the newest one.
  void KeepIdle(BlockId block);

  // Whether a block that was not dropped is on disk.
  bool on_disk(BlockId block) const { return blocks_.at(block).on_disk; }
  // The bytes of blocks in memory that are not leased, of those that are, and of blocks on disk.
  int64_t unleased_bytes() const { return memory_.used() - leased_; }
  int64_t leased_bytes() const { return leased_; }
  int64_t disk_bytes() const { return spool_.used(); }
  size_t blocks() const { return blocks_.size(); }

 private:
  struct Block {
    std::shared_ptr<const BlockSchema> schema;
    int64_t rows = 0;
    int64_t header_bytes = 0, padded_bytes = 0, body_bytes = 0;  // padded: the header with its padding
    int64_t offset = 0;
    bool on_disk = false;
    bool dropped = false;
    int leases = 0;
    std::optional<std::list<BlockId>::iterator> idle;
    int64_t bytes() const { return 8 + padded_bytes + body_bytes; }
  };
  using Blocks = std::map<BlockId, Block>;

  std::shared_ptr<const BlockSchema> SchemaOf(const std::string& header);
  Status Grow();
  Result<BlockId> Begin(const std::string& schema, std::string_view header, int64_t body_bytes, int64_t rows);
  Status OpenForWriting();
  Status OpenSpool();
  int64_t SendToSpool(const Block& block, int64_t offset);
  Status CopyToSpool(const Block& block, int64_t offset);
  void FreeMemory(const Block& block);
  void Free(Blocks::iterator at);
  const os::files::Fd& FileOf(const Block& block) const { return block.on_disk ? *spool_file_ : *memory_file_; }

  std::string directory_;
  Limits limits_;
  std::shared_ptr<os::files::Fd> memory_file_ = std::make_shared<os::files::Fd>();
  std::shared_ptr<os::files::Fd> write_only_ = std::make_shared<os::files::Fd>();  // the same file, for Room
  std::shared_ptr<os::files::Fd> spool_file_ = std::make_shared<os::files::Fd>();
  Extents memory_, spool_;
  int64_t memory_size_ = 0;  // of the memfd
  int64_t leased_ = 0;
  Blocks blocks_;
  std::list<BlockId> idle_;
  std::map<std::string, std::weak_ptr<const BlockSchema>> schemas_;
  BlockId last_block_ = 0;
  int64_t last_schema_ = 0;
};

}  // namespace howdah::feed::server
