#include "shelf.h"

#include <algorithm>

namespace howdah::feed {

void Shelf::Add(const KeptBlock& block) {
  blocks_.try_emplace(block.id, Entry{.block = block});
  perhaps_unused_.insert(block.id);
}

void Shelf::Use(BlockId id, int64_t rows) {
  if (const auto at = blocks_.find(id); at != blocks_.end()) at->second.used += rows;
}

void Shelf::Release(BlockId id, int64_t rows) {
  const auto at = blocks_.find(id);
  if (at == blocks_.end()) return;
  at->second.used = std::max<int64_t>(at->second.used - rows, 0);
  if (at->second.used == 0) perhaps_unused_.insert(id);
}

void Shelf::NoteKept(BlockId id, int64_t rows) {
  const auto at = blocks_.find(id);
  if (at == blocks_.end()) return;
  at->second.kept += rows;
  if (at->second.kept == 0) perhaps_unused_.insert(id);
}

// The first range that ends after `row`.
Shelf::Ranges::const_iterator Shelf::FirstIn(const Ranges& ranges, int64_t row) {
  auto at = ranges.upper_bound(row);
  if (at != ranges.begin() && std::prev(at)->second.to > row) --at;
  return at;
}

void Shelf::Keep(BlockId id, Rows rows) {
  const auto found = blocks_.find(id);
  if (found == blocks_.end() || rows.count() <= 0) return;
  Ranges& ranges = kept_[{found->second.block.tag, found->second.block.partition}];
  // Each gap between the ranges that are kept already.
  int64_t from = rows.from;
  std::vector<Rows> gaps;
  for (auto at = FirstIn(ranges, from); at != ranges.end() && at->first < rows.to; ++at) {
    if (from < at->first) gaps.push_back({from, at->first});
    from = at->second.to;
  }
  if (from < rows.to) gaps.push_back({from, rows.to});
  for (const Rows& gap : gaps) {
    ranges[gap.from] = {gap.to, id, order_++};
    found->second.kept += gap.count();
  }
}

void Shelf::Drop(int64_t tag, PartitionId partition, Rows rows) {
  const auto group = kept_.find({tag, partition});
  if (group == kept_.end()) return;
  Ranges& ranges = group->second;
  auto at = FirstIn(ranges, rows.from);
  while (at != ranges.end() && at->first < rows.to) {
    const int64_t first = at->first;
    const Kept kept = at->second;
    at = ranges.erase(at);
    if (first < rows.from) ranges[first] = {rows.from, kept.block, kept.order};
    if (kept.to > rows.to) ranges[rows.to] = {kept.to, kept.block, kept.order};
    NoteKept(kept.block, -(std::min(kept.to, rows.to) - std::max(first, rows.from)));
  }
  if (ranges.empty()) kept_.erase(group);
}

void Shelf::DropTagsBelow(int64_t tag) {
  while (!kept_.empty() && kept_.begin()->first.first < tag) {
    for (const auto& [from, kept] : kept_.begin()->second) NoteKept(kept.block, -(kept.to - from));
    kept_.erase(kept_.begin());
  }
}

void Shelf::Forget(BlockId id) {
  const auto found = blocks_.find(id);
  if (found == blocks_.end()) return;
  const KeptBlock& block = found->second.block;
  for (const Piece& piece : Find(block.tag, block.partition, block.rows)) {
    if (piece.block == id) Drop(block.tag, block.partition, piece.rows);
  }
  perhaps_unused_.erase(id);
  blocks_.erase(id);
}

void Shelf::MoveToDisk(BlockId id) {
  if (const auto at = blocks_.find(id); at != blocks_.end()) at->second.block.on_disk = true;
}

std::vector<Piece> Shelf::Find(int64_t tag, PartitionId partition, Rows rows) const {
  std::vector<Piece> found;
  const auto group = kept_.find({tag, partition});
  if (group == kept_.end()) return found;
  for (auto at = FirstIn(group->second, rows.from); at != group->second.end() && at->first < rows.to; ++at) {
    found.push_back({at->second.block, partition, {std::max(at->first, rows.from), std::min(at->second.to, rows.to)}});
  }
  return found;
}

std::vector<Piece> Shelf::All(int64_t tag) const {
  std::vector<std::pair<int64_t, Piece>> all;
  for (auto group = kept_.lower_bound({tag, 0}); group != kept_.end() && group->first.first == tag; ++group) {
    for (const auto& [from, kept] : group->second) {
      all.push_back({kept.order, {kept.block, group->first.second, {from, kept.to}}});
    }
  }
  // Parts of a range that was divided have the same order.
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Piece> pieces;
  pieces.reserve(all.size());
  for (const auto& [order, piece] : all) pieces.push_back(piece);
  return pieces;
}

const KeptBlock* Shelf::Get(BlockId id) const {
  const auto at = blocks_.find(id);
  return at == blocks_.end() ? nullptr : &at->second.block;
}

bool Shelf::InUse(BlockId id) const {
  const auto at = blocks_.find(id);
  return at != blocks_.end() && at->second.used > 0;
}

std::vector<KeptBlock> Shelf::blocks() const {
  std::vector<KeptBlock> blocks;
  blocks.reserve(blocks_.size());
  for (const auto& [id, entry] : blocks_) blocks.push_back(entry.block);
  return blocks;
}

int64_t Shelf::BytesOf(const Piece& piece) const {
  const KeptBlock* block = Get(piece.block);
  if (block == nullptr || block->on_disk || block->bytes == 0) return 0;
  if (piece.rows == block->rows) return block->bytes;
  // The average size. At least 1, because 0 would mean that the rows are on disk. 128 bits, because both factors may be
  // large.
  __extension__ using Product = __int128;
  const Product bytes = static_cast<Product>(block->bytes) * piece.rows.count() / block->rows.count();
  return std::max<int64_t>(static_cast<int64_t>(bytes), 1);
}

std::vector<BlockId> Shelf::TakeUnused() {
  std::vector<BlockId> unused;
  for (const BlockId id : perhaps_unused_) {
    const auto at = blocks_.find(id);
    if (at == blocks_.end() || at->second.used > 0 || at->second.kept > 0) continue;
    blocks_.erase(at);
    unused.push_back(id);
  }
  perhaps_unused_.clear();
  return unused;
}

}  // namespace howdah::feed
