// Reads the input as a file of aggregated logs and as a checksum file.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/hadoop/yarnlogs/aggregated_log.h"
#include "howdah/hadoop/yarnlogs/locations.h"

namespace howdah::hadoop::yarnlogs {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  Source source;
  source.size = static_cast<int64_t>(text.size());
  source.read = [&text](int64_t offset, size_t wanted) -> Result<std::string> {
    const auto at = static_cast<size_t>(offset);
    if (offset < 0 || at > text.size() || wanted > text.size() - at) __builtin_trap();
    return text.substr(at, wanted);
  };
  static_cast<void>(ParseChecksum(text));
  const auto log = OpenAggregatedLog(source);
  if (!log.ok()) return 0;
  const auto entries = (*log)->List("");
  for (size_t i = 0; entries.ok() && i < std::min<size_t>(entries->size(), 8); ++i) {
    const auto stream = (*log)->Read((*entries)[i], 0);
    for (int reads = 0; stream.ok() && reads < 16; ++reads) {
      const auto bytes = (*stream)->Next();
      if (!bytes.ok() || bytes->empty()) break;
    }
  }
  return 0;
}

}  // namespace howdah::hadoop::yarnlogs
