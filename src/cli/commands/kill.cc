#include <memory>

#include "first_failure.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"
#include "howdah/client/submitter.h"

namespace howdah::cli::commands {
namespace {

struct KillArguments {
  std::vector<std::string> ids;
  bool all = false;
  std::string name;
  std::optional<Duration> grace;
};

// Finds the jobs to kill. A job that cannot be found does not protect the others.
Result<std::vector<client::Job>> FindJobs(client::Connection& connection, const KillArguments& arguments,
                                          FirstFailure& failure) {
  const int ways = (arguments.ids.empty() ? 0 : 1) + (arguments.all ? 1 : 0) + (arguments.name.empty() ? 0 : 1);
  if (ways != 1) {
    return Error{ErrorCode::kUsage, ways == 0 ? "kill: name the jobs: ID..., --name NAME or --all"
                                              : "kill: write only one of ID..., --name NAME and --all"};
  }
  if (arguments.ids.empty()) {
    HOWDAH_TRY(auto live, client::LiveJobs(connection, arguments.name, output::PrintNote));
    const bool complete = live.unreachable.empty();
    if (!complete) failure.Add(client::kExitUnavailable);
    if (live.jobs.empty())
      output::PrintMessage(complete ? "no queued or running job matches; nothing to do"
                                    : "no queued or running job matches on the backends that were reached");
    return std::move(live.jobs);
  }
  std::vector<client::Job> jobs;
  for (const std::string& id : arguments.ids) {
    auto job = client::FindJobToChange(connection, id, output::PrintNote);
    if (job.ok()) {
      jobs.push_back(std::move(*job));
    } else {
      failure.Add(job.error());
    }
  }
  return jobs;
}

bool HasEnded(const client::Job& job) {
  const auto view = job.cluster->Status(job.id);
  return view.ok() && core::IsFinal(view->state);
}

// stop_begun: the command has already asked the job to stop, so it may have ended meanwhile.
Status KillJob(const client::Job& job, const client::StopOptions& options, bool stop_begun) {
  HOWDAH_TRY(const client::StoppedJob stopped, client::StopAndWait(*job.cluster, job.id, options));
  const std::string state(core::ToText(stopped.view.state));
  const std::string& reason = stopped.view.reason;
  output::PrintMessage(stopped.had_ended && !stop_begun
                           ? job.id.text + " has already finished: " + state + "; nothing to do"
                           : job.id.text + " " + state + (reason.empty() ? "" : ": " + reason));
  return {};
}

// Kills every job, even if an earlier one could not be killed.
Result<int> Kill(client::Connection& connection, const KillArguments& arguments) {
  FirstFailure failure;
  HOWDAH_TRY(const auto jobs, FindJobs(connection, arguments, failure));
  const client::StopOptions options{client::Requester("`howdah kill`"), arguments.grace, output::PrintNote};
  // Begin all stops before waiting for the first, so that the grace periods run at the same time. Ignore errors here,
  // because KillJob reports them.
  std::vector<bool> begun(jobs.size(), false);
  for (size_t i = 0; jobs.size() > 1 && i < jobs.size(); ++i) {
    if (HasEnded(jobs[i])) continue;
    begun[i] = true;
    (void)jobs[i].cluster->Stop(jobs[i].id, options.by, options.grace);
  }
  for (size_t i = 0; i < jobs.size(); ++i) {
    const Status killed = KillJob(jobs[i], options, begun[i]);
    if (!killed.ok()) failure.Add(killed.error());
  }
  return failure.exit_code();
}

}  // namespace

args::Command KillCommand(client::Connection& connection) {
  return {"kill", "Kill jobs and wait until all their processes have ended",
          "  howdah kill last\n  howdah kill last --grace 30s\n  howdah kill --name mnist\n  howdah kill --all",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<KillArguments>();
            syntax.Ids(arguments->ids);
            syntax.Flag("--all", arguments->all, "Kill all your queued and running jobs");
            syntax.Text("--name", "NAME", arguments->name, "Kill all your queued and running jobs with this name");
            syntax.Duration("--grace", arguments->grace,
                            "Time between the stop signal and SIGKILL; default: checkpoint.grace of the job");
            return [&connection, arguments] { return Kill(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
