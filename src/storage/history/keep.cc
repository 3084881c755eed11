#include "howdah/storage/history/keep.h"

#include <algorithm>

namespace howdah::storage::history {
namespace {

using compat::tony::history::FileName;
using storage::Files;

// The job's id for its backend.
std::string IdOf(Files& files, const Found& job) {
  const auto settings = ReadConfiguration(files, job);
  const std::string id =
      settings.ok() ? compat::tony::history::ValueOf(*settings, compat::tony::history::kJobIdSetting) : "";
  return id.empty() ? job.name.application : id;
}

class Mover {
 public:
  Mover(Files& files, const Location& location, const Ahead& ahead, const StatusOf& status_of, Do what)
      : files_(files), location_(location), ahead_(ahead), status_of_(status_of), what_(what) {}

  void Take(Found job) {
    const auto directory = files_.OpenDirectory(job.directory);
    if (!directory.ok()) return Complain(directory.error());
    // A directory with a link to the file of another user would pass for the job of that user.
    if (const Status owned = (*directory)->CheckOwner(job.text); !owned.ok()) return Complain(owned);
    if (!job.name.completed && !Complete(**directory, job)) return;
    const std::string day = compat::tony::history::DayDirectory(*job.name.completed, ahead_(*job.name.completed));
    const std::string to = location_.finished + "/" + day + job.directory.substr(job.directory.rfind('/'));
    if (what_ == Do::kIt) {
      if (const Status deleted = (*directory)->DeleteTemporaries(); !deleted.ok()) return Complain(deleted);
      if (const Status made = files_.MakeDirectories(location_.finished); !made.ok()) return Complain(made);
      if (const Status moved = (*directory)->MoveTo(location_.finished, day); !moved.ok()) return Complain(moved);
    }
    done.lines.push_back("moved " + job.directory + " to " + to);
  }

  Done done;

 private:
  // Handles a job in progress: its application master has died, or it still runs. Returns true if the job now has an
  // end.
  bool Complete(Files::Directory& directory, Found& job) {
    const auto view = status_of_(IdOf(files_, job));
    if (!view.ok()) {
      if (view.error().code != ErrorCode::kNotFound) return Complain(view.error()), false;
      done.lines.push_back("left " + job.directory + ": it is in progress, and whether it runs is not known");
      return false;
    }
    if (!core::IsFinal(view->state)) return false;
    FileName name = job.name;
    name.completed = view->finished.value_or(name.started);
    name.status = core::ToText(view->state);
    const std::string text = compat::tony::history::WriteFileName(name);
    if (what_ == Do::kIt) {
      const auto there = directory.List();
      if (!there.ok()) return Complain(there.error()), false;
      // For a job of Howdah, the status request may have recorded its end.
      for (const Files::Entry& entry : *there) {
        const auto ended = compat::tony::history::ParseFileName(entry.name);
        if (!ended || !ended->completed) continue;
        job.name = *ended;
        return true;
      }
      if (const Status renamed = directory.Rename(job.text, text); !renamed.ok()) {
        return Complain(renamed), false;
      }
    }
    done.lines.push_back("renamed " + job.file() + " to " + text);
    job.name = std::move(name);
    job.text = text;
    return true;
  }

  void Complain(const Status& failed) { done.problems.push_back(failed.error().message); }

  Files& files_;
  const Location& location_;
  const Ahead& ahead_;
  const StatusOf& status_of_;
  Do what_;
};

class Purger {
 public:
  Purger(Files& files, Instant before, const Ahead& ahead, Do what)
      : files_(files), before_(before), ahead_(ahead), what_(what) {}

  // Removes old days below `path`, and directories that became empty because of that. Returns true if nothing is left.
  Result<bool> Days(const std::string& path, const std::string& day) {
    if (const auto end = compat::tony::history::EndOfDay(day)) {
      const bool old = *end - ahead_(*end) <= before_;
      if (old) Delete(path);
      return old;
    }
    constexpr size_t kLongest = 10;  // length of "2019/05/29"
    if (day.size() >= kLongest) return false;
    const auto entries = files_.List(path);
    if (!entries.ok() && entries.error().code == ErrorCode::kNotFound) return false;
    if (!entries.ok()) return entries.error();
    bool all = !entries->empty();
    for (const Files::Entry& entry : *entries) {
      const bool number = entry.name.find_first_not_of("0123456789") == std::string::npos;
      if (!entry.directory || !number) {
        all = false;
        continue;
      }
      const auto gone = Days(path + "/" + entry.name, day.empty() ? entry.name : day + "/" + entry.name);
      if (!gone.ok()) done.problems.push_back(gone.error().message);
      all = all && gone.ok() && *gone;
    }
    if (all && !day.empty() && what_ == Do::kIt) {
      if (const Status deleted = files_.Delete(path); !deleted.ok()) done.problems.push_back(deleted.error().message);
    }
    return all;
  }

  void Delete(const std::string& path) {
    if (what_ == Do::kIt) {
      if (const Status deleted = files_.Delete(path); !deleted.ok()) {
        done.problems.push_back(deleted.error().message);
        return;
      }
    }
    done.lines.push_back("removed " + path);
  }

  Done done;

 private:
  Files& files_;
  Instant before_;
  const Ahead& ahead_;
  Do what_;
};

}  // namespace

Result<Done> Move(Files& files, const Location& location, const Ahead& ahead, const StatusOf& status_of, Do what) {
  auto jobs = Scan(files, {location.intermediate, location.finished + "/none"}, std::nullopt);
  if (!jobs.ok()) return jobs.error();
  Mover mover(files, location, ahead, status_of, what);
  mover.done.problems = std::move(jobs->problems);
  for (Found& job : jobs->jobs) mover.Take(std::move(job));
  return std::move(mover.done);
}

Result<Done> Purge(Files& files, const Location& location, Instant before, const Ahead& ahead,
                   const StatusOf& status_of, Do what) {
  Purger purger(files, before, ahead, what);
  if (const auto days = purger.Days(location.finished, ""); !days.ok()) return days.error();
  const auto jobs = files.List(location.intermediate);
  if (!jobs.ok() && jobs.error().code != ErrorCode::kNotFound) return jobs.error();
  if (!jobs.ok()) return std::move(purger.done);
  for (const Files::Entry& entry : *jobs) {
    if (!entry.directory || entry.modified >= before) continue;
    Found job;
    job.directory = location.intermediate + "/" + entry.name;
    job.name.application = entry.name;
    const auto view = status_of(IdOf(files, job));
    if (view.ok() && !core::IsFinal(view->state)) continue;
    if (!view.ok() && view.error().code != ErrorCode::kNotFound) {
      purger.done.problems.push_back(view.error().message);
      continue;
    }
    purger.Delete(job.directory);
  }
  return std::move(purger.done);
}

}  // namespace howdah::storage::history
