// A local copy of a remote log directory for TensorBoard, kept up to date.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "howdah/base/result.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/files.h"

namespace howdah::am {

// Copies every few seconds on its own thread, so that a slow file system does not delay the job.
class EventMirror {
 public:
  // from: a path in `files`. to: an existing directory. log: a file; each problem is appended to it once. clock must
  // live longer than this object.
  EventMirror(std::unique_ptr<storage::Files> files, const os::process::Clock& clock, std::string from, std::string to,
              std::string log);
  // The destructor waits for the current read to finish.

 private:
  void Run(const std::stop_token& stop);
  void Tell(const Status& status);

  const std::unique_ptr<storage::Files> files_;
  const os::process::Clock& clock_;
  const std::string from_, to_, log_;
  std::string told_;
  std::jthread thread_;  // the last member, because the thread uses the others
};

}  // namespace howdah::am
