// For the tests of this library: recorded files, and in-memory sources.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>
#include <utility>

#include "howdah/hadoop/yarnlogs/aggregated_log.h"

namespace howdah::hadoop::yarnlogs::testing {

// Returns the content of a file in testdata/, where it is stored gzipped. Returns an empty text if there is no such
// file.
inline std::string Recorded(const std::string& name) {
  const std::string path = std::string(HOWDAH_SOURCE_DIR) + "/src/hadoop/yarnlogs/testdata/" + name + ".gz";
  gzFile file = gzopen(path.c_str(), "rb");
  std::string bytes;
  std::string piece(1 << 16, '\0');
  for (int size = 1; file != nullptr && size > 0;) {
    size = gzread(file, piece.data(), static_cast<unsigned>(piece.size()));
    if (size > 0) bytes.append(piece, 0, static_cast<size_t>(size));
  }
  if (file != nullptr) gzclose(file);
  return bytes;
}

// Counts the bytes that are read from a source.
struct Traffic {
  int64_t bytes = 0;
  size_t largest = 0;
};

// `bytes` must live longer than the source.
inline Source SourceOf(std::string_view bytes, Traffic* traffic = nullptr) {
  return {static_cast<int64_t>(bytes.size()), [bytes, traffic](int64_t offset, size_t size) -> Result<std::string> {
            const bool within = offset >= 0 && static_cast<uint64_t>(offset) <= bytes.size() &&
                                size <= bytes.size() - static_cast<size_t>(offset);
            if (!within) return Failed("read beyond the end");
            if (traffic != nullptr) {
              traffic->bytes += static_cast<int64_t>(size);
              traffic->largest = std::max(traffic->largest, size);
            }
            return std::string(bytes.substr(static_cast<size_t>(offset), size));
          }};
}

// Reads an entry from offset `from` to the end.
inline Result<std::string> ReadAll(AggregatedLog& log, const LogEntry& entry, int64_t from = 0) {
  HOWDAH_TRY(auto stream, log.Read(entry, from));
  std::string all;
  for (;;) {
    HOWDAH_TRY(auto next, stream->Next());
    if (next.empty()) return all;
    all += next;
  }
}

}  // namespace howdah::hadoop::yarnlogs::testing
