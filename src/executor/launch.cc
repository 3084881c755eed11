#include "launch.h"

#include <sys/stat.h>

#include <csignal>

#include "horovod_driver.h"
#include "howdah/frameworks/framework.h"
#include "howdah/frameworks/mpi/mpi.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "progress_reader.h"
#include "python_environment.h"
#include "result_store.h"

namespace howdah::executor {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr int kNotFound = 127, kNotExecutable = 126;

std::string GpuList(const std::vector<int>& gpus) {
  std::string list;
  for (const int gpu : gpus) list += (list.empty() ? "" : ",") + std::to_string(gpu);
  return list;
}

bool IsDirectory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Sets the program and its arguments, or the problem. pipefail: whether a pipeline in a shell command fails if any of
// its commands fails.
void ChooseProgram(const jobspec::Command& command, bool pipefail, Launch& launch) {
  os::process::SpawnRequest& request = launch.request;
  if (!command.shell.empty()) {
    const os::process::FoundCommand bash = os::process::LookUpCommand("bash", launch.path, request.directory);
    request.program = bash.error == 0 ? bash.program : "/bin/bash";
    request.argv = {"bash", "-c", command.shell};
    if (pipefail) request.argv.insert(request.argv.begin() + 1, {"-o", "pipefail"});
    return;
  }
  request.argv = command.argv;
  const std::string name = command.argv.empty() ? "" : command.argv.front();
  const os::process::FoundCommand found = os::process::LookUpCommand(name, launch.path, request.directory);
  request.program = found.program;
  if (found.error == ENOENT) {
    const bool is_path = name.find('/') != std::string::npos;
    launch.problem = StartProblem{kNotFound, name + (is_path ? ": No such file or directory" : ": command not found")};
  } else if (found.error == EACCES) {
    launch.problem =
        StartProblem{kNotExecutable, name + (IsDirectory(found.program) ? ": Is a directory" : ": Permission denied")};
  }
}

}  // namespace

Variables MakeEnvironment(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot) {
  Variables variables = plan.options.inherited;
  std::string& path = variables["PATH"];
  if (path.empty()) path = kDefaultPath;
  if (!plan.options.python_dir.empty()) {
    path = plan.options.python_dir + "/bin:" + path;
    variables["VIRTUAL_ENV"] = plan.options.python_dir;
    variables.erase("CONDA_PREFIX");  // the submitter's shell may have set it
  }
  for (const auto& [name, value] : plan.options.agent_variables) variables[name] = value;
  if (plan.options.gpus) {
    const std::string& visible = plan.options.visible_devices;
    variables["CUDA_VISIBLE_DEVICES"] = visible.empty() ? GpuList(*plan.options.gpus) : visible;
  }
  const frameworks::common::ProcessInfo process{.job_id = plan.options.job_id,
                                                .task = {plan.task.role, slot.index},
                                                .local_rank = slot.local_rank,
                                                .attempt = slot.attempt,
                                                .generation = slot.generation,
                                                .error_file = plan.logs(slot).error_file,
                                                .rendezvous = peers.rendezvous,
                                                .remote_start = plan.remote_start,
                                                .driver_output = DriverOutput(plan, slot.attempt),
                                                .interface = plan.interface,
                                                .tensorboard_port = plan.tensorboard_port};
  variables["HOWDAH_PROGRESS"] = ProgressFile(plan.options.work_dir, slot.attempt, slot.local_rank);
  variables["HOWDAH_RESULT"] = ResultFile(plan.options.work_dir, slot.attempt, slot.local_rank);
  if (!plan.feed_socket.empty()) variables["HOWDAH_FEED"] = plan.feed_socket;
  for (auto& [name, value] : frameworks::Environment(plan.spec, peers.cluster, process)) {
    variables[name] = std::move(value);
  }
  for (const auto& [name, value] : plan.spec.env) variables[name] = value;
  for (const auto& [name, value] : peers.exports) variables[name] = value;
  for (const auto& [name, value] : plan.role().env) variables[name] = value;
  return variables;
}

namespace {

// Sets everything but the standard streams.
void FillIn(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot, const jobspec::Command& command,
            Launch& launch) {
  launch.request.directory = plan.options.work_dir;
  launch.request.death_signal = SIGKILL;
  launch.request.open_files = plan.options.open_files;
  if (!plan.remote_start.temporary.empty()) launch.request.directory_fd = frameworks::mpi::kDirectoryFd;
  for (const auto& [name, value] : MakeEnvironment(plan, peers, slot)) {
    if (name == "PATH") launch.path = value;
    launch.request.environment.push_back(name + "=" + value);
  }
  // TonY runs commands without pipefail, and a TonY job must have the same result under Howdah.
  ChooseProgram(command, !plan.spec.tony_env, launch);
}

}  // namespace

Launch PrepareCommand(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot,
                      const jobspec::Command& command) {
  Launch launch;
  FillIn(plan, peers, slot, command, launch);
  return launch;
}

Result<Launch> PrepareLaunch(const TaskPlan& plan, const Peers& peers, const ProcessSlot& slot) {
  const LogFiles logs = plan.logs(slot);
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(logs.out.substr(0, logs.out.rfind('/'))));
  Launch launch;
  HOWDAH_TRY(launch.out, os::files::OpenForAppend(logs.out));
  HOWDAH_TRY(launch.err, os::files::OpenForAppend(logs.err));
  // The process writes to the files itself, so no output is lost if the executor dies.
  launch.request.stdout_fd = launch.out.get();
  launch.request.stderr_fd = launch.err.get();
  FillIn(plan, peers, slot, frameworks::mpi::PlaceholderCommand(plan.spec, plan.task).value_or(plan.role().command),
         launch);
  if (!launch.problem) WaitForDriverPlan(plan, peers, slot, launch.request);
  if (const auto broken = FindBrokenPython(plan.options.python_dir)) {
    const bool missing = broken->fault != diagnosis::BrokenPython::Fault::kNotExecutable;
    const std::string target = broken->target.empty() ? "" : " -> " + broken->target;
    launch.problem =
        StartProblem{missing ? kNotFound : kNotExecutable,
                     broken->file + target + (missing ? ": No such file or directory" : ": Permission denied")};
  }
  return launch;
}

StartProblem ToProblem(const os::process::SpawnRequest& request, const os::process::SpawnError& error) {
  const std::string name = request.argv.empty() ? request.program : request.argv.front();
  if (error.step != os::process::SpawnStep::kExec) return {std::nullopt, os::process::ToError(request, error).message};
  switch (error.error) {
    case ENOENT:  // Spawn found the file, but its interpreter or loader is missing
      return {kNotExecutable, name + ": cannot execute: required file not found"};
    case ENOEXEC:
      return {kNotExecutable, name + ": Exec format error"};
    case EACCES:
      return {kNotExecutable, name + ": Permission denied"};
    default:
      return {kNotExecutable, os::process::ToError(request, error).message};
  }
}

}  // namespace howdah::executor
