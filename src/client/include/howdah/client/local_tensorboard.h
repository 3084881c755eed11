// TensorBoard on this machine, for event files of jobs that have ended.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/base/result.h"
#include "howdah/os/process/spawn.h"

namespace howdah::client {

struct EventFiles {
  std::string directory;  // on this machine
  int copied = 0;         // number of files, if `directory` is a copy
  std::string problem;    // why the copy is not complete; "" if it is
};

// Finds the event files below `logdir`, the log directory of a job of `cluster`: in the directory itself if it is on
// this machine, and otherwise in a copy of at most 8 GiB, which this function makes in `copy`, an existing directory.
// Blocking. A stop request ends the copy as storage::Mirror describes.
Result<EventFiles> FindEventFiles(backend::Cluster& cluster, const std::string& logdir, const std::string& copy,
                                  const std::stop_token& stop = {});

// Starts `tensorboard` of PATH as the leader of a process group. It listens on the loopback interface, on `port` or,
// for 0, any free port, and writes its address (frameworks::TensorBoardAddress) to `output`. It receives SIGTERM when
// the calling thread ends.
Result<os::process::Child> StartTensorBoard(const std::string& logdir, uint16_t port, int output);

}  // namespace howdah::client
