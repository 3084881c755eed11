#include "howdah/am/am.h"

#include "application_master.h"

namespace howdah::am {
namespace {

core::TaskChanged Stopped(const history::TaskView& task, Instant now) {
  core::TaskChanged change;
  change.type = core::TaskChanged::Type::kStopped;
  change.role = task.role;
  change.index = task.index;
  change.state = core::TaskState::kStopped;
  change.attempt = task.attempt;
  change.finished = now;
  return change;
}

}  // namespace

Status RunAm(AmOptions options, const MakeBackend& make_backend) {
  auto entries = ReadJournal(options.journal);
  if (!entries.ok()) return entries.error();
  history::JobView view;
  for (const core::JournalEntry& entry : *entries) view.Apply(entry);
  auto journal = JournalFile::Open(options.journal);
  if (!journal.ok()) return journal.error();
  ApplicationMaster am(std::move(options), std::move(*journal), std::move(view));
  return am.Run(make_backend);
}

Status RecordAmDeath(const std::string& path, const std::string& how) {
  auto entries = ReadJournal(path);
  if (!entries.ok()) return entries.error();
  history::JobView view;
  Instant began;
  for (const core::JournalEntry& entry : *entries) {
    view.Apply(entry);
    const auto* job = std::get_if<core::JobChanged>(&entry.change);
    if (job && job->type == core::JobChanged::Type::kAmStarted) began = entry.time;
  }
  if (core::IsFinal(view.state)) return {};
  auto journal = JournalFile::Open(path);
  if (!journal.ok()) return journal.error();
  const Instant now = process::Clock().Now();
  int running = 0;
  for (const history::TaskView& task : view.tasks) {
    if (core::IsFinal(task.state)) continue;
    running += task.state == core::TaskState::kRunning;
    journal->Add({now, Stopped(task, now)});
  }
  core::JobChanged finished;
  finished.type = core::JobChanged::Type::kFinished;
  finished.state = core::JobState::kFailed;
  finished.exit_code = 1;
  finished.reason = "the application master (attempt " + std::to_string(view.am_attempt) + ") " + how +
                    (began == Instant() ? " while it started" : " after " + FormatDuration(now - began)) + "; " +
                    std::to_string(running) + " running tasks were stopped, none could be adopted";
  journal->Add({now, finished});
  return journal->Flush();
}

}  // namespace howdah::am
