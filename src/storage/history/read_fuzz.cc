// Fuzzes the functions that read and maintain a TonY history, in which other users may write. Each line of the input is
// the path of a file in the history.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>

#include "howdah/storage/history/keep.h"
#include "howdah/storage/history/read.h"
#include "test_files.h"

namespace howdah::storage::history {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  MemoryFiles files;
  const Location location = LocationOf("/h");
  for (std::string line; std::getline(text, line);) files.files["/h/" + line] = line;
  const auto scanned = Scan(files, location, Instant(std::chrono::hours(24 * 365 * 30)));
  for (size_t i = 0; scanned.ok() && i < scanned->jobs.size(); ++i) {
    static_cast<void>(ReadConfiguration(files, scanned->jobs[i]));
    static_cast<void>(ReadEvents(files, scanned->jobs[i]));
  }
  const auto status = [](const std::string& id) -> Result<journal::JobView> { return Error{ErrorCode::kNotFound, id}; };
  const auto offset = [](Instant) { return Duration(std::chrono::hours(1)); };
  const Instant before(std::chrono::hours(24 * 365 * 60));
  static_cast<void>(Move(files, location, offset, status, Mode::kApply));
  static_cast<void>(Purge(files, location, before, offset, status, Mode::kApply));
  return 0;
}

}  // namespace howdah::storage::history
