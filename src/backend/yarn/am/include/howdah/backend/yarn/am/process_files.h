// The cluster's files for a program of the user: `howdah-agent files` serves them to a process of Python.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/file_system.h"

namespace howdah::backend::yarn::am {

struct ProcessFiles {
  std::unique_ptr<hadoop::hdfs::FileSystem> files;
  uint32_t umask = 022;  // fs.permissions.umask-mode
};

// Opens the file system of a URI. "": the default one. In a process of a task, the configuration, the user and the
// tokens are those of the job. Elsewhere they are found as by `howdah`, and `user` is the account of the process.
// `file:` needs no configuration. Thread-safe.
Result<ProcessFiles> OpenFilesOfProcess(const hadoop::conf::Environment& environment, const std::string& user,
                                        const std::string& uri);

// Changes when newer tokens have replaced those of the process.
int64_t TokensVersion(const hadoop::conf::Environment& environment);

}  // namespace howdah::backend::yarn::am
