// An append-only file of records with checksums.
//
//   "HWDHREC1"                                       the format and its version
//   length, CRC of length, CRC of record, record     for each record
//
// Numbers have 32 bits and this machine's byte order. The CRC is CRC-32C. Writes are not synced to disk, so the file
// survives the death of the process, but not of the machine. A process that dies while it appends leaves the beginning
// of a record at the end of the file: this torn record is ignored, and removed by the next writer. Any other damage is
// an error with the file and the offset, because the records after it cannot be trusted to be complete.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::files {

// An error ends the reading. The error that the caller receives names the file and the offset of the record.
using OnRecord = std::function<Status(std::string_view record)>;

// Calls on_record with each record of the file, in order. If the file does not exist, makes no call and succeeds. The
// amount of memory does not depend on the size of the file.
Status ReadRecords(const std::string& path, const OnRecord& on_record);

// Not thread-safe.
class RecordFile {
 public:
  // Reads the existing records; later appends follow them. Creates the file with mode 0600 if absent.
  static Result<RecordFile> Open(const std::string& path, const OnRecord& on_record);

  // Appends the records in one write. If the file system is full (ErrorCode::kNoSpace), the rest stays in memory and is
  // written before the records of the next Append, which may be an empty list.
  Status Append(const std::vector<std::string>& records);

  const std::string& path() const { return path_; }

 private:
  RecordFile(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Fd file_;
  std::string unwritten_;
};

}  // namespace howdah::os::files
