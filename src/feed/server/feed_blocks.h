// The blocks of one feed, with the readers that need them and the connections that hold them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "block_store.h"
#include "flight_server.h"
#include "reader_requests.h"

namespace howdah::feed::server {

// The blocks and schemas that a connection of a process has received.
struct Holder {
  // Blocks of which it may hold views, with the id of the last `next` whose reply has named them.
  std::map<BlockId, int64_t> leases;
  std::set<int64_t> schemas;
};

// The numbers of the blocks, each once, in the order in which they occur.
std::vector<BlockId> BlocksOf(const std::vector<Slice>& slices);

// A block is stored until none of its owners, which are readers of this executor, needs it.
//
// Not thread-safe.
class FeedBlocks {
 public:
  // The readers' Receivers. These functions may drop blocks.
  struct Owners {
    std::function<bool(int reader, BlockId)> needs_now;  // as Receiver::NeededNow
    std::function<void(int reader, BlockId)> on_moved;   // as Receiver::MovedToDisk
    std::function<void(int reader, BlockId)> on_lost;    // as Receiver::Lost; the reader owns the block no more
    std::function<void(const Error&)> on_full;           // why blocks are lost. Called once
  };
  struct Block {
    PartitionId partition = 0;
    Rows rows;
    int64_t bytes = 0;
    std::set<int> owners;
    std::optional<uint64_t> digest;  // as in RowsReceived
  };

  // memory: bytes that blocks may have in memory, except those that processes hold.
  FeedBlocks(const std::string& spool_directory, int64_t memory, int64_t spool, Owners owners);

  // A place for a block whose body its source writes. Add or Unreserve follows.
  Result<BlockStore::Room> Reserve(const std::string& schema, const ArrowBlock& block, int64_t body_bytes) {
    return store_.Reserve(schema, block.header, body_bytes, block.rows);
  }
  void Unreserve(BlockId block) { store_.Drop(block); }
  // Stores a block without an owner, unless its source has done so. Own or Discard follows.
  Result<BlockId> Add(PartitionId partition, const std::string& schema, const ArrowBlock& block);
  void Own(int reader, BlockId block) { blocks_.at(block).owners.insert(reader); }
  void Discard(BlockId block);
  // The reader does not need the block any more. Returns false if it was not an owner.
  bool Drop(int reader, BlockId block);
  void DropAllOf(int reader);
  bool Owns(int reader, BlockId block) const {
    const auto at = blocks_.find(block);
    return at != blocks_.end() && at->second.owners.contains(reader);
  }

  const Block& Get(BlockId block) const { return blocks_.at(block); }
  KeptBlock Kept(BlockId block) const;
  // Fails if the block was discarded.
  Result<ArrowBlock> Read(BlockId block, std::string& schema) const;

  // The reply with a batch. Its blocks are leased to the connection. request: the id of the `next`.
  ReaderReply Lend(Holder& holder, int64_t request, const std::vector<Slice>& slices);
  void Release(Holder& holder, const ReleaseRequest& request);
  void ReleaseAll(Holder& holder);

  // Moves blocks that are not needed now to disk while too much memory is in use. On a full disk they are lost: a later
  // pass requests their rows from the source again. Blocks that are needed now stay in memory in any case.
  void Trim();

  const BlockStore& store() const { return store_; }

 private:
  const int64_t memory_;
  const Owners owners_;
  BlockStore store_;
  std::map<BlockId, Block> blocks_;
  bool full_ = false;
};

}  // namespace howdah::feed::server
