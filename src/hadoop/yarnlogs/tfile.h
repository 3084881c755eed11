// Aggregated logs in a TFile, which consists of blocks of key-value pairs. Each container is a key, and its value has
// all of its logs.
#pragma once

#include <memory>

#include "howdah/hadoop/yarnlogs/aggregated_log.h"

namespace howdah::hadoop::yarnlogs {

// The first and last bytes of every TFile (io.file.tfile.BCFile.Magic).
inline constexpr std::string_view kTFileMagic = "\xd1\x11\xd3\x68\x91\xb5\xd7\xb6\x39\xdf\x41\x40\x92\xba\xe1\x50";

Result<std::unique_ptr<AggregatedLog>> OpenTFile(Source source);

}  // namespace howdah::hadoop::yarnlogs
