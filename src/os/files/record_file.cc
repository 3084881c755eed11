#include "howdah/os/files/record_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::os::files {
namespace {

constexpr size_t kLimit = size_t{1} << 30;
using Length = uint32_t;

// Passes each whole record to on_record and returns the size of all whole records.
size_t SplitRecords(std::string_view bytes, const OnRecord& on_record) {
  size_t at = 0;
  while (bytes.size() - at >= sizeof(Length)) {
    Length length;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    if (bytes.size() - at - sizeof length < length) break;
    on_record(bytes.substr(at + sizeof length, length));
    at += sizeof length + length;
  }
  return at;
}

}  // namespace

Status ReadRecords(const std::string& path, const OnRecord& on_record) {
  struct stat status;
  if (stat(path.c_str(), &status) != 0 && errno == ENOENT) return {};
  HOWDAH_TRY(const auto bytes, ReadFile(path, kLimit));
  SplitRecords(bytes, on_record);
  return {};
}

Result<RecordFile> RecordFile::Open(const std::string& path, const OnRecord& on_record) {
  HOWDAH_TRY(auto file, OpenForAppend(path, 0600));
  HOWDAH_TRY(const auto bytes, ReadFile(path, kLimit));
  const size_t whole = SplitRecords(bytes, on_record);
  if (whole < bytes.size() && ftruncate(file.get(), static_cast<off_t>(whole)) != 0) {
    return SystemError("removing the torn record at the end of " + path);
  }
  return RecordFile(path, std::move(file));
}

Status RecordFile::Append(const std::vector<std::string>& records) {
  std::string bytes;
  for (const std::string& record : records) {
    const auto length = static_cast<Length>(record.size());
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes += record;
  }
  return WriteAll(file_.get(), bytes, path_);
}

}  // namespace howdah::os::files
