// The calls of a server that wait to receive their next block.
#pragma once

#include <cstdint>
#include <deque>

namespace howdah::feed::server {

// Blocks are received only while those that were received and have no answer have fewer bytes than the limit. Used on
// the owner's loop only.
class ReadQueue {
 public:
  explicit ReadQueue(int64_t limit) : limit_(limit) {}

  void Add(uint64_t call) { waiting_.push_back(call); }
  void Received(int64_t bytes) { unanswered_ += bytes; }
  void Answered(int64_t bytes) { unanswered_ -= bytes; }
  // Calls read(call) for the calls that may receive their next block.
  template <typename Read>
  void ReadNext(const Read& read) {
    while (!waiting_.empty() && unanswered_ < limit_) {
      const uint64_t next = waiting_.front();
      waiting_.pop_front();
      read(next);
    }
  }

 private:
  const int64_t limit_;
  int64_t unanswered_ = 0;
  std::deque<uint64_t> waiting_;
};

}  // namespace howdah::feed::server
