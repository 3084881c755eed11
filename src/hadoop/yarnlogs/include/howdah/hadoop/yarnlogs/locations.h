// Locations of aggregated logs in the cluster's file system, from the cluster's configuration (LogAggregationUtils,
// LogAggregationFileController). Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::yarnlogs {

// The value of a key of yarn-site.xml or its default; nullopt or empty: not set.
using ConfigurationValue = std::function<std::optional<std::string>(const std::string& key)>;

// The directories that may hold the logs of an application, likeliest first: of each configured format and of Hadoop's
// two formats, with buckets (since 3.3) and without. `application`: "application_1795285645199_0001"; `user`: its
// owner. Paths are as configured: with a scheme, or on the default file system. Empty: `application` is not an
// application id.
std::vector<std::string> LogDirectories(const ConfigurationValue& configuration, const std::string& user,
                                        std::string_view application);

// Selects the files of aggregated logs of a node ("host:port"; empty: all nodes) from the names in such a directory, in
// the order in which they were written. Leaves out unfinished uploads and checksums.
std::vector<std::string> LogFilesOf(std::string_view node, const std::vector<std::string>& names);

// The checksum file beside an IndexedFile whose last upload did not finish: only the first `end` bytes of the file
// `name` are valid; 0: none. The name of a checksum file ends in kChecksumSuffix.
inline constexpr std::string_view kChecksumSuffix = "-checksum";
struct Checksum {
  std::string name;
  int64_t end = 0;
};
Result<Checksum> ParseChecksum(std::string_view bytes);

}  // namespace howdah::hadoop::yarnlogs
