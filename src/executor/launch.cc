#include "launch.h"

#include <sys/stat.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "howdah/frameworks/framework.h"
#include "howdah/os/files/files.h"
#include "packed_python.h"
#include "progress.h"

namespace howdah::executor {
namespace {

constexpr const char* kDefaultPath = "/usr/local/bin:/usr/bin:/bin";
constexpr int kNotFound = 127, kNotExecutable = 126;
constexpr size_t kEnvironmentLimit = size_t{8} << 20;

std::string GpuList(const std::vector<int>& gpus) {
  std::string list;
  for (const int gpu : gpus) list += (list.empty() ? "" : ",") + std::to_string(gpu);
  return list;
}

bool IsDirectory(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

// Fills in the program and its arguments.
void ChooseProgram(const jobspec::Command& command, Launch& launch) {
  os::process::SpawnRequest& request = launch.request;
  if (!command.shell.empty()) {
    const os::process::FoundCommand bash = os::process::LookUpCommand("bash", launch.path, request.directory);
    request.program = bash.error == 0 ? bash.program : "/bin/bash";
    request.argv = {"bash", "-c", command.shell};
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

Result<Variables> ReadInherited(const std::string& environment_file) {
  Variables variables;
  if (environment_file.empty()) return variables;
  const auto text = os::files::ReadFile(environment_file, kEnvironmentLimit);
  if (!text) return text.error();
  const auto json = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Failed("reading " + environment_file + ": it is not a JSON object");
  for (const auto& [name, value] : json.items()) {
    if (!value.is_string()) return Failed("reading " + environment_file + ": " + name + " is not a text");
    variables[name] = value.get<std::string>();
  }
  return variables;
}

Variables MakeEnvironment(const TaskPlan& plan, const Surroundings& surroundings, const RankPlace& place) {
  Variables variables = plan.inherited;
  std::string& path = variables["PATH"];
  if (path.empty()) path = kDefaultPath;
  if (!plan.options.python_dir.empty()) {
    path = plan.options.python_dir + "/bin:" + path;
    variables["VIRTUAL_ENV"] = plan.options.python_dir;
    variables.erase("CONDA_PREFIX");  // the submitter's, not the archive's
  }
  for (const auto& [name, value] : plan.options.agent_variables) variables[name] = value;
  if (plan.options.gpus) variables["CUDA_VISIBLE_DEVICES"] = GpuList(*plan.options.gpus);
  const frameworks::ProcessPlace process{.job_id = plan.options.job_id,
                                         .task = {plan.task.role, place.index},
                                         .local_rank = place.local_rank,
                                         .attempt = place.attempt,
                                         .generation = place.generation,
                                         .error_file = plan.logs(place).error_file,
                                         .rendezvous = surroundings.rendezvous,
                                         .start_support = plan.start_support,
                                         .interface = plan.interface,
                                         .tensorboard_port = plan.tensorboard_port};
  variables["HOWDAH_PROGRESS"] = ProgressFile(plan.options.work_dir, place.attempt, place.local_rank);
  for (auto& [name, value] : frameworks::Environment(plan.spec, surroundings.cluster, process)) {
    variables[name] = std::move(value);
  }
  for (const auto& [name, value] : plan.spec.env) variables[name] = value;
  for (const auto& [name, value] : surroundings.exports) variables[name] = value;
  for (const auto& [name, value] : plan.role().env) variables[name] = value;
  return variables;
}

namespace {

// Fills in all but the streams.
void FillIn(const TaskPlan& plan, const Surroundings& surroundings, const RankPlace& place,
            const jobspec::Command& command, Launch& launch) {
  launch.request.directory = plan.options.work_dir;
  launch.request.death_signal = SIGKILL;
  for (const auto& [name, value] : MakeEnvironment(plan, surroundings, place)) {
    if (name == "PATH") launch.path = value;
    launch.request.environment.push_back(name + "=" + value);
  }
  ChooseProgram(command, launch);
}

}  // namespace

Launch PrepareCommand(const TaskPlan& plan, const Surroundings& surroundings, const RankPlace& place,
                      const jobspec::Command& command) {
  Launch launch;
  FillIn(plan, surroundings, place, command, launch);
  return launch;
}

Result<Launch> PrepareLaunch(const TaskPlan& plan, const Surroundings& surroundings, const RankPlace& place) {
  const LogFiles logs = plan.logs(place);
  if (Status made = os::files::MakeDirectories(logs.out.substr(0, logs.out.rfind('/'))); !made.ok())
    return made.error();
  auto out = os::files::OpenForAppend(logs.out);
  if (!out) return out.error();
  auto err = os::files::OpenForAppend(logs.err);
  if (!err) return err.error();

  Launch launch;
  launch.out = std::move(*out);
  launch.err = std::move(*err);
  // The files themselves: nothing stands between a process and its output, and our death loses none of it.
  launch.request.stdout_fd = launch.out.get();
  launch.request.stderr_fd = launch.err.get();
  FillIn(plan, surroundings, place, frameworks::HoldsPlace(plan.spec, plan.task).value_or(plan.role().command), launch);
  if (const auto broken = FindBrokenPython(plan.options.python_dir)) {
    const bool gone = broken->fault != diagnosis::BrokenPython::Fault::kNotExecutable;
    const std::string target = broken->target.empty() ? "" : " -> " + broken->target;
    launch.problem =
        StartProblem{gone ? kNotFound : kNotExecutable,
                     broken->file + target + (gone ? ": No such file or directory" : ": Permission denied")};
  }
  return launch;
}

StartProblem ToProblem(const os::process::SpawnRequest& request, const os::process::SpawnError& error) {
  const std::string name = request.argv.empty() ? request.program : request.argv.front();
  if (error.step != os::process::SpawnStep::kExec) return {std::nullopt, os::process::ToError(request, error).message};
  switch (error.error) {
    case ENOENT:  // of the file's interpreter, or of its loader: the file itself has been found
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
