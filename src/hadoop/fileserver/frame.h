// Frames of the protocol in serve.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::hadoop::fileserver {

struct Frame {
  std::string header, payload;
};

// The two sizes before each frame.
inline constexpr size_t kPrefix = 8;
struct Sizes {
  size_t header = 0, payload = 0;
};
// Returns an error if a size is above the limits of serve.h. prefix: kPrefix bytes.
Result<Sizes> ParseSizes(std::string_view prefix);
std::string WriteSizes(size_t header, size_t payload);

// Reads the next frame. Returns nullopt at the end of the input.
Result<std::optional<Frame>> ReadFrame(int fd);

// Writes a frame with as few copies as possible.
Status WriteFrame(int fd, std::string_view header, std::string_view payload);

}  // namespace howdah::hadoop::fileserver
