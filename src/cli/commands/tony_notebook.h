// TonY's NotebookSubmitter forwards a local port to the notebook while the job runs: so does this.
#pragma once

#include <optional>
#include <string>

#include "howdah/client/job_forward.h"

namespace howdah::cli::commands {

// Forwards to $TB_PORT of the job's first task, where TonY's notebooks listen. One thread.
class TonyNotebook {
 public:
  // Starts forwarding when the task runs, and again after a restart. Returns a line to print; empty: none.
  std::string OnStatus(backend::Cluster& cluster, const JobId& id, const journal::JobView& view);

 private:
  std::optional<client::JobForward> forward_;
  int attempt_ = -1;  // of the task that forward_ leads to
};

}  // namespace howdah::cli::commands
