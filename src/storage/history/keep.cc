#include "howdah/storage/history/keep.h"

#include <algorithm>

namespace howdah::storage::history {
namespace {

using compat::tony::history::FileName;
using storage::Files;

// Returns the id that the job's backend uses for the job.
std::string IdOf(Files& files, const Found& job) {
  const auto settings = ReadConfiguration(files, job);
  const std::string id =
      settings.ok() ? compat::tony::history::ValueOf(*settings, compat::tony::history::kJobIdSetting) : "";
  return id.empty() ? job.name.application : id;
}

class Mover {
 public:
  Mover(Files& files, const Location& location, const UtcOffset& utc_offset, const StatusOf& status_of, Mode mode)
      : files_(files), location_(location), utc_offset_(utc_offset), status_of_(status_of), mode_(mode) {}

  void MoveJob(Found job) {
    const auto directory = files_.OpenDirectory(job.directory);
    if (!directory.ok()) return AddProblem(directory.error());
    // Without this check, a directory with a link to another user's file would count as a job of that user.
    if (const Status owned = (*directory)->CheckOwner(job.text); !owned.ok()) return AddProblem(owned);
    if (!job.name.completed && !FindEnd(**directory, job)) return;
    const std::string day = compat::tony::history::DayDirectory(*job.name.completed, utc_offset_(*job.name.completed));
    const std::string to = location_.finished + "/" + day + job.directory.substr(job.directory.rfind('/'));
    if (mode_ == Mode::kApply) {
      if (const Status deleted = (*directory)->DeleteTemporaries(); !deleted.ok()) return AddProblem(deleted);
      if (const Status made = files_.MakeDirectories(location_.finished); !made.ok()) return AddProblem(made);
      if (const Status moved = (*directory)->MoveTo(location_.finished, day); !moved.ok()) return AddProblem(moved);
    }
    outcome.lines.push_back("moved " + job.directory + " to " + to);
  }

  Outcome outcome;

 private:
  // Finds the end of a job that is marked as in progress: either its application master has died, or the job still
  // runs. Returns true if the job has ended.
  bool FindEnd(Files::Directory& directory, Found& job) {
    const auto view = status_of_(IdOf(files_, job));
    if (!view.ok()) {
      if (view.error().code != ErrorCode::kNotFound) return AddProblem(view.error()), false;
      outcome.lines.push_back("left " + job.directory +
                              ": its history is in progress, and it is not known whether the job still runs");
      return false;
    }
    if (!core::IsFinal(view->state)) return false;
    FileName name = job.name;
    name.completed = view->finished.value_or(name.started);
    name.status = core::ToText(view->state);
    const std::string text = compat::tony::history::WriteFileName(name);
    if (mode_ == Mode::kApply) {
      const auto there = directory.List();
      if (!there.ok()) return AddProblem(there.error()), false;
      // If this is a job of Howdah, the call of status_of may have recorded its end.
      for (const Files::Entry& entry : *there) {
        const auto ended = compat::tony::history::ParseFileName(entry.name);
        if (!ended || !ended->completed) continue;
        job.name = *ended;
        return true;
      }
      if (const Status renamed = directory.Rename(job.text, text); !renamed.ok()) {
        return AddProblem(renamed), false;
      }
    }
    outcome.lines.push_back("renamed " + job.file() + " to " + text);
    job.name = std::move(name);
    job.text = text;
    return true;
  }

  void AddProblem(const Status& failed) { outcome.problems.push_back(failed.error().message); }

  Files& files_;
  const Location& location_;
  const UtcOffset& utc_offset_;
  const StatusOf& status_of_;
  Mode mode_;
};

class Purger {
 public:
  Purger(Files& files, Instant before, const UtcOffset& utc_offset, Mode mode)
      : files_(files), before_(before), utc_offset_(utc_offset), mode_(mode) {}

  // Removes the directories of old days below `path`, then empty parents. Returns true if nothing is left in `path`.
  Result<bool> Days(const std::string& path, const std::string& day) {
    if (const auto end = compat::tony::history::EndOfDay(day)) {
      const bool old = *end - utc_offset_(*end) <= before_;
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
      if (!gone.ok()) outcome.problems.push_back(gone.error().message);
      all = all && gone.ok() && *gone;
    }
    if (all && !day.empty() && mode_ == Mode::kApply) {
      if (const Status deleted = files_.Delete(path); !deleted.ok())
        outcome.problems.push_back(deleted.error().message);
    }
    return all;
  }

  void Delete(const std::string& path) {
    if (mode_ == Mode::kApply) {
      if (const Status deleted = files_.Delete(path); !deleted.ok()) {
        outcome.problems.push_back(deleted.error().message);
        return;
      }
    }
    outcome.lines.push_back("removed " + path);
  }

  Outcome outcome;

 private:
  Files& files_;
  Instant before_;
  const UtcOffset& utc_offset_;
  Mode mode_;
};

}  // namespace

Result<Outcome> Move(Files& files, const Location& location, const UtcOffset& utc_offset, const StatusOf& status_of,
                     Mode mode) {
  HOWDAH_TRY(auto jobs, Scan(files, {location.intermediate, location.finished + "/none"}, std::nullopt));
  Mover mover(files, location, utc_offset, status_of, mode);
  mover.outcome.problems = std::move(jobs.problems);
  for (Found& job : jobs.jobs) mover.MoveJob(std::move(job));
  return std::move(mover.outcome);
}

Result<Outcome> Purge(Files& files, const Location& location, Instant before, const UtcOffset& utc_offset,
                      const StatusOf& status_of, Mode mode) {
  Purger purger(files, before, utc_offset, mode);
  if (const auto days = purger.Days(location.finished, ""); !days.ok()) return days.error();
  const auto jobs = files.List(location.intermediate);
  if (!jobs.ok() && jobs.error().code != ErrorCode::kNotFound) return jobs.error();
  if (!jobs.ok()) return std::move(purger.outcome);
  for (const Files::Entry& entry : *jobs) {
    if (!entry.directory || entry.modified >= before) continue;
    Found job;
    job.directory = location.intermediate + "/" + entry.name;
    job.name.application = entry.name;
    const auto view = status_of(IdOf(files, job));
    if (view.ok() && !core::IsFinal(view->state)) continue;
    if (!view.ok() && view.error().code != ErrorCode::kNotFound) {
      purger.outcome.problems.push_back(view.error().message);
      continue;
    }
    purger.Delete(job.directory);
  }
  return std::move(purger.outcome);
}

}  // namespace howdah::storage::history
