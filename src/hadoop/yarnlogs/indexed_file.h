// Aggregated logs in an IndexedFile: the bytes of all log files, followed by an index.
#pragma once

#include <memory>

#include "howdah/hadoop/yarnlogs/aggregated_log.h"

namespace howdah::hadoop::yarnlogs {

Result<std::unique_ptr<AggregatedLog>> OpenIndexedFile(Source source);

}  // namespace howdah::hadoop::yarnlogs
