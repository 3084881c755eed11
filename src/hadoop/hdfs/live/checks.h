// What hdfs_live checks.
#pragma once

#include "howdah/base/result.h"
#include "howdah/hadoop/hdfs/file_system.h"
#include "howdah/hadoop/hdfs/open.h"

namespace howdah::hadoop::hdfs {

// Ends the program with 1 and a message at the first thing that is not as the interface promises; else leaves nothing
// behind.
// quota: the caller may set quotas, so that a full directory is tried as well.
Status CheckAll(FileSystem& files, const hadoop::conf::Configuration& configuration, const OpenOptions& options,
                bool quota);

}  // namespace howdah::hadoop::hdfs
