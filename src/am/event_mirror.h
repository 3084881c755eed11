// A local copy of a remote log directory for TensorBoard, kept up to date.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "howdah/base/result.h"
#include "howdah/storage/files.h"

namespace howdah::am {

// Copies every few seconds on a thread of its own, so that a slow file system does not delay the job.
class EventMirror {
 public:
  // from: a path in `files`; to: an existing directory; log: the file to which each problem is appended once.
  EventMirror(std::unique_ptr<storage::Files> files, std::string from, std::string to, std::string log);
  // The destructor waits for the piece that is being read.

 private:
  void Run(const std::stop_token& stop);
  void Tell(const Status& status);

  const std::unique_ptr<storage::Files> files_;
  const std::string from_, to_, log_;
  std::string told_;
  std::jthread thread_;  // the last, as it uses the others
};

}  // namespace howdah::am
