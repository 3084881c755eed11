#include "orphaned_job.h"

#include <fcntl.h>
#include <unistd.h>

#include <iostream>

#include "howdah/journal/job_end.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "job_host.h"
#include "job_processes.h"
#include "journal_reader.h"
#include "outputs.h"
#include "tony_history.h"

namespace howdah::backend::local {
namespace {

// Returns when this machine was booted, or nullopt if /proc does not show that.
std::optional<Instant> BootTime() {
  const auto stat = os::files::ReadFile("/proc/stat");
  if (!stat.ok()) return std::nullopt;
  const size_t at = stat->find("\nbtime ");
  if (at == std::string::npos) return std::nullopt;
  return Instant(std::chrono::seconds(std::strtoll(stat->c_str() + at + 7, nullptr, 10)));
}

std::string TasksText(size_t count) { return std::to_string(count) + (count == 1 ? " task" : " tasks"); }

// Returns the `how` of RecordAmDeath for a job whose guardian has died, too.
std::string DescribeDeathOfAmAndGuardian(const journal::JobView& view) {
  const auto boot = BootTime();
  if (boot && view.submitted && *boot > *view.submitted) {
    return "and its guardian died: this machine was rebooted at " + FormatInstant(*boot);
  }
  return "and its guardian died without recording why";
}

struct Death {
  std::string how, error;      // see RecordAmDeath
  std::string exception = "";  // text about processes that may not have been killed; empty if there are none
  bool stopped = false;        // whether the end was requested
  Instant at;
};

std::string Reason(const journal::JobView& view, const JobFiles& files, const Death& death) {
  const std::string last = death.error.empty() ? os::files::LastLine(files.am_log()) : "";
  int running = 0;
  for (const journal::TaskView& task : view.tasks) running += task.state == core::TaskState::kRunning;
  return "the application master (attempt " + std::to_string(view.am_attempt) + ") " + death.how +
         (view.submitted ? ", " + FormatDuration(death.at - *view.submitted) + " after the job was submitted" : "") +
         (death.error.empty() ? "" : ": " + death.error) + "; " + std::to_string(running) + " of " +
         TasksText(view.tasks.size()) +
         (running == 1 ? " was running and has been killed" : " were running and have been killed") + death.exception +
         (last.empty() ? "" : "; last line of its log: " + last);
}

// Tries to remove each path. Returns the last error.
Status RemoveAll(const std::vector<std::string>& paths) {
  Status result;
  for (const std::string& path : paths) {
    if (Status removed = os::files::RemoveTree(path); !removed.ok()) result = std::move(removed);
  }
  return result;
}

// A process that the out-of-memory killer ends reports no error. So without an error the advice mentions that killer.
core::JobChanged EndOf(const std::string& reason, const Death& death) {
  constexpr int kKilledExit = 4;  // the exit code that the core uses for a requested end
  core::JobChanged end;
  if (death.stopped) {
    end.state = core::JobState::kKilled;
    end.exit_code = kKilledExit;
    end.reason = "stopped through the guardian: " + reason;
    return end;
  }
  end.state = core::JobState::kFailed;
  end.exit_code = 1;
  end.reason = reason;
  end.advice = death.error.empty()
                   ? "submit the job again; if nobody killed it, look for the kernel's out-of-memory killer (dmesg)"
                   : "remove this cause, and submit the job again";
  return end;
}

// Returns the last lines of the journal. Writes TonY's history first, so that the job's advice can report a failure to
// write it.
std::string EndLines(const JobFiles& files, const journal::JobView& view, core::JobChanged end, Instant now) {
  constexpr char kTaskReason[] = "the application master died";
  const std::string lines = journal::EndLines(view, end, kTaskReason, now);
  auto journal = os::files::ReadFile(files.journal());
  const Status written = journal.ok() ? FinishTonyHistoryOf(files, *journal + "\n" + lines) : Status(journal.error());
  if (written.ok()) return lines;
  end.advice = (end.advice ? *end.advice + "; " : "") + written.error().message;
  return journal::EndLines(view, end, kTaskReason, now);
}

Status RecordEnd(const JobFiles& files, const Death& death) {
  HOWDAH_TRY(const auto view, FoldJournal(files.journal(), Tasks::kIncluded));
  if (core::IsFinal(view.state)) return {};
  const os::files::Fd journal(open(files.journal().c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!journal.valid()) return os::files::SystemError("recording the end of " + view.id + " in " + files.journal());
  std::string lines = EndLines(files, view, EndOf(Reason(view, files, death), death), death.at);
  // End a partially written last line.
  const off_t size = lseek(journal.get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && pread(journal.get(), &last, 1, size - 1) == 1 && last != '\n') lines.insert(0, "\n");
  return os::files::WriteAll(journal.get(), lines, files.journal());
}

}  // namespace

Status RecordAmDeath(const JobFiles& files, const std::string& how, const std::string& error, bool stopped,
                     Instant at) {
  return RecordEnd(files, {.how = how, .error = error, .stopped = stopped, .at = at});
}

Status EndOrphanedJob(const JobFiles& files, const JobId& id) {
  if (HasEndEntry(files.journal())) return {};
  HOWDAH_TRY(const Life life, LifeAfterExits(files));
  if (life == Life::kElsewhere || life == Life::kAlive) return {};
  HOWDAH_TRY(const auto view, FoldJournal(files.journal(), Tasks::kSkipped));
  KillProcessesOf(files, id);
  HOWDAH_TRY_STATUS(RemoveLeftovers(files));
  HOWDAH_TRY_STATUS(os::files::RemoveTree(files.lease()));
  // The guardians may be dead, too, and only guardians find every descendant of a task. So some processes may remain.
  HOWDAH_TRY_STATUS(RecordEnd(files, {.how = DescribeDeathOfAmAndGuardian(view),
                                      .error = "",
                                      .exception = ", except processes without HOWDAH_JOB_ID in their environment",
                                      .at = os::process::Clock().Now()}));
  return RemoveRestartFiles(files);
}

Status RemoveLeftovers(const JobFiles& files) {
  std::vector<std::string> paths = {files.staging(), files.python(), files.environment(), files.alive(),
                                    files.reserve()};
  if (access(files.keep_work().c_str(), F_OK) != 0) {
    // The end of the job does not depend on its outputs. If they cannot be moved, for example on a full disk, they stay
    // in the working directories.
    const Status kept = KeepOutputs(files);
    if (kept.ok()) paths.push_back(files.work());
    if (!kept.ok())
      std::cerr << "keeping the outputs: " << kept.error().message << "; they stay in " << files.work() << "\n";
  }
  return RemoveAll(paths);
}

Status RemoveRestartFiles(const JobFiles& files) {
  std::vector<std::string> paths = {files.tls(), files.am_address(), files.event_log(), files.host()};
  HOWDAH_TRY(const auto names, os::files::ListDirectory(files.directory()));
  for (const std::string& name : names) {
    if (name.starts_with("feed-") && name.ends_with(".bin")) paths.push_back(files.directory() + "/" + name);
  }
  return RemoveAll(paths);
}

Status EndIfOrphaned(const JobFiles& files, const JobId& id) {
  auto lock = os::files::FileLock::TryExisting(files.am_lock());
  if (!lock.ok() && lock.error().code == ErrorCode::kNotFound) {
    HOWDAH_TRY(const Whereabouts where, FindWhereabouts(files));
    if (where.life == Life::kElsewhere || where.life == Life::kAlive) return {};
    // A missing lock file alone does not prove that the processes of the job are dead.
    if (where.life == Life::kDead) lock = os::files::FileLock::Try(files.am_lock());
  }
  if (!lock.ok()) return lock.error();
  return lock->has_value() ? EndOrphanedJob(files, id) : Status();
}

}  // namespace howdah::backend::local
