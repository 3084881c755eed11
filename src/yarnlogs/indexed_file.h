// Aggregated logs in an IndexedFile: the bytes of each log file, and behind them an index of all of them.
#pragma once

#include <memory>

#include "howdah/yarnlogs/aggregated_log.h"

namespace howdah::yarnlogs {

Result<std::unique_ptr<AggregatedLog>> OpenIndexedFile(Source source);

}  // namespace howdah::yarnlogs
