// A notebook is a job of one task that runs JupyterLab. Its token is made where it runs and is in no file, command or
// variable of the job's: who may run a command in the task's surroundings asks for it there.
#include <algorithm>
#include <cstdlib>

#include "admission.h"
#include "task_script.h"
#include "commands.h"
#include "follow.h"
#include "job_forward.h"
#include "status_text.h"

namespace howdah::cli {
namespace {

constexpr char kRole[] = "worker";
constexpr Duration kIdle = std::chrono::hours(1);
constexpr char kLimit[] = "24h";
constexpr Duration kEndLimit = std::chrono::seconds(5);  // from the end of the task to that of its job

// $1: the directory of the notebooks, or empty; $2: seconds until it ends when nobody uses it, or 0.
constexpr char kServe[] = R"sh(
umask 077
if ! command -v jupyter >/dev/null || ! jupyter lab --version >/dev/null 2>&1; then
  echo 'there is no JupyterLab in the python archive or in PATH: run `pip install jupyterlab`, or name an' \
    'environment that has it with --python' >&2
  exit 127
fi
export JUPYTER_TOKEN=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
printf %s "$JUPYTER_TOKEN" >.howdah-notebook
exec jupyter lab --no-browser --allow-root --ip=127.0.0.1 --port="$HOWDAH_PORT" --ServerApp.port_retries=0 \
  --ServerApp.root_dir="${1:-$PWD}" --ServerApp.allow_remote_access=True \
  --ServerApp.shutdown_no_activity_timeout="$2" --MappingKernelManager.cull_idle_timeout="$2" \
  --MappingKernelManager.cull_interval="$(($2 < 240 ? $2 / 4 + 1 : 60))" --MappingKernelManager.cull_connected=True
)sh";

// Prints port and token once JupyterLab takes connections, or gives up after two minutes.
constexpr char kAsk[] = R"sh(
until [ -s .howdah-notebook ] && (exec 3<>"/dev/tcp/127.0.0.1/$HOWDAH_PORT") 2>/dev/null; do
  [ "$SECONDS" -lt 120 ] || exit 1
  sleep 0.2
done
echo "$HOWDAH_PORT $(cat .howdah-notebook)"
)sh";

JobArguments JobOf(const Arguments& arguments) {
  JobArguments job = arguments.job;
  if (job.quick.name.empty()) job.quick.name = "notebook";
  // The sources of a notebook are in its directory; the current one is uploaded only if it is named.
  if (std::find(job.quick_flags.begin(), job.quick_flags.end(), "--source") == job.quick_flags.end())
    job.quick.source.clear();
  const Duration idle = arguments.idle.value_or(kIdle);
  job.words = {"bash", "-c", kServe, "notebook", arguments.directory, std::to_string(idle / std::chrono::seconds(1))};
  job.sets.insert(job.sets.begin(), "timeouts.run=" + arguments.limit.value_or(kLimit));
  return job;
}

// Tells what the job waits for in its queue.
class Starting final : public JournalSink {
 public:
  void OnEntry(const core::JournalEntry& entry) override {
    const std::string before = view.reason;
    JournalSink::OnEntry(entry);
    if (view.state == core::JobState::kQueued && !view.reason.empty() && view.reason != before) Say(view.reason);
  }
};

bool Runs(const journal::JobView& view) {
  return !view.tasks.empty() && view.tasks.front().state == core::TaskState::kRunning;
}

struct Notebook {
  uint16_t port = 0;
  std::string token;
};

Result<Notebook> AskForIt(const rpc::AmContact& am) {
  const auto answer = AskTask(am, kRole, 0, kAsk, Signals::kToTheQuestion);
  if (!answer.ok()) return answer.error();
  const size_t blank = answer->find(' ');
  if (blank == std::string::npos) return Failed("JupyterLab does not answer where the task runs");
  return Notebook{static_cast<uint16_t>(std::atoi(answer->c_str())), answer->substr(blank + 1)};
}

int Connect(backend::Cluster& place, const JobId& id, int listen) {
  Starting job;
  const auto started = AwaitJob(place, id, job, Runs);
  if (!started.ok()) return Report(started.error());
  if (!*started) return kExitOk;
  const auto tell_end = [&](const journal::JobView& view) {
    const std::string farewell = Farewell(view, place.LogsPlace(id));
    Say(farewell.substr(0, farewell.size() - 1));
    return ExitCodeOf(view);
  };
  if (core::IsFinal(job.view.state)) return tell_end(job.view);
  const auto am = place.Contact(id);
  const auto notebook = am.ok() ? AskForIt(*am) : Result<Notebook>(am.error());
  if (!notebook.ok()) {
    // Where the job is ending, its reason says more than that nobody answers any more.
    const auto ended = FollowJournal(place, id, Until::kEnd, kEndLimit, nullptr);
    return ended.ok() ? tell_end(*ended) : Report(notebook.error().While(id.text));
  }
  return ServeForward(place, id, {kRole, 0, notebook->port}, listen,
                      [&](const std::string& address) { return address + "lab?token=" + notebook->token; });
}

}  // namespace

int NotebookCommand(Shell& shell, const Arguments& arguments) {
  if (!arguments.id.empty()) {
    const auto place = shell.Place();
    if (!place.ok()) return Report(place.error());
    const auto id = (*place)->Resolve(arguments.id);
    return id.ok() ? Connect(**place, *id, arguments.listen) : Report(id.error());
  }
  const auto job = AdmittedJob(shell, JobOf(arguments));
  if (const int* code = std::get_if<int>(&job)) return *code;
  backend::Cluster& place = **shell.Place();
  const auto id = SubmitShowing(place, std::get<jobspec::JobSpec>(job), false);
  if (!id.ok()) return Report(id.error());
  Say(id->text + " is the notebook; Ctrl-C leaves it, `howdah notebook " + id->text + "` comes back, `howdah kill " +
      id->text + "` ends it");
  return Connect(place, *id, arguments.listen);
}

}  // namespace howdah::cli
