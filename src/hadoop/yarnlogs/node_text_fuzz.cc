// Extracts a log file from the input, which stands for the answer of a NodeManager, whole and in pieces.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/hadoop/yarnlogs/node_text.h"

namespace howdah::hadoop::yarnlogs {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  NodeText whole(0, [](std::string_view) {});
  static_cast<void>(whole.Add(text));
  NodeText pieces(3, [](std::string_view) {});
  for (size_t at = 0; at < text.size(); at += 7) {
    if (!pieces.Add(std::string_view(text).substr(at, 7)).ok()) break;
  }
  return 0;
}

}  // namespace howdah::hadoop::yarnlogs
