#include "saved_jobs.h"

#include <unistd.h>

#include <algorithm>

#include "admission.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"
#include "howdah/client/job_request.h"
#include "howdah/client/submitter.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "scale_role.h"

namespace howdah::cli::commands {
namespace {

constexpr char kNeverStarted[] = "STOPPED";

// Sets the number of tasks of elastic roles to their minimum, because a job requests the maximum first. Waits for the
// application master, which may be queued.
Status BeginWithMinimum(backend::Cluster& cluster, const JobId& id, const jobspec::JobSpec& spec,
                        const std::string& by) {
  HOWDAH_TRY(const auto follow, cluster.FollowJob(id, std::nullopt));
  client::JournalSink sink(nullptr);
  bool noted = false;
  for (const jobspec::RoleSpec& role : spec.roles) {
    while (role.instances.elastic()) {
      const Status scaled = cluster.Scale(id, role.name, role.instances.min, by);
      if (scaled.ok()) break;
      if (scaled.error().code != ErrorCode::kUnavailable) return scaled.error();
      HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
      if (core::IsFinal(view.state)) return {};
      if (!noted) output::PrintNote("waiting for the application master, to set the number of " + role.name);
      noted = true;
      client::WaitFor(*follow, -1, std::chrono::seconds(1));
      while (follow->Read(sink)) {
      }
    }
  }
  return {};
}

// Records the job as the newest of the application as soon as it is submitted.
Status SubmitSaved(client::Connection& connection, const SavedTool& tool, const std::string& name,
                   const jobspec::JobSpec& spec) {
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  HOWDAH_TRY(const JobId id, Submit(*cluster, spec, /*keep=*/false));
  HOWDAH_TRY_STATUS(tool.applications.SetJob(name, id));
  output::Print(id.text + "\n");
  return BeginWithMinimum(*cluster, id, spec, client::Requester("`" + tool.command + "`"));
}

// Writes all files of a new application. They must exist before its job is submitted: if the user interrupts the
// submission, the job may run already.
Status WriteFiles(const SavedTool& tool, const std::string& directory, const NewApplication& application,
                  const jobspec::JobSpec& spec) {
  for (const auto& [file, text] : application.files) {
    HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(directory + "/" + file, text, 0600));
  }
  return tool.applications.SetJobFile(application.name, jobspec::DescribeEffective(spec));
}

Error RunsAlready(const SavedTool& tool, const std::string& name, const NewestJob& job) {
  return Error::WithRemedy(ErrorCode::kUsage, name + " runs as " + job.id.text,
                           "stop it first: `" + tool.command + " stop " + name + "`");
}

Error DoesNotRun(const SavedTool& tool, const std::string& name) {
  return Error::WithRemedy(ErrorCode::kUnavailable, name + " is stopped",
                           "start it: `" + tool.command + " start " + name + "`");
}

Status StopNewest(const SavedTool& tool, const NewestJob& job) {
  const client::StopOptions options{client::Requester("`" + tool.command + " stop`"), std::nullopt, output::PrintNote};
  HOWDAH_TRY(const client::StoppedJob stopped, client::StopAndWait(*job.cluster, job.id, options));
  output::PrintMessage(job.id.text + " " + std::string(core::ToText(stopped.view.state)));
  return {};
}

}  // namespace

Result<std::optional<NewestJob>> FindNewestJob(client::Connection& connection, const SavedTool& tool,
                                               const std::string& name) {
  HOWDAH_TRY(const std::optional<JobId> id, tool.applications.Job(name));
  if (!id) return std::optional<NewestJob>();
  const auto job = client::FindJob(connection, id->text, output::PrintNote);
  if (!job.ok() && job.error().code == ErrorCode::kNotFound) return std::optional<NewestJob>();
  if (!job.ok()) return job.error();
  auto view = job->cluster->Status(job->id);
  if (!view.ok() && view.error().code == ErrorCode::kNotFound) return std::optional<NewestJob>();
  if (!view.ok()) return view.error();
  return std::optional<NewestJob>({job->cluster, job->id, std::move(*view)});
}

Result<std::optional<NewestJob>> FindLiveJob(client::Connection& connection, const SavedTool& tool,
                                             const std::string& name) {
  HOWDAH_TRY(auto job, FindNewestJob(connection, tool, name));
  if (job && core::IsFinal(job->view.state)) job.reset();
  return job;
}

Result<int> CreateSaved(client::Connection& connection, const SavedTool& tool, NewApplication application, bool start) {
  HOWDAH_TRY(const auto admitted, Admit(connection, std::move(application.job)));
  if (const int* code = std::get_if<int>(&admitted)) return *code;
  const jobspec::JobSpec& spec = std::get<jobspec::JobSpec>(admitted);
  const std::string& name = application.name;
  HOWDAH_TRY(const std::string directory, tool.applications.Create(name));
  Status saved = WriteFiles(tool, directory, application, spec);
  if (saved.ok() && start) saved = SubmitSaved(connection, tool, name, spec);
  if (saved.ok()) return client::kExitOk;
  const auto begun = tool.applications.Job(name);
  if (!begun.ok() || !*begun) (void)tool.applications.Remove(name);  // the first error is the one to report
  return saved.error();
}

Result<int> StartSaved(client::Connection& connection, const SavedTool& tool, const std::string& name) {
  HOWDAH_TRY(const auto live, FindLiveJob(connection, tool, name));
  if (live) return RunsAlready(tool, name, *live);
  HOWDAH_TRY(const std::string text, tool.applications.JobFile(name));
  HOWDAH_TRY(jobspec::SubmitHost host, client::SubmitHostHere(name));
  host.variable = nullptr;  // the saved text has no variables
  HOWDAH_TRY(const auto admitted, Admit(connection, jobspec::ParseJobFile(text, host)));
  if (const int* code = std::get_if<int>(&admitted)) return *code;
  HOWDAH_TRY_STATUS(SubmitSaved(connection, tool, name, std::get<jobspec::JobSpec>(admitted)));
  return client::kExitOk;
}

Result<int> StopSaved(client::Connection& connection, const SavedTool& tool, const std::string& name) {
  HOWDAH_TRY(const auto job, FindLiveJob(connection, tool, name));
  if (!job) {
    output::PrintMessage(name + " is stopped; nothing to do");
    return client::kExitOk;
  }
  HOWDAH_TRY_STATUS(StopNewest(tool, *job));
  return client::kExitOk;
}

Result<int> ShowSaved(client::Connection& connection, const SavedTool& tool, const std::string& name, bool json) {
  HOWDAH_TRY(const auto job, FindNewestJob(connection, tool, name));
  if (!job) return DoesNotRun(tool, name);
  output::Print(json ? journal::ToJson(job->view, true) + "\n"
                     : output::DescribeJob(job->view, os::process::Clock().Now(), output::WantsColour(STDOUT_FILENO)));
  return client::kExitOk;
}

Result<int> ListSaved(client::Connection& connection, const SavedTool& tool) {
  HOWDAH_TRY(const auto names, tool.applications.Names());
  size_t widest = 0;
  for (const std::string& name : names) widest = std::max(widest, name.size());
  for (const std::string& name : names) {
    HOWDAH_TRY(const auto job, FindNewestJob(connection, tool, name));
    std::string state(job ? core::ToText(job->view.state) : kNeverStarted);
    state.resize(std::max<size_t>(state.size(), 10), ' ');
    output::Print(name + std::string(widest - name.size() + 2, ' ') +
                  (job ? state + "  " + job->id.text : kNeverStarted) + "\n");
  }
  if (names.empty()) output::PrintMessage("no applications");
  return client::kExitOk;
}

Result<int> ScaleSaved(client::Connection& connection, const SavedTool& tool, const std::string& name,
                       const std::string& role, int instances) {
  HOWDAH_TRY(const auto job, FindLiveJob(connection, tool, name));
  if (!job) return DoesNotRun(tool, name);
  HOWDAH_TRY_STATUS(ScaleRole(*job->cluster, job->id, role, instances, tool.command));
  return client::kExitOk;
}

Result<int> DestroySaved(client::Connection& connection, const SavedTool& tool, const std::string& name, bool force) {
  HOWDAH_TRY(const auto job, FindLiveJob(connection, tool, name));
  if (job && !force) return RunsAlready(tool, name, *job);
  if (job) HOWDAH_TRY_STATUS(StopNewest(tool, *job));
  HOWDAH_TRY_STATUS(tool.applications.Remove(name));
  return client::kExitOk;
}

}  // namespace howdah::cli::commands
