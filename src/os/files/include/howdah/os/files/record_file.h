// A file of records that is only appended to, each behind its length (32 bits in this machine's order). It is not
// forced to the disk: it is for the case that a process dies, not the machine. A record that is torn at the end is not
// there.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::os::files {

using OnRecord = std::function<void(std::string_view record)>;

// Each record of the file, in order; none if there is no file.
Status ReadRecords(const std::string& path, const OnRecord& on_record);

// One thread.
class RecordFile {
 public:
  // Goes on behind the records that are there, which are read first; else begins the file, for its owner alone.
  static Result<RecordFile> Open(const std::string& path, const OnRecord& on_record);

  // Some records in one write.
  Status Append(const std::vector<std::string>& records);

 private:
  RecordFile(std::string path, Fd file) : path_(std::move(path)), file_(std::move(file)) {}

  std::string path_;
  Fd file_;
};

}  // namespace howdah::os::files
