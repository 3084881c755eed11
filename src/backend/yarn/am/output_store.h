// Stores files of a container in the cluster's file system.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/hadoop/hdfs/file_system.h"

namespace howdah::backend::yarn::am {

// Stores a local file at `to`, whose directory must exist, and replaces an older file. Writes it at `temporary` first,
// because the process may be killed at any time, and because an earlier container of the task may still store its file.
// most: the end of a larger file is stored.
Status StoreFile(hadoop::hdfs::FileSystem& files, const std::string& from, const std::string& temporary,
                 const std::string& to, int64_t most = INT64_MAX);

// Calls `store` for each file. One that cannot be stored does not keep the others from being stored, unless the file
// system itself fails. The error names the first file that was not stored, and the number of these files.
Status StoreEach(const std::vector<std::string>& files, const std::function<Status(const std::string& file)>& store);

}  // namespace howdah::backend::yarn::am
