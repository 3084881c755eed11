#include "lane.h"

#include <algorithm>

namespace howdah::feed {

__extension__ using Wide = __int128;

Segment Segment::Part(int64_t from, int64_t to) const {
  from = std::max(from, at);
  to = std::min(to, end());
  const auto share = [this](int64_t position) {
    // Parts of a segment add up to its bytes. 128 bits, because both factors may be large.
    return static_cast<int64_t>(static_cast<Wide>(bytes) * (position - at) / rows.count());
  };
  const int64_t before = share(from);
  return {from,  partition, {rows.from + (from - at), rows.from + (to - at)}, share(to) - before, bytes_at + before,
          repeat};
}

int64_t Lane::Append(Segment segment) {
  segment.at = end_;
  segment.bytes_at = bytes_end_;
  end_ += segment.rows.count();
  bytes_end_ += segment.bytes;
  if (!segments_.empty() && segments_.back().partition == segment.partition &&
      segments_.back().rows.to == segment.rows.from && segments_.back().repeat == segment.repeat &&
      (segments_.back().bytes == 0) == (segment.bytes == 0)) {
    segments_.back().rows.to = segment.rows.to;
    segments_.back().bytes += segment.bytes;
  } else {
    segments_.push_back(segment);
  }
  return segment.at;
}

std::vector<Segment> Lane::Truncate(int64_t at) {
  std::vector<Segment> removed;
  bytes_end_ -= BytesFrom(at);
  Each(at, end_, [&removed](const Segment& part) { removed.push_back(part); });
  while (!segments_.empty() && segments_.back().at >= at) segments_.pop_back();
  if (!segments_.empty() && segments_.back().end() > at) segments_.back() = segments_.back().Part(0, at);
  end_ = std::min(end_, at);
  return removed;
}

void Lane::Cut(int64_t at) {
  if (at > cut()) cuts_.push_back(at);
}

void Lane::EachWindow(const std::function<void(Rows)>& visit) const {
  int64_t from = base_;
  for (const int64_t to : cuts_) {
    visit({from, to});
    from = to;
  }
}

std::vector<Segment>::const_iterator Lane::FirstAfter(int64_t at) const {
  return std::upper_bound(segments_.begin(), segments_.end(), at,
                          [](int64_t position, const Segment& segment) { return position < segment.end(); });
}

void Lane::Each(int64_t from, int64_t to, const Visit& visit) const {
  for (auto at = FirstAfter(from); at != segments_.end() && at->at < to; ++at) visit(at->Part(from, to));
}

void Lane::EachHandedOut(int64_t rows, const Window* order, const Visit& visit) const {
  if (order == nullptr) return Each(base_, rows, visit);
  int64_t from = base_;
  for (const int64_t to : cuts_) {
    if (rows <= from) return;
    if (rows >= to) {
      Each(from, to, visit);
    } else {
      Window window = *order;
      window.at = from;
      window.rows = to - from;
      std::vector<int32_t> offsets = WindowOrder(window);
      offsets.resize(static_cast<size_t>(rows - from));
      for (const int32_t offset : offsets) Each(from + offset, from + offset + 1, visit);
    }
    from = to;
  }
}

int64_t Lane::SettleLimit(int64_t rows, bool shuffled) const {
  if (!shuffled) return std::clamp(rows, base_, end_);
  const auto after = std::upper_bound(cuts_.begin(), cuts_.end(), rows);
  return after == cuts_.begin() ? base_ : *(after - 1);
}

void Lane::Settle(int64_t at, const Visit& visit) {
  if (at <= base_) return;
  Each(base_, at, visit);
  const auto first = FirstAfter(at);
  segments_.erase(segments_.begin(), first);
  if (!segments_.empty() && segments_.front().at < at) segments_.front() = segments_.front().Part(at, end_);
  cuts_.erase(cuts_.begin(), std::upper_bound(cuts_.begin(), cuts_.end(), at));
  base_ = at;
}

std::vector<AcceptRows::Placed> Lane::Find(PartitionId partition, Rows rows) const {
  std::vector<AcceptRows::Placed> found;
  for (const Segment& segment : segments_) {
    if (segment.partition != partition || segment.repeat) continue;
    const Rows common{std::max(segment.rows.from, rows.from), std::min(segment.rows.to, rows.to)};
    if (common.count() > 0) found.push_back({segment.at + (common.from - segment.rows.from), common});
  }
  return found;
}

int64_t Lane::BytesFrom(int64_t at) const {
  if (at >= end_) return 0;
  return bytes_end_ - FirstAfter(at)->Part(std::max(at, base_), end_).bytes_at;
}

bool Lane::valid() const {
  if (base_ < 0 || base_ > kMostPositions) return false;
  int64_t at = base_;
  int64_t bytes = segments_.empty() ? bytes_end_ : segments_.front().bytes_at;
  for (const Segment& segment : segments_) {
    if (segment.at != at || segment.bytes_at != bytes || bytes < 0 || bytes > kMostPositions) return false;
    if (segment.bytes < 0 || segment.bytes > kMostPositions || segment.at > kMostPositions) return false;
    if (segment.rows.count() <= 0 || segment.rows.to > kMostRows) return false;
    at = segment.end();
    bytes += segment.bytes;
  }
  int64_t cut = base_;
  for (const int64_t to : cuts_) {
    if (to <= cut || to - cut > kLargestPool || to > end_) return false;
    cut = to;
  }
  return at == end_ && bytes == bytes_end_;
}

}  // namespace howdah::feed
