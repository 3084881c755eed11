#include "howdah/hadoop/yarnlogs/aggregated_log.h"

#include <utility>

#include "indexed_file.h"
#include "tfile.h"

namespace howdah::hadoop::yarnlogs {

Result<std::unique_ptr<AggregatedLog>> OpenAggregatedLog(Source source) {
  const auto size = static_cast<int64_t>(kTFileMagic.size());
  if (source.size < size) return Failed("the file of aggregated logs is truncated");
  HOWDAH_TRY(const auto beginning, source.read(0, kTFileMagic.size()));
  return beginning == kTFileMagic ? OpenTFile(std::move(source)) : OpenIndexedFile(std::move(source));
}

}  // namespace howdah::hadoop::yarnlogs
