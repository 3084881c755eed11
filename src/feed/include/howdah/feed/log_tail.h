// The newest records of a feed's log, which the executors of the job keep for the next AM. Pure.
//
// The log is copied to other machines with a delay. If the machine of the AM is lost, the copy lacks the newest
// records: the *tail*. So each message that follows from the log brings the records to its executor that it has not got
// yet. An executor then never knows of a decision without the records that led to it, and the next AM gets the tail
// back from the executors. Records that no executor has got were without effect: their senders report the same facts
// again.
//
// Records are numbered from 0. A snapshot that replaces records in the file changes no numbers.
//
// TERMS. An AM that continues from a copy begins a new term. It may lack records of an executor that it could not wait
// for. Such an executor has seen decisions that do not hold any more, which Covers finds out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace howdah::feed {

// Consecutive records of a log.
struct LogPiece {
  int64_t term = 0;   // of the AM that has sent the newest record; 0: an executor has got no message yet
  int64_t first = 0;  // number of the first record, or of the next one if there is none
  std::vector<std::string> records = {};

  int64_t end() const { return first + static_cast<int64_t>(records.size()); }
};

// The records from number `first` on were written in this term, or in a later one.
struct LogTerm {
  int64_t number = 0;
  int64_t first = 0;
  friend bool operator==(const LogTerm&, const LogTerm&) = default;
};

// The newest records, of limited size. Not thread-safe.
class LogTail {
 public:
  // Records that an executor and the AM keep, and those that an executor gets at first, in bytes.
  static constexpr size_t kMost = size_t{2} << 20, kAtFirst = size_t{64} << 10;

  // --- the AM ---

  void Add(std::string record);
  // A snapshot stands for the first `records` records. Older ones are not kept.
  void StartAt(int64_t records);
  // A term begins, whose number is larger than those before.
  void AddTerm(const LogTerm& term) { terms_.push_back(term); }
  // The newest records: those from this number on, or as many of them as are kept.
  LogPiece From(int64_t number) const;
  // The newest records, at most kAtFirst bytes.
  LogPiece AtFirst() const;
  const std::vector<LogTerm>& terms() const { return terms_; }
  // The newest one; 0: none has begun.
  int64_t term() const { return terms_.empty() ? 0 : terms_.back().number; }
  int64_t end() const { return end_; }

  // --- an executor ---

  // Takes records from the AM. They replace those with the same numbers.
  void Take(const LogPiece& piece);
  LogPiece All() const { return From(0); }

 private:
  int64_t first() const { return end_ - static_cast<int64_t>(records_.size()); }
  void Clear(int64_t end);

  std::vector<LogTerm> terms_;  // of an executor: only the newest one
  std::deque<std::string> records_;
  size_t bytes_ = 0;
  int64_t end_ = 0;  // the number of the next record
};

// The records that follow after the first `records` records of a log, whose newest term is `term`: those that the
// executors have got from the newest AM.
std::vector<std::string> MissingRecords(int64_t term, int64_t records, const std::vector<LogPiece>& tails);

// Whether a log with these terms and this number of records has all records that the executor with this tail has seen.
bool Covers(const std::vector<LogTerm>& terms, int64_t records, const LogPiece& tail);

}  // namespace howdah::feed
