// Fuzzes the functions that read and maintain a TonY history, in which other users may write. The input encodes files:
// for each file a line with its path in the history, two bytes with the length of its content (little-endian), and the
// content.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/storage/history/keep.h"
#include "howdah/storage/history/read.h"
#include "test_files.h"

namespace howdah::storage::history {
namespace {

MemoryFiles FilesOf(std::string_view text) {
  MemoryFiles files;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string path = "/h/" + std::string(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (text.size() < 2) break;
    const size_t length = static_cast<unsigned char>(text[0]) | static_cast<size_t>(static_cast<unsigned char>(text[1]))
                                                                    << 8;
    const std::string_view content = text.substr(2, length);
    text.remove_prefix(2 + content.size());
    files.files[path] = content;
  }
  return files;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  MemoryFiles files = FilesOf({reinterpret_cast<const char*>(data), size});
  const Location location = LocationOf("/h");
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
