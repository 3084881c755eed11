#include "feed_blocks.h"

#include <algorithm>
#include <utility>

namespace howdah::feed::server {
namespace {

constexpr int kMostTrimmed = 64;  // blocks that one call looks at

}  // namespace

std::vector<BlockId> BlocksOf(const std::vector<Slice>& slices) {
  std::vector<BlockId> blocks;
  std::set<BlockId> seen;
  for (const Slice& slice : slices) {
    if (seen.insert(slice.block).second) blocks.push_back(slice.block);
  }
  return blocks;
}

FeedBlocks::FeedBlocks(const std::string& spool_directory, int64_t memory, int64_t spool, Owners owners)
    : memory_(memory), owners_(std::move(owners)), store_(spool_directory, {.memory = memory, .spool = spool}) {}

Result<BlockId> FeedBlocks::Add(PartitionId partition, const std::string& schema, const ArrowBlock& block) {
  BlockId id = 0;
  if (block.stored) {
    id = block.stored->id;
  } else {
    HOWDAH_TRY(id, store_.Put(schema, block.header, block.body, block.rows));
  }
  const auto bytes = static_cast<int64_t>(block.header.size()) +
                     (block.stored ? block.stored->bytes : static_cast<int64_t>(block.body.size()));
  blocks_[id] = {partition, {block.first_row, block.first_row + block.rows}, bytes, {}, block.digest};
  return id;
}

void FeedBlocks::Discard(BlockId id) {
  blocks_.erase(id);
  store_.Drop(id);
}

bool FeedBlocks::Drop(int reader, BlockId id) {
  const auto at = blocks_.find(id);
  if (at == blocks_.end() || at->second.owners.erase(reader) == 0) return false;
  if (at->second.owners.empty()) Discard(id);
  return true;
}

void FeedBlocks::DropAllOf(int reader) {
  std::vector<BlockId> owned;
  for (const auto& [id, block] : blocks_) {
    if (block.owners.contains(reader)) owned.push_back(id);
  }
  for (const BlockId id : owned) Drop(reader, id);
}

KeptBlock FeedBlocks::Kept(BlockId id) const {
  const Block& block = blocks_.at(id);
  return {.id = id,
          .partition = block.partition,
          .rows = block.rows,
          .bytes = block.bytes,
          .on_disk = store_.on_disk(id),
          .digest = block.digest};
}

Result<ArrowBlock> FeedBlocks::Read(BlockId id, std::string& schema) const {
  const auto at = blocks_.find(id);
  if (at == blocks_.end()) return Error{ErrorCode::kNotFound, "the executor no longer has the rows"};
  HOWDAH_TRY(BlockStore::Content content, store_.Read(id));
  schema = content.schema->header;
  const Block& block = at->second;
  return ArrowBlock{std::move(content.header), std::move(content.body), block.rows.from, block.rows.count(),
                    block.digest};
}

ReaderReply FeedBlocks::Lend(Holder& holder, int64_t request, const std::vector<Slice>& slices) {
  ReaderBatch batch;
  batch.slices = slices;
  for (const BlockId id : BlocksOf(slices)) {
    const auto [at, is_new] = holder.leases.try_emplace(id, request);
    at->second = request;
    if (!is_new) continue;
    const BlockStore::Place place = store_.Lease(id);
    if (holder.schemas.insert(place.schema->id).second) batch.schemas.push_back(place.schema);
    batch.blocks.emplace_back(id, place);
  }
  return BatchReply(batch);
}

void FeedBlocks::Release(Holder& holder, const ReleaseRequest& request) {
  for (const BlockId id : request.blocks) {
    const auto at = holder.leases.find(id);
    if (at == holder.leases.end() || (request.after && at->second > *request.after)) continue;
    holder.leases.erase(at);
    store_.Release(id);
  }
  Trim();
}

void FeedBlocks::ReleaseAll(Holder& holder) {
  for (const auto& [id, request] : std::exchange(holder.leases, {})) store_.Release(id);
  Trim();
}

void FeedBlocks::Trim() {
  for (int i = 0; i < kMostTrimmed && store_.unleased_bytes() > memory_; ++i) {
    const auto oldest = store_.oldest_idle();
    if (!oldest) return;
    const BlockId id = *oldest;
    const std::set<int> readers = blocks_.at(id).owners;
    if (std::any_of(readers.begin(), readers.end(), [&](int reader) { return owners_.needs_now(reader, id); })) {
      store_.KeepIdle(id);
      continue;
    }
    const Status moved = store_.MoveToDisk(id);
    if (!moved.ok() && !std::exchange(full_, true)) owners_.on_full(moved.error());
    for (const int reader : readers) {
      if (moved.ok()) {
        owners_.on_moved(reader, id);
      } else if (Drop(reader, id)) {
        owners_.on_lost(reader, id);
      }
    }
  }
}

}  // namespace howdah::feed::server
