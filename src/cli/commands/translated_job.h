// Runs jobs that were translated from the files of other tools.
#pragma once

#include <optional>
#include <string>

#include "howdah/client/translated_job.h"
#include "run_job.h"

namespace howdah::cli::commands {

// The backend that the user has chosen: by the tool's own flag, by --on, or by $HOWDAH_ON. Otherwise `otherwise`, which
// is usually the backend on which the tool runs.
std::string ChosenBackend(const client::Connection& connection, const std::string& flag, const std::string& otherwise);

struct TranslatedRun {
  bool print_job = false;  // print the job file instead of running the job
  bool plan = false;       // print what submitting the job would do, instead of running it
  std::string plan_flag;   // for messages, the flags that set `plan`: "howdah tony ... -plan"
  RunOptions run;
};

// Prints the job's problems, or the job file, or the plan, or runs the job to its end. Returns the exit code.
Result<int> RunTranslated(client::Connection& connection, client::TranslatedJob job, const TranslatedRun& options);

// The part of RunTranslated before the job runs. Returns the exit code if there is nothing more to do: the job has
// problems, or `options` wants only output about it.
Result<std::optional<int>> ShowTranslated(client::Connection& connection, const client::TranslatedJob& job,
                                          const TranslatedRun& options);

}  // namespace howdah::cli::commands
