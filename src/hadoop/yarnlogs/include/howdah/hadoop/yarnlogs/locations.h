// Finds aggregated logs in the cluster's file system by the cluster's configuration (LogAggregationUtils,
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

// Returns the value of a key of yarn-site.xml or its default; nullopt or empty if it is not set.
using ConfigurationValue = std::function<std::optional<std::string>(const std::string& key)>;

// The directories that may hold the logs of an application, likeliest first: for each configured format and for
// Hadoop's two formats, with buckets (since 3.3) and without. `application` is such as
// "application_1795285645199_0001", and `user` is its owner. Paths are as configured: with a scheme, or on the default
// file system. Returns none if `application` is not an application id.
std::vector<std::string> LogDirectories(const ConfigurationValue& configuration, const std::string& user,
                                        std::string_view application);

// Selects the files of aggregated logs of a node ("host:port", or all nodes if empty) from the names in such a
// directory, in the order in which they were written. Leaves out unfinished uploads and checksum files.
std::vector<std::string> LogFilesOf(std::string_view node, const std::vector<std::string>& names);

// The content of the checksum file beside an IndexedFile with an unfinished last upload. Only the first `end` bytes
// of the file `name` are valid; if `end` is 0, none are. The name of a checksum file ends in kChecksumSuffix.
inline constexpr std::string_view kChecksumSuffix = "-checksum";
struct Checksum {
  std::string name;
  int64_t end = 0;
};
Result<Checksum> ParseChecksum(std::string_view bytes);

}  // namespace howdah::hadoop::yarnlogs
