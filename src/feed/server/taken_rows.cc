#include "taken_rows.h"

namespace howdah::feed::server {
namespace {

int64_t RowsOf(const std::vector<Slice>& slices) {
  int64_t rows = 0;
  for (const Slice& slice : slices) rows += slice.rows;
  return rows;
}

}  // namespace

LocalReader* TakenRows::Wanting(const Reassign& move) const {
  const auto at = readers_.find(move.reader.rank);
  return at != readers_.end() && at->second->receiver().Wants(move) ? at->second.get() : nullptr;
}

bool TakenRows::TakeHere(const Reassign& move) {
  for (const auto& [rank, donor] : readers_) {
    const std::vector<Slice> slices = donor->receiver().Find(move.pass, move.partition, move.rows);
    if (rank == move.reader.rank || RowsOf(slices) < move.rows.count()) continue;
    LocalReader& reader = *readers_.at(move.reader.rank);
    std::vector<KeptBlock> blocks;
    for (const BlockId id : BlocksOf(slices)) {
      blocks_.Own(reader.rank(), id);
      blocks.push_back(blocks_.Kept(id));
    }
    owner_.Apply(reader, reader.receiver().Fetched(move, blocks));
    return !reader.receiver().Wants(move);
  }
  return false;
}

Result<std::optional<BlockId>> TakenRows::Store(const Reassign& move, const std::string& schema,
                                                const ArrowBlock& block) {
  LocalReader* const reader = Wanting(move);
  if (reader == nullptr) return std::optional<BlockId>();
  HOWDAH_TRY(const BlockId id, blocks_.Add(move.partition, schema, block));
  blocks_.Own(reader->rank(), id);
  return std::optional(id);
}

void TakenRows::Arrived(const Reassign& move, const std::vector<BlockId>& arrived) {
  const auto at = readers_.find(move.reader.rank);
  if (at == readers_.end()) return;
  LocalReader& reader = *at->second;
  std::vector<KeptBlock> blocks;
  for (const BlockId id : arrived) {
    if (blocks_.Owns(reader.rank(), id)) blocks.push_back(blocks_.Kept(id));
  }
  owner_.Apply(reader, reader.receiver().Fetched(move, blocks));
  blocks_.Trim();
}

void TakenRows::Drop(const Reassign& move, const std::vector<BlockId>& arrived) {
  for (const BlockId id : arrived) blocks_.Drop(move.reader.rank, id);
}

}  // namespace howdah::feed::server
