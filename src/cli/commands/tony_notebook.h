// What TonY's NotebookSubmitter does beside running the job: a port here leads to the notebook.
#pragma once

#include <optional>
#include <string>

#include "job_forward.h"

namespace howdah::cli {

// The way to the first task's $TB_PORT, where TonY has a notebook serve. One thread.
class TonyNotebook {
 public:
  // Opens the way once the task runs, again when it has been started again; what to tell then, empty: nothing.
  std::string OnStatus(backend::Cluster& place, const JobId& id, const journal::JobView& view);

 private:
  std::optional<JobForward> forward_;
  int attempt_ = -1;  // of the task to which it leads
};

}  // namespace howdah::cli
