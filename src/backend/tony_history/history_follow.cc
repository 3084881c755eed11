#include "history_follow.h"

#include <utility>

#include "howdah/journal/job_end.h"
#include "howdah/os/process/periodic_timer.h"

namespace howdah::backend::tony_history {

Result<std::unique_ptr<backend::Follow>> HistoryFollow::Start(ReadEntries read_entries, Duration interval) {
  HOWDAH_TRY(os::files::Fd timer, os::process::StartPeriodicTimer(interval));
  return std::unique_ptr<backend::Follow>(new HistoryFollow(std::move(read_entries), std::move(timer)));
}

bool HistoryFollow::Read(backend::FollowSink& sink) {
  if (!os::process::TakeExpiration(timer_) || ended_) return false;
  const auto entries = read_entries_();
  if (!entries.ok()) {
    if (problem_ != entries.error().message) sink.OnNote(entries.error().message);
    problem_ = entries.error().message;
    return false;
  }
  problem_.clear();
  for (; delivered_ < entries->size(); ++delivered_) {
    const core::JournalEntry& entry = (*entries)[delivered_];
    sink.OnEntry(entry);
    ended_ |= journal::EndsJob(entry);
  }
  return false;
}

}  // namespace howdah::backend::tony_history
