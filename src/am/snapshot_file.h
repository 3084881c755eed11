// A file of records that a snapshot replaces when it has grown.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/record_file.h"

namespace howdah::am {

// Each record is in the file when the call that adds it returns, unless written() is an error. After
// ErrorCode::kNoSpace the records wait in memory: the caller must hold back everything that follows from them
// (WhenWritten) until Flush has succeeded. After any other error the file cannot be used any more.
//
// A snapshot is written to "PATH.new" and then renamed, so that the file is complete at any time. Not thread-safe.
class SnapshotFile {
 public:
  // Calls on_record with the records of the file. An absent file is created, without a record.
  static Result<SnapshotFile> Open(const std::string& path, const os::files::OnRecord& on_record);

  // snapshot: the records that may replace all records of the file.
  void Append(const std::vector<std::string>& records, const std::function<std::vector<std::string>()>& snapshot);
  // Whether the file has no record: it was absent, and nothing was written yet.
  bool empty() const { return bytes_ == 0; }
  const std::string& path() const { return file_.path(); }
  const Status& written() const { return written_; }
  // Calls `then` now, or when Flush has succeeded. The order of calls is kept.
  void WhenWritten(std::function<void()> then);
  // Repeats a write that has failed with kNoSpace.
  const Status& Flush();

 private:
  explicit SnapshotFile(os::files::RecordFile file);

  void Replace(const std::vector<std::string>& records);
  Status ReplaceFile(const std::vector<std::string>& records);

  os::files::RecordFile file_;
  Status written_;
  std::deque<std::function<void()>> held_;  // by WhenWritten
  size_t bytes_ = 0;                        // of all records in the file
  size_t replace_at_ = 0;                   // the value of bytes_ at which a snapshot is written
};

}  // namespace howdah::am
