// The journal of a job as a file: one line an entry, appended only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/core/change.h"
#include "howdah/os/files/fd.h"

namespace howdah::am {

// One owner, one thread; a second writer (the guardian, after the AM's death) opens its own.
class JournalFile {
 public:
  static Result<JournalFile> Open(const std::string& path);

  // Queues an entry; Flush writes what is queued in one call, so that a reader sees a step of the job whole.
  void Add(const core::JournalEntry& entry);
  Status Flush();

  // Bytes, what is queued included.
  int64_t size() const { return written_ + static_cast<int64_t>(queued_.size()); }
  // Everything, what is queued included.
  Result<std::string> Text() const;

 private:
  JournalFile(std::string path, os::files::Fd file, int64_t size)
      : path_(std::move(path)), file_(std::move(file)), written_(size) {}
  std::string path_;
  os::files::Fd file_;
  int64_t written_;
  std::string queued_;
};

// How many entries the core made: all but those of others, about TensorBoard.
size_t EntriesOfCore(const std::vector<core::JournalEntry>& journal);

// Every entry of a journal that can be read; a torn last line is left out.
Result<std::vector<core::JournalEntry>> ReadJournal(const std::string& path);

}  // namespace howdah::am
