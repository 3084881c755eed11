// An append-only file of records. Each record is preceded by its length (32 bits in this machine's byte order). Writes
// are not synced to disk, so the file survives the death of the process, but not of the machine. An incomplete record
// at the end is dropped.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::files {

using OnRecord = std::function<void(std::string_view record)>;

// Calls on_record for each record of the file, in order. A missing file has no records and is not an error.
Status ReadRecords(const std::string& path, const OnRecord& on_record);

// Not thread-safe.
class RecordFile {
 public:
  // Reads the existing records; later appends follow them. Creates the file with mode 0600 if absent.
  static Result<RecordFile> Open(const std::string& path, const OnRecord& on_record);

  // Appends the records in one write.
  Status Append(const std::vector<std::string>& records);

 private:
  RecordFile(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Fd file_;
};

}  // namespace howdah::os::files
