#include "history_watch.h"

#include <utility>

#include "howdah/os/process/periodic_timer.h"

namespace howdah::backend::tony_history {

Result<std::unique_ptr<backend::JobWatch>> HistoryWatch::Start(std::function<Result<Paths>()> list, Duration interval) {
  HOWDAH_TRY(os::files::Fd timer, os::process::StartPeriodicTimer(interval));
  return std::unique_ptr<backend::JobWatch>(new HistoryWatch(std::move(list), std::move(timer)));
}

Result<std::vector<JobId>> HistoryWatch::Changed() {
  std::vector<JobId> changed;
  if (!os::process::TakeExpiration(timer_)) return changed;
  HOWDAH_TRY(Paths paths, list_());
  for (const auto& [id, path] : paths) {
    const auto before = last_.find(id);
    if (before == last_.end() || before->second != path) changed.push_back(id);
  }
  last_ = std::move(paths);
  return changed;
}

}  // namespace howdah::backend::tony_history
