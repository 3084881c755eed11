// What runs inside containers: `howdah-agent am` and `howdah-agent task`, started by our own programs, not by people;
// and `howdah-agent exec` and `rsh`, which programs of a task may start.
#include <iostream>

#include "am.h"
#include "exec.h"
#include "flags.h"
#include "howdah/backend/local/agent.h"
#include "howdah/base/version.h"
#include "howdah/executor/task.h"
#include "own_path.h"
#include "yarn.h"

namespace howdah::agent {
namespace {

constexpr int kWrongUsage = 2;

int Complain(const std::string& what) {
  std::cerr << "howdah-agent: " << what << "\n"
            << "This program is started by howdah and by its own application master; see `howdah --help`.\n";
  return kWrongUsage;
}

int Am(const std::vector<std::string>& arguments) {
  const auto flags = Flags::Parse(arguments, {"--job-dir", "--lease-dir", "--ready-fd"}, {"--yarn"});
  if (!flags.ok()) return Complain("am: " + flags.error().message);
  if (flags->has("--yarn")) return RunYarnAm();
  return RunLocalAm({.agent = OwnPath(), .job_dir = flags->text("--job-dir"), .lease_dir = flags->text("--lease-dir")},
                    flags->number("--ready-fd", -1));
}

// "0,3,4"; empty: none.
std::vector<int> ParseGpus(const std::string& text) {
  std::vector<int> gpus;
  for (size_t at = 0; at < text.size();) {
    size_t used = 0;
    gpus.push_back(std::stoi(text.substr(at), &used));
    at += used + 1;
  }
  return gpus;
}

int Task(const std::vector<std::string>& arguments) {
  const auto flags = Flags::Parse(arguments,
                                  {"--job", "--job-file", "--container", "--role", "--index", "--am", "--tls",
                                   "--staging", "--work", "--logs", "--python", "--environment", "--gpus"},
                                  {"--yarn"});
  if (!flags.ok()) return Complain("task: " + flags.error().message);
  if (flags->has("--yarn")) {
    const auto task = YarnTask(*flags);
    if (!task.ok()) {
      std::cerr << "howdah-agent: " << task.error().message << "\n";
      return EXIT_FAILURE;
    }
    return executor::RunTask(*task);
  }
  executor::TaskOptions options;
  options.job_id = flags->text("--job");
  options.job_file = flags->text("--job-file");
  options.container = flags->text("--container");
  options.role = flags->text("--role");
  options.index = flags->number("--index", 0);
  options.am_address = flags->text("--am");
  options.load_identity = [directory = flags->text("--tls")] {
    return backend::local::ReadIdentity(directory, "executor");
  };
  options.agent_variables = AgentVariables(OwnPath(), options.am_address, flags->text("--tls"));
  options.staging_dir = flags->text("--staging");
  options.work_dir = flags->text("--work");
  options.logs_dir = flags->text("--logs");
  options.python_dir = flags->text("--python");
  options.environment_file = flags->text("--environment");
  if (flags->has("--gpus")) options.gpus = ParseGpus(flags->text("--gpus"));
  return executor::RunTask(options);
}

int InAnotherTask(const std::string& name, const Result<int>& code) {
  if (code.ok()) return *code;
  if (code.error().code == ErrorCode::kUsage) return Complain(name + ": " + code.error().message);
  std::cerr << "howdah-agent: " << name << ": " << code.error().message << "\n";
  return EXIT_FAILURE;
}

int Main(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Complain("am or task is missing");
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (arguments[0] == "am") return Am(rest);
  if (arguments[0] == "task") return Task(rest);
  if (arguments[0] == "exec") return InAnotherTask("exec", RunExec(rest));
  if (arguments[0] == "rsh") return InAnotherTask("rsh", RunRsh(rest));
  if (arguments[0] == "version") {
    std::cout << "howdah-agent " << kVersion << "\n";
    return 0;
  }
  return Complain("unknown command " + arguments[0]);
}

}  // namespace
}  // namespace howdah::agent

int main(int argc, char** argv) { return howdah::agent::Main({argv + 1, argv + argc}); }
