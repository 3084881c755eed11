#include "howdah/cli/args/job_flags.h"

#include <functional>
#include <utility>

#include "howdah/base/number.h"

namespace howdah::cli::args {
namespace {

bool Assign(const std::string& text, std::string& value) {
  value = text;
  return true;
}
bool Assign(const std::string& text, std::optional<int>& value) {
  value = ParseNumber<int>(text);
  return value.has_value();
}
bool Assign(const std::string& text, int& value) {
  const auto number = ParseNumber<int>(text);
  if (number) value = *number;
  return number.has_value();
}

std::string Restriction(JobFile file) { return file == JobFile::kPossible ? " (only without a job file)" : ""; }

// Adds a flag for a job without a job file. Records the flag's name, because the flag is an error if a job file is
// given. take: stores the value of each occurrence, and returns an error or "".
void AddQuickFlag(Syntax& syntax, client::JobRequest& request, const std::string& name, const std::string& type,
                  std::function<std::string(const std::string&)> take, const std::string& help, JobFile file) {
  syntax.Each(
      name, type,
      [&request, name, take = std::move(take)](const std::string& text) {
        request.quick_flags.push_back(name);
        return take(text);
      },
      help + Restriction(file));
}

template <typename T>
void AddQuick(Syntax& syntax, client::JobRequest& request, const std::string& name, const std::string& type, T& value,
              const std::string& help, JobFile file = JobFile::kPossible) {
  const auto take = [&value](const std::string& text) {
    return Assign(text, value) ? "" : "'" + text + "' is not a whole number";
  };
  AddQuickFlag(syntax, request, name, type, take, help, file);
}

std::string TakeVariable(jobspec::QuickJob& quick, const std::string& word) {
  const size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) return "'" + word + "' is not NAME=VALUE";
  quick.env.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  return "";
}

}  // namespace

std::string FrameworkHelp() {
  std::string text;
  for (const std::string_view name : jobspec::FrameworkNames()) text += (text.empty() ? "" : ", ") + std::string(name);
  return text + "; default: plain";
}

void AddTaskFlags(Syntax& syntax, client::JobRequest& request, JobFile file) {
  jobspec::QuickJob& quick = request.quick;
  AddQuick(syntax, request, "--name", "TEXT", quick.name, "Name of the job", file);
  AddQuick(syntax, request, "--memory", "SIZE", quick.memory, "Memory per task, for example 2GiB", file);
  AddQuick(syntax, request, "--vcores", "N", quick.vcores, "Virtual cores per task", file);
  AddQuick(syntax, request, "--gpus", "N", quick.gpus, "GPUs per task", file);
  AddQuick(syntax, request, "--python", "FILE", quick.python_archive, "Packed Python environment", file);
  AddQuick(syntax, request, "--queue", "NAME", quick.queue, "Queue of the cluster", file);
  AddQuickFlag(
      syntax, request, "--env", "NAME=VALUE", [&quick](const std::string& word) { return TakeVariable(quick, word); },
      "An environment variable for every task", file);
}

void AddSource(Syntax& syntax, client::JobRequest& request, const std::string& help, JobFile file) {
  AddQuick(syntax, request, "--source", "DIR", request.quick.source, help, file);
}

void AddJobRequest(Syntax& syntax, client::JobRequest& request) {
  jobspec::QuickJob& quick = request.quick;
  syntax.Positional("job", "JOB.yaml", request.file, Presence::kOptional, "Job file (YAML or JSON); - for stdin");
  syntax.Each(
      "--set", "KEY=VALUE",
      [&request](const std::string& set) {
        request.sets.push_back(set);
        return std::string();
      },
      "Set a key of the job file, for example roles.worker.instances=4; VALUE is YAML");
  syntax.Text("--from", "ROLE", request.from,
              "Begin with this role; the roles whose end it waits for count as finished");
  AddQuick(syntax, request, "--framework", "NAME", quick.framework, FrameworkHelp());
  AddQuick(syntax, request, "--workers", "N", quick.workers, "Number of tasks");
  AddQuick(syntax, request, "--processes", "N", quick.processes, "Processes per task");
  AddSource(syntax, request, "Directory to copy into every task's working directory; default: the current one",
            JobFile::kPossible);
  const auto take_pattern = [&quick](const std::string& pattern) {
    quick.outputs.push_back(pattern);
    return std::string();
  };
  AddQuickFlag(
      syntax, request, "--outputs", "PATTERN", take_pattern,
      "Files in the working directories to keep, whatever their size, as in '*.pt'; other new files are kept up "
      "to 1GiB per task",
      JobFile::kPossible);
  AddTaskFlags(syntax, request, JobFile::kPossible);
  syntax.WordsAfterDashes(request.words, "COMMAND or ARGUMENTS");
}

}  // namespace howdah::cli::args
