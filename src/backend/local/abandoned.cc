#include "abandoned.h"

#include <fcntl.h>
#include <unistd.h>

#include "howdah/journal/job_end.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/clock.h"
#include "journal_reader.h"
#include "outside_history.h"

namespace howdah::backend::local {
namespace {

// When this machine was started; nullopt if /proc does not say.
std::optional<Instant> BootTime() {
  const auto stat = os::files::ReadFile("/proc/stat");
  if (!stat.ok()) return std::nullopt;
  const size_t at = stat->find("\nbtime ");
  if (at == std::string::npos) return std::nullopt;
  return Instant(std::chrono::seconds(std::strtoll(stat->c_str() + at + 7, nullptr, 10)));
}

std::string TasksText(int count) { return std::to_string(count) + (count == 1 ? " task" : " tasks"); }

// How the AM and its guardian died, as far as it can be seen afterwards.
std::string HowBothDied(const journal::JobView& view) {
  const auto boot = BootTime();
  if (boot && view.submitted && *boot > *view.submitted) {
    return "and its guardian died: this machine was started anew at " + FormatInstant(*boot);
  }
  return "and its guardian died without recording why";
}

std::string Reason(const journal::JobView& view, const JobFiles& files, const std::string& how, Instant now) {
  const std::string last = os::files::LastLine(files.am_log());
  int running = 0;
  for (const journal::TaskView& task : view.tasks) running += task.state == core::TaskState::kRunning;
  return "the application master (attempt " + std::to_string(view.am_attempt) + ") " + how +
         (view.submitted ? ", " + FormatDuration(now - *view.submitted) + " after the job was submitted" : "") + "; " +
         TasksText(running) + " of " + std::to_string(view.tasks.size()) +
         " were running and have been ended, none was adopted" + (last.empty() ? "" : "; its last words: " + last);
}

core::JobChanged EndOf(const std::string& reason) {
  core::JobChanged end;
  end.state = core::JobState::kFailed;
  end.exit_code = 1;
  end.reason = reason;
  end.advice =
      "submit the job again; if it was not you who killed it, look for the kernel's out-of-memory killer (dmesg)";
  return end;
}

// The journal's last lines. The history that readers elsewhere see is written before them, and told of if it cannot be.
std::string Ends(const JobFiles& files, const journal::JobView& view, core::JobChanged end, Instant now) {
  constexpr char kStopped[] = "the application master died";
  const std::string lines = journal::EndLines(view, end, kStopped, now);
  auto journal = os::files::ReadFile(files.journal());
  const Status told = journal.ok() ? EndHistoryOf(files, *journal + "\n" + lines) : Status(journal.error());
  if (told.ok()) return lines;
  *end.advice += "; " + told.error().message;
  return journal::EndLines(view, end, kStopped, now);
}

}  // namespace

Status RecordAmDeath(const JobFiles& files, const std::string& how) {
  HOWDAH_TRY(const auto view, FoldJournal(files.journal(), Tasks::kWanted));
  if (core::IsFinal(view.state)) return {};
  const os::files::Fd journal(open(files.journal().c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (!journal.valid()) return os::files::SystemError("recording the end of " + view.id + " in " + files.journal());
  const Instant now = os::process::Clock().Now();
  std::string lines = Ends(files, view, EndOf(Reason(view, files, how, now)), now);
  // A line that was torn must not swallow the next one.
  const off_t size = lseek(journal.get(), 0, SEEK_END);
  char last = '\n';
  if (size > 0 && pread(journal.get(), &last, 1, size - 1) == 1 && last != '\n') lines.insert(0, "\n");
  return os::files::WriteAll(journal.get(), lines, files.journal());
}

Status EndAbandonedJob(const JobFiles& files, const JobId& id) {
  if (EndsFinally(files.journal())) return {};
  HOWDAH_TRY(const auto view, FoldJournal(files.journal(), Tasks::kLeftOut));
  KillProcessesOf(files, id);
  HOWDAH_TRY_STATUS(RemoveLeftovers(files));
  HOWDAH_TRY_STATUS(os::files::RemoveTree(files.lease()));
  return RecordAmDeath(files, HowBothDied(view));
}

Status RemoveLeftovers(const JobFiles& files) {
  std::vector<std::string> paths = {files.staging(),     files.python(),    files.tls(),  files.am_address(),
                                    files.environment(), files.event_log(), files.alive()};
  if (access(files.keep_work().c_str(), F_OK) != 0) paths.push_back(files.work());
  Status result;
  for (const std::string& path : paths) {
    if (Status removed = os::files::RemoveTree(path); !removed.ok()) result = std::move(removed);
  }
  return result;
}

Status EndIfAbandoned(const JobFiles& files, const JobId& id) {
  HOWDAH_TRY(const auto lock, os::files::FileLock::Try(files.am_lock()));
  return lock.has_value() ? EndAbandonedJob(files, id) : Status();
}

}  // namespace howdah::backend::local
