// Sets quotas, which Howdah itself never does.
#pragma once

#include <functional>

#include "howdah/base/result.h"
#include "howdah/hadoop/hdfs/open.h"

namespace howdah::hadoop::hdfs {

using QuotaSetter = std::function<Status(const std::string& path, int64_t names, int64_t bytes)>;
QuotaSetter QuotaSetterOf(const hadoop::conf::Configuration& configuration, const OpenOptions& options);

}  // namespace howdah::hadoop::hdfs
