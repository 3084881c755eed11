#include "local_watch.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <set>
#include <string_view>

#include "howdah/os/files/files.h"
#include "job_ids.h"

namespace howdah::backend::local {
namespace {

constexpr std::string_view kJournal = "journal.jsonl";
constexpr uint32_t kJobsMask = IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_ONLYDIR;
constexpr uint32_t kJobMask = IN_CREATE | IN_MODIFY | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR;

}  // namespace

Result<std::unique_ptr<backend::JobWatch>> LocalWatch::Start(const Layout& layout) {
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(layout.jobs(), 0700));
  os::files::Fd events(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  if (!events.valid()) return os::files::SystemError("watching " + layout.jobs());
  const int watch = inotify_add_watch(events.get(), layout.jobs().c_str(), kJobsMask);
  if (watch < 0) return os::files::SystemError("watching " + layout.jobs());
  std::unique_ptr<LocalWatch> started(new LocalWatch(layout, std::move(events), watch));
  // A job that is being submitted has a directory, but no journal yet, so a list of the jobs does not contain it.
  HOWDAH_TRY(const auto names, os::files::ListDirectory(layout.jobs()));
  for (const std::string& name : names) {
    const JobId id{name};
    if (access((layout.job(id) + "/" + std::string(kJournal)).c_str(), F_OK) != 0) started->Include(id);
  }
  return std::unique_ptr<backend::JobWatch>(std::move(started));
}

Result<std::vector<JobId>> LocalWatch::Changed() {
  std::set<JobId> changed;
  bool lost = false;
  alignas(inotify_event) char buffer[16 << 10];
  for (;;) {
    const ssize_t size = read(events_.get(), buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) break;
    if (size < 0) return os::files::SystemError("watching " + layout_.jobs());
    for (ssize_t at = 0; at < size;) {
      const auto* event = reinterpret_cast<const inotify_event*>(buffer + at);
      at += static_cast<ssize_t>(sizeof *event + event->len);
      const std::string_view name = event->len > 0 ? event->name : "";
      if ((event->mask & IN_Q_OVERFLOW) != 0) lost = true;
      const auto job = jobs_.find(event->wd);
      if (event->wd == jobs_watch_ && (event->mask & IN_ISDIR) != 0) {
        const JobId id{std::string(name)};
        changed.insert(id);
        Include(id);  // its journal may follow
      } else if (job != jobs_.end() && (event->mask & IN_IGNORED) != 0) {
        changed.insert(job->second);
        watches_.erase(job->second);
        jobs_.erase(job);
      } else if (job != jobs_.end() && name == kJournal) {
        changed.insert(job->second);
      }
    }
  }
  if (lost) return All();
  return std::vector<JobId>(changed.begin(), changed.end());
}

Result<std::vector<JobId>> LocalWatch::All() const {
  HOWDAH_TRY(auto ids, JobsNewestFirst(layout_));
  for (const auto& [id, watch] : watches_) ids.push_back(id);
  return ids;
}

void LocalWatch::Include(const JobId& id) {
  if (watches_.contains(id)) return;
  const int watch = inotify_add_watch(events_.get(), layout_.job(id).c_str(), kJobMask);
  if (watch < 0) return;  // the directory is gone, or the limit of watches is reached: changes are found later
  watches_[id] = watch;
  jobs_[watch] = id;
}

void LocalWatch::Exclude(const JobId& id) {
  const auto found = watches_.find(id);
  if (found == watches_.end()) return;
  jobs_.erase(found->second);
  inotify_rm_watch(events_.get(), found->second);
  watches_.erase(found);
}

}  // namespace howdah::backend::local
