// The journal of a job as a file: one line per entry, append-only.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "howdah/base/result.h"
#include "howdah/core/change.h"
#include "howdah/os/files/fd.h"

namespace howdah::am {

// Not thread-safe. A second writer (the guardian, after the AM's death) opens its own JournalFile.
class JournalFile {
 public:
  // Passes each readable entry of the existing file to on_entry, in order. Removes a torn last line, so that the next
  // entry begins on a new line. The required memory does not depend on the size of the file.
  using OnEntry = std::function<void(const core::JournalEntry& entry)>;
  static Result<JournalFile> Open(const std::string& path, const OnEntry& on_entry);

  // Queues an entry. Flush writes all queued entries in one call, so that readers see each step of the job completely
  // or not at all. If the file system is full (ErrorCode::kNoSpace), the entries that were not written stay queued.
  void Add(const core::JournalEntry& entry);
  Status Flush();

  // The file's size in bytes, queued entries included.
  int64_t size() const { return written_ + static_cast<int64_t>(queued_.size()); }
  // The file's whole text, queued entries included.
  Result<std::string> Text() const;

 private:
  JournalFile(std::string path, os::files::Fd file, int64_t size)
      : path_(std::move(path)), file_(std::move(file)), written_(size) {}
  std::string path_;
  os::files::Fd file_;
  int64_t written_;
  std::string queued_;
};

}  // namespace howdah::am
