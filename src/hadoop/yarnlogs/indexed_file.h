// Aggregated logs in an IndexedFile: the bytes of each log file, and behind them an index of all of them.
#pragma once

#include <memory>

#include "howdah/hadoop/yarnlogs/aggregated_log.h"

namespace howdah::hadoop::yarnlogs {

Result<std::unique_ptr<AggregatedLog>> OpenIndexedFile(Source source);

}  // namespace howdah::hadoop::yarnlogs
