// Unpacking archives.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/result.h"

namespace howdah::os::files {

struct UnpackLimits {
  int64_t bytes = int64_t{1} << 40;
  int64_t entries = 10'000'000;
};

// Links whose target lies outside the directory: an error, or kept as they are (an interpreter packed by venv-pack is
// such a link). Nothing is ever written through a link.
enum class OutwardLinks { kRefuse, kKeep };

// Unpacks a zip (with Unix modes), a tar, or a compressed tar into a directory that is there, replacing files in the
// way. Refused, with the entry named: absolute paths, "..", devices, what is over the limits. Memory is bounded.
Status Unpack(const std::string& archive, const std::string& directory, OutwardLinks links = OutwardLinks::kRefuse,
              const UnpackLimits& limits = {});

}  // namespace howdah::os::files
