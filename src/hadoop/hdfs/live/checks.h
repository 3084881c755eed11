// The checks of hdfs_live.
#pragma once

#include "howdah/base/result.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "howdah/hadoop/hdfs/open.h"

namespace howdah::hadoop::hdfs {

// Exits with 1 and a message at the first violation of the interface. Otherwise deletes its files. `quota`: whether the
// caller may set quotas; if so, also tests a directory whose quota is exhausted.
Status CheckAll(FileSystem& files, const hadoop::conf::Configuration& configuration, const OpenOptions& options,
                bool quota);

}  // namespace howdah::hadoop::hdfs
