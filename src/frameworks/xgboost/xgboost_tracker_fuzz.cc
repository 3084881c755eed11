// The input is a sequence of messages on four connections to the tracker. Each message consists of one byte with the
// number of the connection, one byte with the length, and the bytes.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "howdah/frameworks/xgboost/xgboost_tracker.h"

namespace howdah::frameworks::xgboost {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  XgboostTracker tracker(2);
  std::set<XgboostTracker::ConnectionId> open;
  std::string_view left = text;
  while (left.size() >= 2) {
    const XgboostTracker::ConnectionId id = static_cast<unsigned char>(left[0]) & 3U;
    const std::string_view bytes = left.substr(2, static_cast<unsigned char>(left[1]));
    left.remove_prefix(2 + bytes.size());
    if (open.insert(id).second) tracker.OnOpened(id, "10.0.0." + std::to_string(id));
    const auto output = tracker.OnBytes(id, bytes);
    for (const auto closed : output.closes) {
      if (open.erase(closed) > 0) tracker.OnClosed(closed);
    }
  }
  return 0;
}

}  // namespace howdah::frameworks::xgboost
