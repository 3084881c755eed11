#include "doctor.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <chrono>
#include <ctime>

#include "capacity.h"
#include "home_check.h"
#include "howdah/base/bytes.h"
#include "howdah/base/version.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/space.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/spawn.h"
#include "job_ids.h"
#include "journal_reader.h"
#include "lock_check.h"
#include "orphaned_job.h"

namespace howdah::backend::local {
namespace {

using Finding = backend::Finding;
using Level = Finding::Level;
using Findings = std::vector<Finding>;

constexpr std::chrono::milliseconds kProgramLimit(5000);
constexpr int64_t kMinDisk = int64_t{1} << 30;
constexpr long kMinInstances = 256, kMinWatches = 16384;
constexpr rlim_t kMinDescriptors = 4096, kDescriptorsPerTask = 4;
constexpr int kUnfinishedSubmissionSeconds = 600;

std::string VariableNamed(const jobspec::EnvVars& environment, const std::string& wanted) {
  std::string found;
  for (const auto& [name, value] : environment) {
    if (name == wanted) found = value;
  }
  return found;
}

Finding CheckAgent(const LocalOptions& options) {
  const std::string advice = "build it with `./dev build`, or install howdah and howdah-agent side by side";
  if (access(options.agent.c_str(), X_OK) != 0) {
    return {Level::kProblem, "howdah-agent is missing or not executable at " + options.agent + ": no job can start",
            advice};
  }
  os::process::SpawnRequest request;
  request.program = options.agent;
  request.argv = {"howdah-agent", "version"};
  const auto said = os::process::RunForOutput(request, kProgramLimit);
  if (!said.ok()) return {Level::kProblem, options.agent + " does not run: " + said.error().message, advice};
  if (said->find(kVersion) == std::string::npos) {
    return {Level::kProblem,
            options.agent + " has another version (it reports '" + said->substr(0, said->find('\n')) + "', this is " +
                std::string(kVersion) + ")",
            advice};
  }
  return {Level::kOk, "howdah-agent " + std::string(kVersion) + " runs (" + options.agent + ")", ""};
}

Finding CheckLocks(const std::string& home) {
  const std::string probe = home + "/.doctor-lock";
  const auto first = os::files::FileLock::Try(probe);
  const auto second = os::files::FileLock::Try(probe);
  unlink(probe.c_str());
  const auto locked = [](const Result<std::optional<os::files::FileLock>>& attempt) -> Result<bool> {
    if (!attempt.ok()) return attempt.error();
    return attempt->has_value();
  };
  const auto space = os::files::SpaceAt(probe);
  return LockFinding({locked(first), locked(second)},
                     space.ok() ? *space : os::files::Space{.mount_point = home, .type = "unknown type"});
}

void CheckStorage(const std::string& home, Findings& findings) {
  const std::string probe = home + "/.doctor";
  howdah::Status made = os::files::MakeDirectories(home, 0700);
  if (made.ok()) made = os::files::WriteFileAtomically(probe, "", 0600);
  if (!made.ok()) {
    findings.push_back({Level::kProblem, "jobs cannot be stored in " + home + ": " + made.error().message,
                        "make it writable, or set HOWDAH_HOME to a writable directory"});
    return;
  }
  unlink(probe.c_str());
  const howdah::Status checked = local::CheckHome(Layout(home));
  if (!checked.ok())
    findings.push_back({Level::kProblem, checked.error().message, "set HOWDAH_HOME to a directory of your own"});
  findings.push_back(CheckLocks(home));
  struct statvfs disk {};
  if (statvfs(home.c_str(), &disk) != 0) return;
  const int64_t free_bytes = static_cast<int64_t>(disk.f_bavail) * static_cast<int64_t>(disk.f_frsize);
  const std::string what = "jobs are stored in " + home + ", " + FormatBytes(free_bytes) + " free";
  if (free_bytes < kMinDisk) {
    findings.push_back({Level::kWarning, what, "free some space: delete old jobs from " + home + "/jobs"});
  } else {
    findings.push_back({Level::kOk, what, ""});
  }
}

void CheckMachine(const std::string& path, Findings& findings) {
  const Capacity capacity = MachineCapacity(path, /*with_gpus=*/true);
  findings.push_back({Level::kOk,
                      FormatBytes(capacity.memory_bytes) +
                          " of memory for jobs (90 % of the smaller of installed memory and cgroup limit), " +
                          std::to_string(capacity.vcores) + " cores",
                      ""});
  if (capacity.gpus.empty()) {
    findings.push_back(
        {Level::kOk, "no GPUs (nvidia-smi is not in PATH or shows none): jobs with `gpus:` are refused", ""});
  } else {
    findings.push_back({Level::kOk, std::to_string(capacity.gpus.size()) + " GPUs", ""});
  }
}

Finding CheckProgram(const std::string& name, const std::string& path, Level if_missing, const std::string& advice) {
  const os::process::FoundCommand found = os::process::LookUpCommand(name, path, "/");
  if (found.error == 0) return {Level::kOk, name + " is " + found.program, ""};
  return {if_missing, name + " is not in PATH (" + path + ")", advice};
}

void CheckInotifyLimit(const std::string& name, long few, Findings& findings) {
  const std::string key = "fs.inotify." + name;
  const auto text = os::files::ReadFile("/proc/sys/fs/inotify/" + name);
  if (!text.ok()) return;
  const long value = std::strtol(text->c_str(), nullptr, 10);
  const std::string what = key + " is " + std::to_string(value);
  if (value >= few) return findings.push_back({Level::kOk, what, ""});
  findings.push_back({Level::kWarning, what + ": too low for many jobs at the same time",
                      "sudo sysctl " + key + "=" + std::to_string(few)});
}

// Agents raise their soft limit to the hard limit, so the soft limit only applies to the programs of tasks.
Finding CheckDescriptors() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  const std::string what = "limit of open files: " + std::to_string(limit.rlim_max) + " for agents (ulimit -Hn), " +
                           std::to_string(limit.rlim_cur) + " for programs of tasks (ulimit -Sn)";
  if (limit.rlim_max >= kMinDescriptors) return {Level::kOk, what, ""};
  return {Level::kWarning,
          what + "; enough for about " + std::to_string(limit.rlim_max / kDescriptorsPerTask) + " tasks per job",
          "raise the hard limit in /etc/security/limits.conf"};
}

// Reports how many jobs there are. Like other commands, it also records the end of orphaned jobs.
void CheckJobs(const Layout& layout, Findings& findings) {
  const auto ids = JobsNewestFirst(layout);
  if (!ids.ok()) return findings.push_back({Level::kProblem, ids.error().message, "make it readable"});
  int running = 0;
  for (const JobId& id : *ids) {
    const JobFiles files(layout.job(id));
    if (HasEndEntry(files.journal())) continue;
    const howdah::Status settled = EndIfOrphaned(files, id);
    if (!settled.ok()) {
      findings.push_back({Level::kProblem, id.text + ": " + settled.error().message, "see " + files.directory()});
    } else if (HasEndEntry(files.journal())) {
      findings.push_back({Level::kWarning,
                          id.text + " had lost its application master; the job has now been recorded as ended",
                          "`howdah status " + id.text + "` shows more"});
    } else {
      ++running;
    }
  }
  findings.push_back({Level::kOk,
                      std::to_string(ids->size()) + " jobs, " + std::to_string(running) + " of them queued or running",
                      ""});
}

// Reports the directories of interrupted submissions, which have no journal.
void CheckLeftovers(const Layout& layout, Findings& findings) {
  const auto names = os::files::ListDirectory(layout.jobs());
  if (!names.ok()) return;
  for (const std::string& name : *names) {
    const JobFiles files(layout.job(JobId{name}));
    struct stat facts {};
    if (access(files.journal().c_str(), F_OK) == 0 || stat(files.directory().c_str(), &facts) != 0) continue;
    // The submission may still be in progress.
    const auto lock = os::files::FileLock::TryExisting(files.am_lock());
    if (lock.ok() && !lock->has_value()) continue;
    if (std::time(nullptr) - facts.st_mtime < kUnfinishedSubmissionSeconds) continue;
    findings.push_back({Level::kWarning, files.directory() + " was left behind by an interrupted submission",
                        "rm -r '" + files.directory() + "'"});
  }
}

}  // namespace

std::vector<Finding> CheckSetup(const LocalOptions& options) {
  const std::string path = VariableNamed(options.environment, "PATH");
  const Layout layout(options.home);
  Findings findings;
  findings.push_back(CheckAgent(options));
  CheckStorage(options.home, findings);
  CheckMachine(path, findings);
  findings.push_back(
      CheckProgram("bash", path, Level::kProblem, "install bash: commands of job files run under `bash -c`"));
  findings.push_back(CheckProgram("python3", path, Level::kWarning, "install Python, or give jobs one with `python:`"));
  findings.push_back(CheckProgram("tensorboard", path, Level::kWarning,
                                  "pip install tensorboard, for jobs with `tensorboard:`; they run without it, too"));
  CheckInotifyLimit("max_user_instances", kMinInstances, findings);
  CheckInotifyLimit("max_user_watches", kMinWatches, findings);
  findings.push_back(CheckDescriptors());
  CheckJobs(layout, findings);
  CheckLeftovers(layout, findings);
  return findings;
}

}  // namespace howdah::backend::local
