// Unpacks archives.
#pragma once

#include <cstdint>
#include <string>

#include "howdah/base/result.h"

namespace howdah::os::files {

struct UnpackLimits {
  int64_t bytes = int64_t{1} << 40;
  int64_t entries = 10'000'000;
  // The free space, in bytes, that must stay on the directory's disk; checked every 16 MiB.
  int64_t disk_reserve = int64_t{64} << 20;
};

// Whether links whose target is outside the directory are refused, or kept as they are. In an archive of venv-pack, the
// Python interpreter is such a link. Unpack never writes through a link.
enum class OutwardLinks { kRefuse, kKeep };

// Unpacks a zip file (with Unix modes), a tar file or a compressed tar file (gzip, bzip2, xz, zstd or lz4) into an
// existing directory and replaces existing files. Executes no other program. Refuses absolute paths, "..", devices and
// entries over the limits; the error names the entry. Memory is bounded.
Status Unpack(const std::string& archive, const std::string& directory, OutwardLinks links = OutwardLinks::kRefuse,
              const UnpackLimits& limits = {});

}  // namespace howdah::os::files
