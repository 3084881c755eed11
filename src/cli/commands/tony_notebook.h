// Forwards a local port to a notebook while the job runs, as TonY's NotebookSubmitter does.
#pragma once

#include <optional>
#include <string>

#include "howdah/client/job_forward.h"

namespace howdah::cli::commands {

// Forwards to $TB_PORT of the job's first task, where TonY's notebooks listen. Not thread-safe.
class TonyNotebook {
 public:
  // Starts forwarding when the task runs, and again when the task has restarted. Returns a line to print, or "" if
  // there is none.
  std::string OnStatus(backend::Cluster& cluster, const JobId& id, const journal::JobView& view);

 private:
  std::optional<client::JobForward> forward_;
  int attempt_ = -1;  // the attempt to which forward_ is connected
};

}  // namespace howdah::cli::commands
