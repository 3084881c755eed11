#include "howdah/feed/log_tail.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace howdah::feed {
namespace {

// The bytes that a record counts, so that many small records do not need much more memory than the limit.
size_t SizeOf(const std::string& record) { return record.size() + sizeof(std::string); }

}  // namespace

void LogTail::Add(std::string record) {
  bytes_ += SizeOf(record);
  records_.push_back(std::move(record));
  ++end_;
  for (; bytes_ > kMost; records_.pop_front()) bytes_ -= SizeOf(records_.front());
}

void LogTail::Clear(int64_t end) {
  records_.clear();
  bytes_ = 0;
  end_ = end;
}

void LogTail::StartAt(int64_t records) { Clear(records); }

LogPiece LogTail::From(int64_t number) const {
  number = std::clamp(number, first(), end_);
  LogPiece piece{.term = term(), .first = number};
  piece.records.assign(records_.end() - (end_ - number), records_.end());
  return piece;
}

LogPiece LogTail::AtFirst() const {
  size_t bytes = 0;
  int64_t number = end_;
  for (auto at = records_.rbegin(); at != records_.rend(); ++at, --number) {
    bytes += SizeOf(*at);
    if (bytes > kAtFirst) break;
  }
  return From(number);
}

void LogTail::Take(const LogPiece& piece) {
  const bool same_term = term() == piece.term;
  if (same_term && piece.end() <= end_) return;
  // Records of an earlier term may have been lost with its AM. After a gap, the older records are of no use.
  if (!same_term || piece.first > end_ || piece.first < first()) Clear(piece.first);
  terms_ = {{piece.term, piece.first}};
  for (int64_t known = end_ - piece.first; known < std::ssize(piece.records); ++known) {
    Add(piece.records[static_cast<size_t>(known)]);
  }
}

std::vector<std::string> MissingRecords(int64_t term, int64_t records, const std::vector<LogPiece>& tails) {
  for (const LogPiece& tail : tails) term = std::max(term, tail.term);
  std::vector<std::string> missing;
  for (bool found = true; found;) {
    found = false;
    for (const LogPiece& tail : tails) {
      if (tail.term != term || tail.first > records || tail.end() <= records) continue;
      missing.insert(missing.end(), tail.records.end() - (tail.end() - records), tail.records.end());
      records = tail.end();
      found = true;
    }
  }
  return missing;
}

bool Covers(const std::vector<LogTerm>& terms, int64_t records, const LogPiece& tail) {
  if (tail.term == 0) return true;
  const auto term =
      std::find_if(terms.begin(), terms.end(), [&tail](const LogTerm& one) { return one.number == tail.term; });
  if (term == terms.end()) return false;
  const auto next = std::next(term);
  return tail.end() <= (next == terms.end() ? records : next->first);
}

}  // namespace howdah::feed
