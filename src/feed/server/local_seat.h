// The place of a task among the readers of a feed.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "howdah/wire/executor.pb.h"

namespace howdah::feed::server {

// The numbers of the readers in one attempt of the task: one for each process. A value. Before the first attempt, and
// after the end of each, the task has no reader.
class LocalSeat {
 public:
  LocalSeat() = default;
  LocalSeat(wire::FeedReaders readers, int processes) : readers_(std::move(readers)), processes_(processes) {}

  // The processes of the attempt have ended. The other values stay.
  void End() { processes_ = 0; }

  bool Has(int reader) const { return reader >= readers_.first() && reader < readers_.first() + processes_; }
  // The reader of the process; -1 if it has none.
  int ReaderOf(int local_rank) const {
    return local_rank >= 0 && local_rank < processes_ ? readers_.first() + local_rank : -1;
  }
  // The number of the readers of all tasks.
  int readers() const { return readers_.readers(); }
  int64_t generation() const { return readers_.generation(); }
  // Empty before the first attempt.
  const std::string& token() const { return readers_.token(); }

 private:
  wire::FeedReaders readers_;
  int processes_ = 0;  // 0: no attempt runs
};

}  // namespace howdah::feed::server
