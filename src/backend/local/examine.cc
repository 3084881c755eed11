#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "abandoned.h"
#include "capacity.h"
#include "howdah/backend/local/local_cluster.h"
#include "howdah/base/bytes.h"
#include "howdah/base/version.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/spawn.h"
#include "job_ids.h"
#include "journal_reader.h"

namespace howdah::backend::local {
namespace {

using Finding = backend::Cluster::Finding;
using Level = Finding::Level;
using Findings = std::vector<Finding>;

constexpr std::chrono::milliseconds kProgramLimit(5000);
constexpr int64_t kLittleDisk = int64_t{1} << 30;
constexpr long kFewInstances = 256, kFewWatches = 16384;
constexpr rlim_t kFewDescriptors = 4096;
constexpr int kUnfinishedSubmissionSeconds = 600;

std::string VariableOf(const jobspec::EnvVars& environment, const std::string& wanted) {
  std::string found;
  for (const auto& [name, value] : environment) {
    if (name == wanted) found = value;
  }
  return found;
}

Finding ExamineAgent(const LocalOptions& options) {
  const std::string advice = "build it with `./dev build`, or install howdah and howdah-agent side by side";
  if (access(options.agent.c_str(), X_OK) != 0) {
    return {Level::kProblem, "howdah-agent is not at " + options.agent + ", or not executable: no job can start",
            advice};
  }
  os::process::SpawnRequest request;
  request.program = options.agent;
  request.argv = {"howdah-agent", "version"};
  const auto said = os::process::RunForOutput(request, kProgramLimit);
  if (!said.ok()) return {Level::kProblem, options.agent + " does not run: " + said.error().message, advice};
  if (said->find(kVersion) == std::string::npos) {
    return {Level::kProblem,
            options.agent + " is of another version (it says '" + said->substr(0, said->find('\n')) + "', this is " +
                std::string(kVersion) + ")",
            advice};
  }
  return {Level::kOk, "howdah-agent " + std::string(kVersion) + " runs (" + options.agent + ")", ""};
}

void ExamineHome(const std::string& home, Findings& findings) {
  const std::string probe = home + "/.doctor";
  howdah::Status made = os::files::MakeDirectories(home, 0700);
  if (made.ok()) made = os::files::WriteFileAtomically(probe, "", 0600);
  if (!made.ok()) {
    findings.push_back({Level::kProblem, "jobs cannot be kept in " + home + ": " + made.error().message,
                        "make it writable, or set HOWDAH_HOME to a directory that is"});
    return;
  }
  unlink(probe.c_str());
  struct statvfs disk {};
  if (statvfs(home.c_str(), &disk) != 0) return;
  const int64_t free_bytes = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  const std::string what = "jobs are kept in " + home + ", " + FormatBytes(free_bytes) + " free";
  if (free_bytes < kLittleDisk) {
    findings.push_back({Level::kWarning, what, "free some space: remove old jobs from " + home + "/jobs"});
  } else {
    findings.push_back({Level::kOk, what, ""});
  }
}

void ExamineMachine(const std::string& path, Findings& findings) {
  const Capacity capacity = CapacityOfThisMachine(path, /*with_gpus=*/true);
  findings.push_back({Level::kOk,
                      FormatBytes(capacity.memory_bytes) +
                          " of memory for jobs (90 % of the smaller of installed memory and cgroup limit), " +
                          std::to_string(capacity.vcores) + " cores",
                      ""});
  if (capacity.gpus.empty()) {
    findings.push_back(
        {Level::kOk, "no GPUs (nvidia-smi is not on PATH or shows none): jobs with `gpus:` are refused", ""});
  } else {
    findings.push_back({Level::kOk, std::to_string(capacity.gpus.size()) + " GPUs", ""});
  }
}

Finding ExamineProgram(const std::string& name, const std::string& path, Level if_missing, const std::string& advice) {
  const os::process::FoundCommand found = os::process::LookUpCommand(name, path, "/");
  if (found.error == 0) return {Level::kOk, name + " is " + found.program, ""};
  return {if_missing, name + " is not on PATH (" + path + ")", advice};
}

void ExamineLimit(const std::string& name, long few, Findings& findings) {
  const std::string key = "fs.inotify." + name;
  const auto text = os::files::ReadFile("/proc/sys/fs/inotify/" + name);
  if (!text.ok()) return;
  const long value = std::strtol(text->c_str(), nullptr, 10);
  const std::string what = key + " is " + std::to_string(value);
  if (value >= few) return findings.push_back({Level::kOk, what, ""});
  findings.push_back({Level::kWarning, what + ": many jobs at once may run out of it",
                      "sudo sysctl " + key + "=" + std::to_string(few)});
}

Finding ExamineDescriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::string what = "up to " + std::to_string(limit.rlim_max) + " open files (ulimit -Hn)";
  if (limit.rlim_max >= kFewDescriptors) return {Level::kOk, what, ""};
  return {Level::kWarning, what + ": too few for a job of hundreds of tasks", "raise it in /etc/security/limits.conf"};
}

// Jobs whose application master is gone get their end here, as by anybody who looks at them.
void ExamineJobs(const Layout& layout, Findings& findings) {
  const auto ids = NewestFirst(layout);
  if (!ids.ok()) return findings.push_back({Level::kProblem, ids.error().message, "make it readable"});
  int running = 0;
  for (const JobId& id : *ids) {
    const JobFiles files(layout.job(id));
    if (EndsFinally(files.journal())) continue;
    const howdah::Status settled = EndIfAbandoned(files, id);
    if (!settled.ok()) {
      findings.push_back({Level::kProblem, id.text + ": " + settled.error().message, "see " + files.directory()});
    } else if (EndsFinally(files.journal())) {
      findings.push_back({Level::kWarning, id.text + " had lost its application master; it has been ended now",
                          "`howdah status " + id.text + "` says more"});
    } else {
      ++running;
    }
  }
  findings.push_back(
      {Level::kOk, std::to_string(ids->size()) + " jobs, " + std::to_string(running) + " of them not ended", ""});
}

// What is left of submissions that were cut off: directories that never got a journal.
void ExamineLeftovers(const Layout& layout, Findings& findings) {
  const auto names = os::files::ListDirectory(layout.jobs());
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const JobFiles files(layout.job(JobId{name}));
    struct stat facts {};
    if (access(files.journal().c_str(), F_OK) == 0 || stat(files.directory().c_str(), &facts) != 0) continue;
    if (std::time(nullptr) - facts.st_mtime < kUnfinishedSubmissionSeconds) continue;  // it may be under way
    findings.push_back({Level::kWarning, files.directory() + " is left of a submission that was cut off",
                        "rm -r '" + files.directory() + "'"});
  }
}

}  // namespace

std::vector<Finding> LocalCluster::Examine() {
  const std::string path = VariableOf(options_.environment, "PATH");
  Findings findings;
  findings.push_back(ExamineAgent(options_));
  ExamineHome(options_.home, findings);
  ExamineMachine(path, findings);
  findings.push_back(
      ExamineProgram("bash", path, Level::kProblem, "install bash: commands of job files run under `bash -c`"));
  findings.push_back(
      ExamineProgram("python3", path, Level::kWarning, "install Python, or give jobs one with `python:`"));
  findings.push_back(ExamineProgram("tensorboard", path, Level::kWarning,
                                    "pip install tensorboard, if jobs have `tensorboard:`; they run without it, too"));
  ExamineLimit("max_user_instances", kFewInstances, findings);
  ExamineLimit("max_user_watches", kFewWatches, findings);
  findings.push_back(ExamineDescriptors());
  ExamineJobs(layout_, findings);
  ExamineLeftovers(layout_, findings);
  return findings;
}

}  // namespace howdah::backend::local
