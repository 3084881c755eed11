// Where in the cluster's file system aggregated logs lie, from the cluster's configuration (LogAggregationUtils,
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

// The value of a key of yarn-site.xml, or of Hadoop's defaults for it; nullopt or empty: not set.
using ConfigurationValue = std::function<std::optional<std::string>(const std::string& key)>;

// The directories in which the logs of an application may lie, likeliest first: of each format that is configured and
// of the two that Hadoop brings, in buckets (since 3.3) and without. `application` is "application_1795285645199_0001",
// `user` its owner. Paths are as the configuration has them: with a scheme, or of the default file system. Empty:
// `application` is no id of an application.
std::vector<std::string> LogDirectories(const ConfigurationValue& configuration, const std::string& user,
                                        std::string_view application);

// Of the names in such a directory the files of aggregated logs of the node ("host:port"; empty: of all nodes), in the
// order in which they were written. Unfinished uploads and checksums are left out.
std::vector<std::string> LogFilesOf(std::string_view node, const std::vector<std::string>& names);

// The checksum file that lies beside an IndexedFile whose last upload did not end: only the first `end` bytes of the
// file `name` are good; 0: none. The name of a checksum file ends in kChecksumSuffix.
inline constexpr std::string_view kChecksumSuffix = "-checksum";
struct Checksum {
  std::string name;
  int64_t end = 0;
};
Result<Checksum> ParseChecksum(std::string_view bytes);

}  // namespace howdah::hadoop::yarnlogs
