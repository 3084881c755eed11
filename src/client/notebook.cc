#include "howdah/client/notebook.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace howdah::client {
namespace {

constexpr char kNotebookRole[] = "worker";

// Arguments: $1 is the directory of the notebooks or empty, $2 the idle time in seconds after which the server exits,
// or 0, $3 the program that reports how long the notebook has been idle.
constexpr char kServeScript[] = R"sh(
umask 077
if ! command -v jupyter >/dev/null || ! jupyter lab --version >/dev/null 2>&1; then
  echo 'JupyterLab is not in PATH: run `pip install jupyterlab`, or pass an environment that contains it (--python)' >&2
  exit 127
fi
export JUPYTER_TOKEN=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
printf %s "$JUPYTER_TOKEN" >.howdah-notebook
python3 -c "$3" >/dev/null 2>&1 &
exec jupyter lab --no-browser --allow-root --ip=127.0.0.1 --port="$HOWDAH_PORT" --ServerApp.port_retries=0 \
  --ServerApp.root_dir="${1:-$PWD}" --ServerApp.allow_remote_access=True \
  --ServerApp.shutdown_no_activity_timeout="$2" --MappingKernelManager.cull_idle_timeout="$2" \
  --MappingKernelManager.cull_interval="$(($2 < 240 ? $2 / 4 + 1 : 60))" --MappingKernelManager.cull_connected=True
)sh";

// Reports each minute for how long no kernel and no terminal has done anything: as advice::kNotebookIdleSeries. Jupyter
// Server has no event for this (its REST API: /api/kernels, /api/terminals). Ends with JupyterLab, which has the
// process id of the script.
constexpr char kReportProgram[] = R"py(
import datetime, json, os, time, urllib.request
server = os.getppid()
address = "http://127.0.0.1:" + os.environ["HOWDAH_PORT"]
headers = {"Authorization": "token " + os.environ["JUPYTER_TOKEN"]}
def ask(path):
    request = urllib.request.Request(address + path, headers=headers)
    return json.load(urllib.request.urlopen(request, timeout=10))
def idle():
    kernels, now = ask("/api/kernels"), datetime.datetime.now(datetime.timezone.utc)
    if any(kernel["execution_state"] in ("busy", "starting", "restarting") for kernel in kernels):
        return 0
    times = [one["last_activity"] for one in kernels + ask("/api/terminals")] or [ask("/api/status")["started"]]
    newest = max(datetime.datetime.fromisoformat(time.replace("Z", "+00:00")) for time in times)
    return max(0, int((now - newest).total_seconds()))
pause = 1
while os.getppid() == server:
    try:
        line = "metric notebook.idle_seconds %d\n" % idle()
        with open(os.environ["HOWDAH_PROGRESS"], "a") as progress:
            progress.write(line)
        pause = 60
    except (OSError, ValueError, KeyError):
        pass  # JupyterLab is starting
    time.sleep(pause)
)py";

// Prints port and token once JupyterLab accepts connections. Gives up after $patience seconds.
constexpr char kContactScript[] = R"sh(
until [ -s .howdah-notebook ] && (exec 3<>"/dev/tcp/127.0.0.1/$HOWDAH_PORT") 2>/dev/null; do
  [ "$SECONDS" -lt "$patience" ] || exit 1
  sleep 0.2
done
echo "$HOWDAH_PORT $(cat .howdah-notebook)"
)sh";

}  // namespace

JobRequest NotebookRequest(JobRequest job, const NotebookOptions& options) {
  if (job.quick.name.empty()) job.quick.name = "notebook";
  // A notebook's files are in its directory. The current directory is uploaded only if --source names it.
  if (std::find(job.quick_flags.begin(), job.quick_flags.end(), "--source") == job.quick_flags.end())
    job.quick.source.clear();
  job.words = {"bash",
               "-c",
               kServeScript,
               "notebook",
               options.directory,
               std::to_string(options.idle / std::chrono::seconds(1)),
               kReportProgram};
  job.sets.insert(job.sets.begin(), {"timeouts.run=" + options.limit, "tags=[" + std::string(kNotebookTag) + "]"});
  return job;
}

TaskName NotebookTask() { return {kNotebookRole, 0}; }

Result<NotebookServer> FindNotebookServer(const rpc::AmContact& am, Duration patience, Signals signals) {
  const std::string script = "patience=" + std::to_string(patience / std::chrono::seconds(1)) + kContactScript;
  HOWDAH_TRY(const std::string line, RunScript(am, NotebookTask(), script, signals));
  const size_t blank = line.find(' ');
  if (blank == std::string::npos) return Failed("JupyterLab does not accept connections");
  return NotebookServer{static_cast<uint16_t>(std::atoi(line.c_str())), line.substr(blank + 1)};
}

}  // namespace howdah::client
