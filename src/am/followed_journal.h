// The journal as it is sent to followers: its file, its size, and the lines that must wait until output was sent.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "howdah/base/ids.h"
#include "howdah/os/files/fd.h"

namespace howdah::am {

// A journal line that records the end of an attempt. The line is sent after all of the attempt's output.
struct AttemptEnd {
  int64_t offset = 0;  // offset of the line
  TaskId task;
  int attempt = 0;
};

class FollowedJournal {
 public:
  explicit FollowedJournal(std::string path) : path_(std::move(path)) {}

  // Sets the size up to which the journal is written. Returns false if the size is unchanged.
  bool SetSize(int64_t size);
  int64_t size() const { return size_; }
  void AddAttemptEnd(const AttemptEnd& end) { attempt_ends_.push_back(end); }
  const std::deque<AttemptEnd>& attempt_ends() const { return attempt_ends_; }  // ordered by offset; append-only
  // Returns at least one whole line, and at most about 64 KiB if lines are shorter. Returns "" if the journal cannot be
  // read.
  std::string Read(int64_t from, int64_t to);

 private:
  const std::string path_;
  os::files::Fd file_;
  int64_t size_ = 0;
  std::deque<AttemptEnd> attempt_ends_;
};

}  // namespace howdah::am
