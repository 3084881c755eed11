// Notebooks: jobs with one task, which runs JupyterLab. The task creates the token itself and keeps it out of the job's
// files, commands and variables. So only a person who may run commands in the task can read it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/client/find_task.h"
#include "howdah/client/job_request.h"
#include "howdah/client/task_script.h"

namespace howdah::client {

struct NotebookOptions {
  std::string directory;                  // of the notebooks; "": the working directory of the task
  Duration idle = std::chrono::hours(1);  // JupyterLab ends if it is not used for this long; 0: never
  std::string limit = "24h";              // the maximum run time of the job, as in the job file
};

// Completes a request for a notebook: `job` has the resources, the environment and the source of its task. Pure.
JobRequest NotebookRequest(JobRequest job, const NotebookOptions& options);

// The tag of notebooks, by which lists find them.
inline constexpr std::string_view kNotebookTag = "notebook";

// The task of a notebook.
TaskName NotebookTask();

struct NotebookServer {
  uint16_t port = 0;  // on the loopback interface of the task's machine
  std::string token;
  std::string Landing() const { return "lab?token=" + token; }  // below the server's address
};

// Asks the running task where JupyterLab serves, and waits at most `patience` for its start. Returns kFailed if it does
// not accept connections by then, and kUnavailable if the task cannot be reached.
Result<NotebookServer> FindNotebookServer(const rpc::AmContact& am, Duration patience, Signals signals);

}  // namespace howdah::client
