// Finds an application's aggregated logs in the cluster's file system, from the cluster's configuration
// (LogAggregationUtils, LogAggregationFileController). Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::yarnlogs {

// Returns the value of a key of yarn-site.xml, or the key's default. Returns nullopt or an empty text if there is none.
using ConfigurationValue = std::function<std::optional<std::string>(const std::string& key)>;

// The directories that may have the logs of an application, the most likely one first. They cover each configured
// format and Hadoop's two formats, both with buckets (since 3.3) and without. `application` is an application id, such
// as "application_1795285645199_0001"; for any other text the result is empty. `user` is the owner of the application.
// Paths are as configured: with a scheme, or on the default file system.
std::vector<std::string> LogDirectories(const ConfigurationValue& configuration, const std::string& user,
                                        std::string_view application);

// Selects the aggregated logs of a node ("host:port", or all nodes if empty) from the file names in one of these
// directories. The result is in the order in which the files were written. Leaves out unfinished uploads and checksum
// files.
std::vector<std::string> LogFilesOf(std::string_view node, const std::vector<std::string>& names);

// The content of a checksum file, which is beside an IndexedFile whose last upload is unfinished. Only the first `end`
// bytes of the file `name` are valid. The name of a checksum file ends in kChecksumSuffix.
inline constexpr std::string_view kChecksumSuffix = "-checksum";
struct Checksum {
  std::string name;
  int64_t end = 0;
};
Result<Checksum> ParseChecksum(std::string_view bytes);

}  // namespace howdah::hadoop::yarnlogs
