#include "abandoned.h"

#include <fcntl.h>
#include <unistd.h>

#include "howdah/history/job_view.h"
#include "howdah/process/clock.h"
#include "howdah/process/files.h"
#include "journal_reader.h"

namespace howdah::local {
namespace {

constexpr size_t kLastWords = 2048;

// When this machine was started; nullopt if /proc does not say.
std::optional<Instant> BootTime() {
  const auto stat = process::ReadFile("/proc/stat");
  if (!stat.ok()) return std::nullopt;
  const size_t at = stat->find("\nbtime ");
  if (at == std::string::npos) return std::nullopt;
  return Instant(std::chrono::seconds(std::strtoll(stat->c_str() + at + 7, nullptr, 10)));
}

std::string LastLine(const std::string& path) {
  const auto tail = process::ReadTail(path, kLastWords);
  if (!tail.ok()) return "";
  const size_t end = tail->find_last_not_of(" \n");
  if (end == std::string::npos) return "";
  const size_t newline = tail->rfind('\n', end);
  const size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return tail->substr(begin, end + 1 - begin);
}

std::string Tasks(int count) {
  return std::to_string(count) + (count == 1 ? " task" : " tasks");
}

std::string Reason(const history::JobView& view, const JobFiles& files, int killed) {
  std::string reason = "the application master (attempt " + std::to_string(view.am_attempt) + ") and its guardian died";
  const auto boot = BootTime();
  if (boot && view.submitted && *boot > *view.submitted) {
    reason += ": this machine was started anew at " + FormatInstant(*boot);
  } else {
    reason += " without recording why";
    if (const std::string last = LastLine(files.am_log()); !last.empty()) reason += "; their last words: " + last;
  }
  int running = 0;
  for (const history::TaskView& task : view.tasks) running += task.state == core::TaskState::kRunning;
  reason +=
      "; " + Tasks(running) + " of " + std::to_string(view.tasks.size()) + " had been running and ended with them";
  if (killed > 0) reason += " (" + std::to_string(killed) + " processes were left and have been killed)";
  return reason;
}

std::string Ends(const history::JobView& view, const std::string& reason, Instant now) {
  std::string lines;
  for (const history::TaskView& task : view.tasks) {
    if (core::IsFinal(task.state)) continue;
    core::TaskChanged stopped;
    stopped.type = core::TaskChanged::Type::kStopped;
    stopped.role = task.role;
    stopped.index = task.index;
    stopped.attempt = task.attempt;
    stopped.state = core::TaskState::kStopped;
    if (task.started) stopped.finished = now;
    stopped.reason = "the application master died";
    lines += history::EncodeEntry({now, stopped}) + "\n";
  }
  core::JobChanged end;
  end.type = core::JobChanged::Type::kFinished;
  end.state = core::JobState::kFailed;
  end.exit_code = 1;
  end.reason = reason;
  end.advice =
      "submit the job again; if it was not you who killed it, look for the kernel's out-of-memory killer (dmesg)";
  return lines + history::EncodeEntry({now, end}) + "\n";
}

}  // namespace

Status EndAbandonedJob(const JobFiles& files, const JobId& id) {
  if (EndsFinally(files.journal())) return {};
  const auto view = FoldJournal(files.journal(), Tasks::kWanted);
  if (!view.ok()) return view.error();
  if (core::IsFinal(view->state)) return {};
  const int killed = KillProcessesOf(files, id);
  const std::string reason = Reason(*view, files, killed);
  for (const std::string& path : {files.staging(), files.python(), files.work()}) {
    if (const Status removed = process::RemoveTree(path); !removed.ok()) return removed;
  }
  const process::Fd journal(open(files.journal().c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!journal.valid()) return process::SystemError("recording the end of " + id.text + " in " + files.journal());
  std::string lines = Ends(*view, reason, process::Clock().Now());
  // A line that was torn must not swallow the next one.
  const off_t size = lseek(journal.get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && pread(journal.get(), &last, 1, size - 1) == 1 && last != '\n') lines.insert(0, "\n");
  return process::WriteAll(journal.get(), lines, files.journal());
}

Status EndIfAbandoned(const JobFiles& files, const JobId& id) {
  const auto lock = process::FileLock::Try(files.am_lock());
  if (!lock.ok()) return lock.error();
  return lock->has_value() ? EndAbandonedJob(files, id) : Status();
}

}  // namespace howdah::local
