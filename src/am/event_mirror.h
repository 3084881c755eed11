// What TensorBoard shows of a directory that is not on this machine: a copy that follows it.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "howdah/base/result.h"
#include "howdah/storage/files.h"

namespace howdah::am {

// A thread of its own copies, every few seconds: a slow file system holds up no job.
class EventMirror {
 public:
  // from: a path in `files`; to: a directory that is there; log: a path, to whose file what goes wrong is added, once.
  EventMirror(std::unique_ptr<storage::Files> files, std::string from, std::string to, std::string log);
  // Its end waits for the piece that is being read at the moment.

 private:
  void Run(const std::stop_token& stop);
  void Tell(const Status& status);

  const std::unique_ptr<storage::Files> files_;
  const std::string from_, to_, log_;
  std::string told_;
  std::jthread thread_;  // the last, as it uses the others
};

}  // namespace howdah::am
