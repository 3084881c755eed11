#include "howdah/client/notebook.h"

#include <memory>

#include "admission.h"
#include "howdah/base/ids.h"
#include "howdah/cli/args/job_flags.h"
#include "howdah/cli/output/startup_lines.h"
#include "howdah/cli/output/status_text.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/follow.h"
#include "interrupts.h"
#include "serve_forward.h"

namespace howdah::cli::commands {
namespace {

constexpr Duration kStartLimit = std::chrono::minutes(2);
constexpr Duration kEndLimit = std::chrono::seconds(5);  // time within which the job ends after its task

struct NotebookArguments {
  std::string id;  // id of a running notebook; if empty, a new one is started
  client::JobRequest job;
  client::NotebookOptions notebook;
  std::optional<Duration> idle;
  int listen = 0;
};

client::JobRequest RequestFor(const NotebookArguments& arguments) {
  client::NotebookOptions options = arguments.notebook;
  options.idle = arguments.idle.value_or(options.idle);
  return client::NotebookRequest(arguments.job, options);
}

// Prints the states of the job and the stages of its start.
class StartReporter final : public client::JournalSink {
 public:
  StartReporter() : JournalSink(output::PrintNote) {}
  void OnEntry(const core::JournalEntry& entry) override {
    const core::JobState before = view.state;
    JournalSink::OnEntry(entry);
    for (const auto& line : {output::ProgressLine(entry, before, view.state), startup_.Take(entry, view)}) {
      if (line) output::PrintMessage(*line);
    }
  }

 private:
  output::StartupLines startup_;
};

bool Runs(const journal::JobView& view) {
  return !view.tasks.empty() && view.tasks.front().state == core::TaskState::kRunning;
}

Result<client::NotebookServer> FindServer(const client::Job& job) {
  HOWDAH_TRY(const rpc::AmContact am, job.cluster->Contact(job.id));
  return client::FindNotebookServer(am, kStartLimit, client::Signals::kToScript);
}

int ReportEnd(const client::Job& job, const journal::JobView& view) {
  output::PrintMessage(output::Summary(view, job.cluster->LogsLocation(job.id)));
  return client::ExitCodeOf(view);
}

Result<int> Connect(const client::Job& job, int listen) {
  StartReporter sink;
  {
    const Interrupts interrupts;
    HOWDAH_TRY(const bool started, client::AwaitJob(*job.cluster, job.id, sink, interrupts.fd(), Runs));
    if (!started) return client::kExitOk;
  }
  if (core::IsFinal(sink.view.state)) return ReportEnd(job, sink.view);
  const client::TaskName task = client::NotebookTask();
  output::PrintMessage("starting JupyterLab in " + TaskText(task.role, task.index) + "; this can take two minutes");
  const auto server = FindServer(job);
  if (!server.ok()) {
    // If the job is ending, the reason of its end explains more than a refused connection would.
    const auto ended = client::FollowJournal(*job.cluster, job.id,
                                             {.limit = kEndLimit, .on_entry = nullptr, .on_note = output::PrintNote});
    if (ended.ok()) return ReportEnd(job, *ended);
    return server.error().While(job.id.text);
  }
  return ServeForward(job, {task.role, task.index, server->port}, listen,
                      [&](const std::string& address) { return address + server->Landing(); });
}

Result<int> RunNotebook(client::Connection& connection, const NotebookArguments& arguments) {
  if (!arguments.id.empty()) {
    HOWDAH_TRY(const client::Job job, client::FindJob(connection, arguments.id, output::PrintNote));
    return Connect(job, arguments.listen);
  }
  HOWDAH_TRY(const auto admitted, AdmittedJob(connection, RequestFor(arguments)));
  if (const int* code = std::get_if<int>(&admitted)) return *code;
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  HOWDAH_TRY(const JobId id, Submit(*cluster, std::get<jobspec::JobSpec>(admitted), false));
  output::PrintMessage("the notebook is job " + id.text + "; Ctrl-C disconnects, `howdah notebook " + id.text +
                       "` reconnects, `howdah kill " + id.text + "` ends it");
  return Connect({cluster, id}, arguments.listen);
}

}  // namespace

args::Command NotebookCommand(client::Connection& connection) {
  return {"notebook", "Run JupyterLab as a job and connect to it",
          "  howdah notebook --on yarn --gpus 1 --memory 8GiB --python env.tar.gz\n  howdah notebook last",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<NotebookArguments>();
            syntax.Positional("id", "ID", arguments->id, args::Presence::kOptional,
                              "A running notebook to reconnect to; default: start a new one");
            args::AddTaskFlags(syntax, arguments->job, args::JobFile::kNone);
            args::AddSource(syntax, arguments->job, "Directory to copy into the notebook's working directory",
                            args::JobFile::kNone);
            syntax.Text("--dir", "DIR", arguments->notebook.directory,
                        "Directory for notebooks on the machine of the task; default: the working directory, which is "
                        "removed with the job");
            syntax.Duration("--idle", arguments->idle,
                            "End the notebook if it is not used for this long; default 1h; 0s: never");
            syntax.Text("--limit", "DURATION", arguments->notebook.limit, "Maximum run time; default 24h");
            AddListen(syntax, arguments->listen);
            return [&connection, arguments] { return RunNotebook(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
