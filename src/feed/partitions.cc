#include "partitions.h"

#include <algorithm>

namespace howdah::feed {

template <typename Change>
void Partitions::Update(PartitionId id, const Change& change) {
  const auto at = open_.try_emplace(id).first;
  Partition& partition = at->second;
  complete_ -= partition.complete();
  change(partition);
  complete_ += partition.complete();
  if (partition.complete() && partition.committed.count() == partition.end->rows) {
    committed_.Add({id, id + 1});
    open_.erase(at);
  }
}

std::vector<Rows> Partitions::Accept(PartitionId id, Rows rows, std::optional<uint64_t> digest) {
  if (IsCommitted(id)) return {};
  std::vector<Rows> accepted;
  Update(id, [&](Partition& partition) {
    accepted = partition.accepted.Missing(rows);
    partition.accepted.Add(rows);
    if (accepted.empty()) return;
    // The digest of a part of the rows is not known.
    const bool whole = accepted.size() == 1 && accepted.front() == rows;
    partition.sum = partition.sum && digest && whole ? std::optional(*partition.sum + *digest) : std::nullopt;
  });
  return accepted;
}

void Partitions::Release(PartitionId id, Rows rows) {
  if (IsCommitted(id)) return;
  Update(id, [&rows](Partition& partition) {
    for (const Rows& part : partition.committed.Missing(rows)) partition.accepted.Remove(part);
    partition.sum = partition.accepted.empty() ? std::optional<uint64_t>(0) : std::nullopt;
  });
}

void Partitions::Commit(PartitionId id, Rows rows) {
  if (IsCommitted(id)) return;
  committed_any_ = true;
  Update(id, [&rows](Partition& partition) { partition.committed.Add(rows); });
}

void Partitions::RollBack() {
  complete_ = committed_.count();
  for (auto& [id, partition] : open_) {
    partition.accepted = partition.committed;
    partition.sum = partition.accepted.empty() ? std::optional<uint64_t>(0) : std::nullopt;
    complete_ += partition.complete();
  }
}

void Partitions::SetEnd(PartitionId id, const PartitionEnd& end) {
  if (IsCommitted(id)) return;
  Update(id, [&end](Partition& partition) { partition.end = end; });
}

void Partitions::StrikeFrom(PartitionId id, int64_t row) {
  if (IsCommitted(id)) return;
  Update(id, [row](Partition& partition) {
    const int64_t end = partition.end ? partition.end->rows : std::max(row, partition.accepted.end());
    for (const Rows& missing : partition.accepted.Missing({row, end})) {
      partition.accepted.Add(missing);
      partition.committed.Add(missing);
    }
    partition.end = PartitionEnd{end, std::nullopt};
  });
}

const Partition* Partitions::Find(PartitionId id) const {
  const auto at = open_.find(id);
  return at == open_.end() ? nullptr : &at->second;
}

bool Partitions::IsCommitted(PartitionId id) const { return !committed_.Common({id, id + 1}).empty(); }

bool Partitions::IsComplete(PartitionId id) const {
  if (IsCommitted(id)) return true;
  const Partition* partition = Find(id);
  return partition != nullptr && partition->complete();
}

std::vector<Rows> Partitions::Missing(PartitionId id) const {
  if (IsComplete(id)) return {};
  const Partition* partition = Find(id);
  if (partition == nullptr) return {{0, kMostRows}};
  return partition->accepted.Missing({0, partition->end ? partition->end->rows : kMostRows});
}

std::vector<Rows> Partitions::Incomplete(PartitionId count) const {
  RowRanges incomplete;
  for (Rows gap : committed_.Missing({0, count})) {
    for (auto at = open_.lower_bound(gap.from); at != open_.end() && at->first < gap.to; ++at) {
      if (!at->second.complete()) continue;
      incomplete.Add({gap.from, at->first});
      gap.from = at->first + 1;
    }
    incomplete.Add(gap);
  }
  return incomplete.ranges();
}

PartitionId Partitions::end() const {
  return std::max(committed_.end(), open_.empty() ? PartitionId{0} : open_.rbegin()->first + 1);
}

bool Partitions::valid() const {
  int64_t complete = committed_.count();
  for (const auto& [id, partition] : open_) {
    if (id < 0 || IsCommitted(id) || !partition.accepted.valid() || !partition.committed.valid()) return false;
    if (partition.end && (partition.end->rows < 0 || partition.end->rows > kMostRows)) return false;
    for (const Rows& rows : partition.committed.ranges()) {
      if (!partition.accepted.Missing(rows).empty()) return false;
    }
    complete += partition.complete();
  }
  return committed_.valid() && complete == complete_;
}

}  // namespace howdah::feed
