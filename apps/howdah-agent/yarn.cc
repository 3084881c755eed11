#include "yarn.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>

#include "exec.h"
#include "howdah/am/am.h"
#include "howdah/am/guardian.h"
#include "howdah/backend/yarn/am/agent.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/archive.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/gpu_lease.h"
#include "howdah/os/process/machine.h"
#include "own_path.h"

namespace howdah::agent {
namespace {

constexpr std::chrono::milliseconds kNvidiaSmiLimit{10'000};
constexpr char kPackedPython[] = "python.archive";

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

hadoop::conf::Environment Surroundings() {
  return {.variable = Variable, .user_name = Variable("USER").value_or(""), .user_home = Variable("HOME").value_or("")};
}

std::string CurrentDirectory() {
  char path[4096];
  return getcwd(path, sizeof path) != nullptr ? path : ".";
}

// An archive that YARN does not unpack (zip, ...) is unpacked by each container that needs it.
Status UnpackPython() {
  if (access(kPackedPython, R_OK) != 0) return {};
  if (const Status made = os::files::MakeDirectories("python"); !made.ok()) return made;
  const Status unpacked = os::files::Unpack(kPackedPython, "python", os::files::OutwardLinks::kKeep);
  return unpacked.ok() ? unpacked : Status(unpacked.error().While("unpacking the python archive"));
}

// nullopt: the task asked for none. The lease lasts as long as this process or one of its forks, guardian and executor.
Result<std::optional<std::vector<int>>> LeaseGpusOf(const executor::TaskOptions& task) {
  const auto text = os::files::ReadFile(task.job_file);
  if (!text.ok()) return text.error();
  const auto spec = jobspec::ReadEffective(*text);
  if (!spec.ok()) return spec.error();
  int count = 0;
  for (const jobspec::RoleSpec& role : spec->roles) {
    if (role.name == task.role) count = role.gpus;
  }
  if (count == 0) return std::optional<std::vector<int>>();
  std::vector<int> visible;
  for (const os::process::Gpu& gpu :
       os::process::ListGpus(Variable("PATH").value_or("/usr/bin:/bin"), kNvidiaSmiLimit)) {
    visible.push_back(gpu.index);
  }
  if (visible.empty())
    return std::optional<std::vector<int>>();  // of a kind that nvidia-smi does not know: not ours to part
  auto lease = os::process::LeaseGpus(visible, count);
  if (!lease.ok()) return lease.error();
  static os::process::GpuLease held;
  held = std::move(*lease);
  return std::optional(held.gpus);
}

// What a task inherits of its container: what the node says of itself and of Hadoop there. Nothing else of the
// NodeManager's surroundings reaches a container anyway.
bool IsInherited(const std::string& name) {
  static const std::set<std::string> kNames = {"PATH",       "HOME",      "USER",    "LOGNAME",         "LANG",
                                               "TZ",         "JAVA_HOME", "NM_HOST", "LD_LIBRARY_PATH", "CONTAINER_ID",
                                               "LOCAL_DIRS", "LOG_DIRS"};
  return kNames.contains(name) || name.starts_with("LC_") || name.starts_with("HADOOP_");
}

Status WriteInherited(const std::string& path) {
  nlohmann::json variables = nlohmann::json::object();
  for (char** variable = environ; *variable; ++variable) {
    const std::string text = *variable;
    const size_t equals = text.find('=');
    if (equals != std::string::npos && IsInherited(text.substr(0, equals))) {
      variables[text.substr(0, equals)] = text.substr(equals + 1);
    }
  }
  return os::files::WriteFileAtomically(path, variables.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                                        0600);
}

Status RunTheJob(backend::yarn::am::AmJob& job, const std::string& before) {
  const auto beginning = job.Restore();
  if (!beginning.ok()) return beginning.error();
  const auto host = job.ListenHost();
  if (!host.ok()) return host.error();
  if (!job.spec().tensorboard_logdir.empty()) {
    if (const Status unpacked = UnpackPython(); !unpacked.ok()) return unpacked;
  }
  const os::process::Clock clock;
  am::AmOptions options;
  options.job = job.id();
  options.spec = job.spec();
  options.attempt = job.attempt();
  options.how_before_died = before;
  options.listen_port = job.PublishedPort();
  options.generation = beginning->generation;
  options.first_task_attempt = beginning->first_task_attempt;
  options.gang_since = clock.Now();
  options.leave_on_sigterm = true;
  options.node = job.node();
  options.listen_host = *host;
  options.place_notices = job.FailureDetectionLimit();
  options.journal = job.journal();
  options.event_log = job.event_log();
  options.agents_log_directory = job.log_directory();
  options.environment = job.ToolEnvironment();
  options.open_logdir = [&job] { return job.OpenFiles(job.spec().tensorboard_logdir); };
  options.logdir_copy = CurrentDirectory() + "/tensorboard";
  options.identity = job.identity();
  options.tracking.proxy_url = job.proxy_url();
  options.tracking.peers = [hosts = job.ProxyHosts()] { return hosts; };
  options.on_listening = [&job](const am::Listening& listening) { return job.PublishAddress(listening.address); };
  return am::RunAm(std::move(options), clock,
                   [&](boost::asio::io_context& loop, backend::Sink& sink, const am::Listening& listening) {
                     return job.MakeBackend(loop, sink, listening.address, listening.tracking_port);
                   });
}

}  // namespace

int RunYarnAm() {
  signal(SIGPIPE, SIG_IGN);
  auto job = backend::yarn::am::AmJob::Open(Surroundings());
  if (!job.ok()) {
    std::cerr << job.error().message << "\n";
    return EXIT_FAILURE;
  }
  const auto am = [&](const std::string& before) {
    const Status ran = RunTheJob(**job, before);
    if (!ran.ok()) std::cerr << ran.error().message << "\n";
    return ran.ok() ? EXIT_SUCCESS : EXIT_FAILURE;
  };
  return am::RunGuarded({.am = am,
                         .again = [&] { return (*job)->CanRestart(); },
                         .after_death = [&](const std::string& how) { (*job)->RecordAmDeath(how); }});
}

Result<rpc::Identity> YarnIdentity() { return backend::yarn::am::ExecutorIdentity(Surroundings()); }

Result<executor::TaskOptions> YarnTask(const Flags& flags) {
  if (const Status placed = backend::yarn::am::ExtractTaskFiles(Surroundings()); !placed.ok()) return placed.error();
  if (const Status unpacked = UnpackPython(); !unpacked.ok()) return unpacked.error();
  executor::TaskOptions options;
  const std::string here = CurrentDirectory();
  options.job_id = flags.text("--job");
  options.job_file = "howdah/job.json";
  options.container = flags.text("--container");
  options.role = flags.text("--role");
  options.index = flags.number("--index", 0);
  options.am_address = flags.text("--am");
  options.am_may_move = true;
  options.load_identity = YarnIdentity;
  options.agent_variables = AgentVariables(OwnPath(), options.am_address, "");
  options.staging_dir = here + "/staging";
  options.work_dir = here + "/work";
  options.remove_work_dir = true;
  options.logs_dir = Variable("LOG_DIRS").value_or(here + "/logs");
  options.logs_dir = options.logs_dir.substr(0, options.logs_dir.find(','));
  options.flat_logs = true;
  options.environment_file = here + "/environment.json";
  if (const Status written = WriteInherited(options.environment_file); !written.ok()) return written.error();
  if (access("python", X_OK) == 0) options.python_dir = here + "/python";
  const auto gpus = LeaseGpusOf(options);
  if (!gpus.ok()) return gpus.error();
  options.gpus = *gpus;
  return options;
}

}  // namespace howdah::agent
