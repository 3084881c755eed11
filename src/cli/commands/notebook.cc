// A notebook is a job with one task, which runs JupyterLab. The task creates the token itself and keeps it out of the
// job's files, commands and variables. So only a person who may run commands in the task can read it.
#include <algorithm>
#include <cstdlib>
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
#include "howdah/client/task_script.h"
#include "interrupts.h"
#include "serve_forward.h"

namespace howdah::cli::commands {
namespace {

constexpr char kRole[] = "worker";
constexpr Duration kIdle = std::chrono::hours(1);
constexpr char kLimit[] = "24h";
constexpr Duration kEndLimit = std::chrono::seconds(5);  // time within which the job ends after its task

// Arguments: $1 is the directory of the notebooks or empty, $2 the idle time in seconds after which the server exits,
// or 0.
constexpr char kServeScript[] = R"sh(
umask 077
if ! command -v jupyter >/dev/null || ! jupyter lab --version >/dev/null 2>&1; then
  echo 'JupyterLab is not in PATH: run `pip install jupyterlab`, or pass an environment that contains it (--python)' >&2
  exit 127
fi
export JUPYTER_TOKEN=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
printf %s "$JUPYTER_TOKEN" >.howdah-notebook
exec jupyter lab --no-browser --allow-root --ip=127.0.0.1 --port="$HOWDAH_PORT" --ServerApp.port_retries=0 \
  --ServerApp.root_dir="${1:-$PWD}" --ServerApp.allow_remote_access=True \
  --ServerApp.shutdown_no_activity_timeout="$2" --MappingKernelManager.cull_idle_timeout="$2" \
  --MappingKernelManager.cull_interval="$(($2 < 240 ? $2 / 4 + 1 : 60))" --MappingKernelManager.cull_connected=True
)sh";

// Prints port and token once JupyterLab accepts connections. Gives up after two minutes.
constexpr char kContactScript[] = R"sh(
until [ -s .howdah-notebook ] && (exec 3<>"/dev/tcp/127.0.0.1/$HOWDAH_PORT") 2>/dev/null; do
  [ "$SECONDS" -lt 120 ] || exit 1
  sleep 0.2
done
echo "$HOWDAH_PORT $(cat .howdah-notebook)"
)sh";

struct NotebookArguments {
  std::string id;  // id of a running notebook; if empty, a new one is started
  client::JobRequest job;
  std::string directory;
  std::optional<Duration> idle;
  std::string limit = kLimit;
  int listen = 0;
};

client::JobRequest RequestFor(const NotebookArguments& arguments) {
  client::JobRequest job = arguments.job;
  if (job.quick.name.empty()) job.quick.name = "notebook";
  // A notebook's files are in its directory. The current directory is uploaded only if --source names it.
  if (std::find(job.quick_flags.begin(), job.quick_flags.end(), "--source") == job.quick_flags.end())
    job.quick.source.clear();
  const Duration idle = arguments.idle.value_or(kIdle);
  job.words = {
      "bash", "-c", kServeScript, "notebook", arguments.directory, std::to_string(idle / std::chrono::seconds(1))};
  job.sets.insert(job.sets.begin(), "timeouts.run=" + arguments.limit);
  return job;
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

struct JupyterServer {
  uint16_t port = 0;
  std::string token;
};

Result<JupyterServer> FindServer(const client::Job& job) {
  HOWDAH_TRY(const rpc::AmContact am, job.cluster->Contact(job.id));
  HOWDAH_TRY(const std::string line, client::RunScript(am, {kRole, 0}, kContactScript, client::Signals::kToScript));
  const size_t blank = line.find(' ');
  if (blank == std::string::npos) return Failed("JupyterLab does not accept connections");
  return JupyterServer{static_cast<uint16_t>(std::atoi(line.c_str())), line.substr(blank + 1)};
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
  output::PrintMessage("starting JupyterLab in " + TaskText(kRole, 0) + "; this can take two minutes");
  const auto server = FindServer(job);
  if (!server.ok()) {
    // If the job is ending, the reason of its end explains more than a refused connection would.
    const auto ended = client::FollowJournal(*job.cluster, job.id,
                                             {.limit = kEndLimit, .on_entry = nullptr, .on_note = output::PrintNote});
    if (ended.ok()) return ReportEnd(job, *ended);
    return server.error().While(job.id.text);
  }
  return ServeForward(job, {kRole, 0, server->port}, listen,
                      [&](const std::string& address) { return address + "lab?token=" + server->token; });
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
            syntax.Text("--dir", "DIR", arguments->directory,
                        "Directory for notebooks on the machine of the task; default: the working directory, which is "
                        "removed with the job");
            syntax.Duration("--idle", arguments->idle,
                            "End the notebook if it is not used for this long; default 1h; 0s: never");
            syntax.Text("--limit", "DURATION", arguments->limit, "Maximum run time; default 24h");
            AddListen(syntax, arguments->listen);
            return [&connection, arguments] { return RunNotebook(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
