// howdah-agent: the program that runs inside containers. Howdah's own programs start `am` and `task`. Programs of a
// task start `exec` and `rsh`. Executors start `horovod-slot` in place of programs that need its variables. The Python
// package starts `files`.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <iostream>

#include "howdah/am/am.h"
#include "howdah/am/guardian.h"
#include "howdah/backend/local/agent.h"
#include "howdah/backend/yarn/am/agent.h"
#include "howdah/backend/yarn/am/process_files.h"
#include "howdah/base/flags.h"
#include "howdah/base/version.h"
#include "howdah/executor/exec.h"
#include "howdah/executor/horovod_slot.h"
#include "howdah/executor/inherited.h"
#include "howdah/executor/python_archive.h"
#include "howdah/executor/task.h"
#include "howdah/executor/task_arguments.h"
#include "howdah/executor/task_gpus.h"
#include "howdah/hadoop/fileserver/serve.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/limits.h"
#include "howdah/os/process/machine.h"
#include "howdah/rpc/openssl_setup.h"

namespace howdah::agent {
namespace {

using Arguments = std::vector<std::string>;
using OpenFiles = std::optional<uint64_t>;  // the soft limit before this program raised it

constexpr int kUsageExit = 2;
constexpr char kTokenFileVariable[] = "HADOOP_TOKEN_FILE_LOCATION";
// Names of files in a YARN container.
constexpr char kPythonArchive[] = "python.archive", kPythonDirectory[] = "python";

int UsageError(const std::string& message) {
  std::cerr << "howdah-agent: " << message << "\n"
            << "This program is started by howdah and by its own application master; see `howdah --help`.\n";
  return kUsageExit;
}

int ExitWith(const Error& error, const std::string& command = "") {
  if (error.code == ErrorCode::kUsage && !command.empty()) return UsageError(command + ": " + error.message);
  std::cerr << "howdah-agent: " << (command.empty() ? "" : command + ": ") << error.message << "\n";
  return EXIT_FAILURE;
}

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

hadoop::conf::Environment HadoopEnvironment() {
  return {.variable = Variable, .user_name = Variable("USER").value_or(""), .user_home = Variable("HOME").value_or("")};
}

// --- am ---

// Reports "ok" or the problem to the submitting client, which may already have exited.
void ReportReady(int ready_fd, const std::string& message) {
  if (ready_fd < 0) return;
  if (const Status written = os::files::WriteAll(ready_fd, message, "the submitting client"); !written.ok()) {
    std::cerr << written.error().message << "\n";
  }
  close(ready_fd);
}

Status RunAm(backend::local::AgentJob& job, int ready_fd, const std::string& how_before_died,
             const os::process::LoopPulse& pulse, OpenFiles open_files) {
  const os::process::Clock clock;
  am::AmOptions options;
  options.pulse = &pulse;
  options.open_files = open_files;
  options.job = job.id();
  options.spec = job.spec();
  options.node = os::process::NodeName();
  options.listen_host = "127.0.0.1";
  options.peers = rpc::Peers::kSameUser;
  options.how_before_died = how_before_died;
  options.listen_port = job.PublishedPort();
  options.executors_know_port = options.listen_port > 0;
  options.journal = job.files().journal();
  options.event_log = job.files().event_log();
  options.metrics = job.files().metrics();
  options.agents_log_directory = job.files().agents();
  options.environment = job.ToolEnvironment();
  options.write_history = [&job](const std::string& journal) { return job.WriteHistory(journal); };
  options.free_reserve = [&job] { job.FreeReserve(); };
  HOWDAH_TRY(options.identity, job.AmIdentity());
  options.on_listening = [&](const am::Listening& listening) {
    const Status published = job.PublishAddress(listening.address);
    ReportReady(ready_fd, published.ok() ? "ok" : published.error().message);
    return published;
  };
  return am::RunAm(std::move(options), clock,
                   [&](boost::asio::io_context& loop, backend::Sink& sink, const am::Listening& listening) {
                     return job.MakeBackend(loop, sink, {listening.address, listening.add_executor}, clock);
                   });
}

Status RunAm(backend::yarn::am::AmJob& job, const std::string& how_before_died, const os::process::LoopPulse& pulse,
             OpenFiles open_files) {
  const os::process::Clock clock;
  HOWDAH_TRY(const auto beginning, job.Restore(clock));
  am::AmOptions options;
  options.pulse = &pulse;
  options.open_files = open_files;
  HOWDAH_TRY(options.listen_host, job.ListenHost());
  if (!job.spec().tensorboard_logdir.empty()) {
    HOWDAH_TRY_STATUS(executor::UnpackPythonArchive(kPythonArchive, kPythonDirectory));
  }
  options.job = job.id();
  options.spec = job.spec();
  options.attempt = job.attempt();
  options.how_before_died = how_before_died;
  options.listen_port = job.ListenPort();
  options.executors_know_port = job.PublishedPort() > 0;
  options.generation = beginning.generation;
  options.first_task_attempt = beginning.first_task_attempt;
  options.gang_since = clock.Now();
  options.leave_on_sigterm = true;
  options.may_move = true;
  options.node = job.node();
  options.failover_delay = job.FailureDetectionLimit();
  options.journal = job.journal();
  options.event_log = job.event_log();
  options.metrics = job.metrics();
  options.agents_log_directory = job.log_directory();
  HOWDAH_TRY(const std::string here, os::process::WorkingDirectory());
  options.environment = job.ToolEnvironment(here);
  options.write_history = [&job](const std::string& journal) { return job.WriteHistory(journal); };
  options.open_logdir = [&job] { return job.OpenFiles(job.spec().tensorboard_logdir); };
  options.logdir_copy = here + "/tensorboard";
  options.identity = job.identity();
  const auto proxy = job.FindWebProxy();
  options.tracking.proxy_url = proxy.page_url;
  options.tracking.peers = [hosts = proxy.hosts] { return hosts; };
  options.tracking.make_readers = [&job, &clock](boost::asio::io_context& loop) {
    return job.MakePageReaders(loop, clock);
  };
  options.on_listening = [&job](const am::Listening& listening) { return job.PublishAddress(listening.address); };
  return am::RunAm(std::move(options), clock,
                   [&](boost::asio::io_context& loop, backend::Sink& sink, const am::Listening& listening) {
                     return job.MakeBackend(loop, sink, listening.address, listening.tracking_port, clock);
                   });
}

int ExitStatusOf(const Status& status) {
  if (status.ok()) return EXIT_SUCCESS;
  std::cerr << status.error().message << "\n";
  return EXIT_FAILURE;
}

int LocalAm(backend::local::AmStart start, int ready_fd) {
  const OpenFiles open_files = start.open_files;
  auto job = backend::local::AgentJob::Open(std::move(start));
  if (!job.ok()) {
    ReportReady(ready_fd, job.error().message);
    return ExitWith(job.error(), "am");
  }
  return am::RunGuarded({.am =
                             [&](const std::string& how_before_died, const os::process::LoopPulse& pulse) {
                               const int fd = how_before_died.empty() ? ready_fd : -1;
                               const Status ended = RunAm(**job, fd, how_before_died, pulse, open_files);
                               if (ended.ok()) (*job)->RemoveRestartFiles();
                               return ended;
                             },
                         .again = [&] { return (*job)->CanRestart(); },
                         .after_death =
                             [&](const am::AmDeath& death) {
                               (*job)->CleanUp();
                               const Status recorded =
                                   (*job)->RecordAmDeath(death.how, death.error, death.stopped, death.at);
                               if (recorded.ok()) (*job)->RemoveRestartFiles();
                               ExitStatusOf(recorded);
                             },
                         .am_only_fd = ready_fd});
}

int YarnAm(OpenFiles open_files) {
  auto job = backend::yarn::am::AmJob::Open(HadoopEnvironment());
  if (!job.ok()) return ExitStatusOf(job.error());
  return am::RunGuarded(
      {.am = [&](const std::string& how_before_died,
                 const os::process::LoopPulse& pulse) { return RunAm(**job, how_before_died, pulse, open_files); },
       .again = [&] { return (*job)->CanRestart(); },
       .after_death =
           [&](const am::AmDeath& death) {
             (*job)->RecordAmDeath(death.error.empty() ? death.how : death.how + " (" + death.error + ")", death.at);
           }});
}

int Am(const Arguments& arguments, OpenFiles open_files) {
  const auto flags = Flags::Parse(arguments, {"--job-dir", "--lease-dir", "--ready-fd"}, {"--yarn"});
  if (!flags.ok()) return ExitWith(flags.error(), "am");
  signal(SIGPIPE, SIG_IGN);  // a closed pipe must not end the job
  if (flags->has("--yarn")) return YarnAm(open_files);
  return LocalAm({.agent = os::process::ProgramPath(),
                  .job_dir = flags->text("--job-dir"),
                  .lease_dir = flags->text("--lease-dir"),
                  .open_files = open_files},
                 flags->number("--ready-fd", -1));
}

// --- task, exec, rsh ---

// path: the directory of the job's identities, or the file of the container's credentials.
Result<rpc::Identity> LoadIdentity(const std::string& path) {
  struct stat found {};
  const bool is_directory = ::stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
  return is_directory ? backend::local::ReadIdentity(path, "executor") : backend::yarn::am::ExecutorIdentity(path);
}

// Sets up the files of a YARN container. The container's directory is the current directory.
Status UseContainerFiles(executor::TaskOptions& options) {
  HOWDAH_TRY_STATUS(backend::yarn::am::ExtractTaskFiles(HadoopEnvironment()));
  HOWDAH_TRY_STATUS(executor::UnpackPythonArchive(kPythonArchive, kPythonDirectory));
  HOWDAH_TRY(const std::string here, os::process::WorkingDirectory());
  const bool has_python = access(kPythonDirectory, X_OK) == 0;
  executor::UseContainerDirectory(
      {.path = here, .log_dirs = Variable("LOG_DIRS"), .python_dir = has_python ? here + "/" + kPythonDirectory : ""},
      options);
  options.inherited = executor::InheritedFromContainer(environ);
  HOWDAH_TRY_STATUS(executor::EnsureHome(here + "/home", options.inherited));
  HOWDAH_TRY(options.inherited[kTokenFileVariable],
             backend::yarn::am::WriteTaskCredentials(HadoopEnvironment(), options.job_file));
  options.replace_tokens = [job_file = options.job_file](const std::string& tokens) {
    return backend::yarn::am::ReplaceTaskTokens(HadoopEnvironment(), job_file, tokens);
  };
  options.store_outputs = [job = JobId{options.job_id}, work_dir = options.work_dir](
                              const std::string& task, const std::vector<std::string>& files) {
    return backend::yarn::am::StoreOutputs(HadoopEnvironment(), job, task, work_dir, files);
  };
  options.store_logs = [job = JobId{options.job_id}](bool node_leaves) {
    return backend::yarn::am::StoreLogs(HadoopEnvironment(), job, node_leaves);
  };
  options.store_result = [job = JobId{options.job_id}](const std::string& name, const std::string& file) {
    return backend::yarn::am::StoreResult(HadoopEnvironment(), job, name, file);
  };
  return {};
}

int Task(const Arguments& arguments, OpenFiles open_files) {
  auto task = executor::ParseTaskArguments(arguments);
  if (!task.ok()) return ExitWith(task.error(), "task");
  executor::TaskOptions& options = task->options;
  options.open_files = open_files;
  // The task's processes find their tokens in another file (WriteTaskCredentials), which has no identity.
  const std::string identities = task->on_yarn ? Variable(kTokenFileVariable).value_or("") : task->tls_dir;
  options.load_identity = [identities] { return LoadIdentity(identities); };
  options.agent_variables = executor::AgentVariables(os::process::ProgramPath(), options.am_address, identities);
  if (!task->on_yarn) {
    const Status checked = backend::local::CheckJobFile(options.job_file);
    if (!checked.ok()) return ExitWith(checked.error());
    auto inherited = executor::ReadInherited(task->environment_file);
    if (!inherited.ok()) return ExitWith(inherited.error());
    options.inherited = std::move(*inherited);
    options.store_result = [job_file = options.job_file](const std::string& name, const std::string& file) {
      return backend::local::StoreResult(job_file, name, file);
    };
    return executor::RunTask(options);
  }
  if (const Status ready = UseContainerFiles(options); !ready.ok()) return ExitWith(ready.error());
  // The guardian and the executor keep the lease, because both are forked from this process.
  const auto lease =
      executor::LeaseTaskGpus(options.job_file, options.role, Variable("PATH").value_or("/usr/bin:/bin"));
  if (!lease.ok()) return ExitWith(lease.error());
  if (*lease) {
    options.gpus = (*lease)->lease.gpus;
    options.visible_devices = (*lease)->visible_devices;
  }
  return executor::RunTask(options);
}

// --- files ---

// Serves the files of the cluster to the process that has started this program, until that process ends.
int Files(const Arguments& arguments) {
  constexpr unsigned kLimitOfEnd = 60;  // seconds for the requests in progress, whose answers nobody reads
  const auto flags = Flags::Parse(arguments, {"--user", "--memory"}, {});
  if (!flags.ok()) return ExitWith(flags.error(), "files");
  // The signals that stop a job reach all its processes, but a process may then still write a checkpoint.
  sigset_t ignored;
  sigfillset(&ignored);
  sigdelset(&ignored, SIGALRM);
  sigprocmask(SIG_BLOCK, &ignored, nullptr);
  const std::string user = flags->has("--user") ? flags->text("--user") : Variable("USER").value_or("");
  hadoop::conf::Environment environment = HadoopEnvironment();
  environment.user_name = user;
  const hadoop::fileserver::Source source{.open = [&](const std::string& uri) -> Result<hadoop::fileserver::Mounted> {
                                            HOWDAH_TRY(auto opened,
                                                       backend::yarn::am::OpenFilesOfProcess(environment, user, uri));
                                            return hadoop::fileserver::Mounted{std::move(opened.files), opened.umask};
                                          },
                                          .version = [&] { return backend::yarn::am::TokensVersion(environment); }};
  const hadoop::fileserver::Streams streams{STDIN_FILENO, STDOUT_FILENO, flags->number("--memory", -1)};
  const Status served = hadoop::fileserver::Serve(streams, source, [] { ::alarm(kLimitOfEnd); });
  return served.ok() ? EXIT_SUCCESS : ExitWith(served.error(), "files");
}

int ExitCodeOf(const Result<int>& code, const std::string& command) {
  return code.ok() ? *code : ExitWith(code.error(), command);
}

int Main(const Arguments& arguments) {
  if (arguments.empty()) return UsageError("the command is missing; the commands are am, task, exec and rsh");
  const std::string& command = arguments[0];
  const Arguments rest(arguments.begin() + 1, arguments.end());
  if (command == "am" || command == "task") os::process::ProtectMemory();
  // A program of the user replaces this process and inherits its limit of open files, so the limit must not be raised
  // before.
  if (command == "horovod-slot") return ExitCodeOf(executor::RunHorovodSlot(rest), command);
  const OpenFiles open_files = os::process::RaiseOpenFilesLimit();
  if (command == "am") return Am(rest, open_files);
  if (command == "task") return Task(rest, open_files);
  if (command == "exec") return ExitCodeOf(executor::RunExec(rest, LoadIdentity), command);
  if (command == "rsh") return ExitCodeOf(executor::RunRsh(rest, LoadIdentity), command);
  if (command == "files") return Files(rest);
  if (command == "horovod-plan") return ExitCodeOf(executor::RunHorovodPlan(), command);
  if (command == "version") {
    std::cout << "howdah-agent " << kVersion << "\n";
    return EXIT_SUCCESS;
  }
  return UsageError("unknown command " + command);
}

}  // namespace
}  // namespace howdah::agent

int main(int argc, char** argv) {
  howdah::os::process::OpenStandardStreams();
  howdah::rpc::IgnoreOpensslConfiguration();
  return howdah::agent::Main({argv + 1, argv + argc});
}
