#include "history_source.h"

#include <algorithm>
#include <set>

#include "history_difference.h"
#include "howdah/os/files/files.h"
#include "follow.h"

namespace howdah::cli {
namespace {

using journal::JobView;
using storage::history::Found;

bool Fits(const JobView& view, const HistoryArguments& filter) {
  const bool of_user = filter.user.empty() || view.user == filter.user;
  const bool of_status = filter.status.empty() || core::ToText(view.state) == filter.status;
  const bool before = !filter.until || !view.submitted || *view.submitted < *filter.until;
  const bool after = !filter.since || !view.finished || *view.finished >= *filter.since;
  return of_user && of_status && before && after;
}

bool HasName(const JobView& view, const HistoryArguments& filter) {
  return filter.name.empty() || view.name.find(filter.name) != std::string::npos;
}

Result<TonyDirectory> OpenDirectory(backend::Cluster& place, const std::string& dir,
                                    const std::vector<compat::tony::history::Setting>& site) {
  auto files = place.OpenFiles(dir);
  if (!files.ok()) return files.error();
  TonyDirectory directory{std::move(*files), storage::history::LocationOf(storage::PathOfUri(dir))};
  const std::string intermediate = compat::tony::history::ValueOf(site, "tony.history.intermediate");
  const std::string finished = compat::tony::history::ValueOf(site, "tony.history.finished");
  if (!intermediate.empty()) directory.location.intermediate = storage::PathOfUri(intermediate);
  if (!finished.empty()) directory.location.finished = storage::PathOfUri(finished);
  return directory;
}

}  // namespace

Result<std::vector<compat::tony::history::Setting>> TonySite() {
  const auto directory = Variable("TONY_CONF_DIR");
  if (!directory || directory->empty()) return std::vector<compat::tony::history::Setting>();
  const std::string path = *directory + "/tony-site.xml";
  const auto xml = os::files::ReadFile(path);
  if (!xml.ok() && xml.error().code == ErrorCode::kNotFound) return std::vector<compat::tony::history::Setting>();
  if (!xml.ok()) return xml.error();
  auto settings = compat::tony::history::ReadConfiguration(*xml);
  if (!settings.ok()) return Error{ErrorCode::kUsage, "reading " + path + ": " + settings.error().message};
  return settings;
}

Result<HistorySource> HistorySource::Open(Shell& shell, const std::string& dir) {
  const auto place = shell.Place();
  if (!place.ok()) return place.error();
  HistorySource source(*place, dir.empty());
  std::vector<compat::tony::history::Setting> site;
  std::string root = dir;
  if (dir.empty()) {
    auto read = TonySite();
    if (!read.ok()) return read.error();
    site = std::move(*read);
    root = compat::tony::history::ValueOf(site, "tony.history.location");
  } else if (!dir.starts_with('/') && dir.find(':') == std::string::npos) {
    root = CurrentDirectory() + "/" + dir;
  }
  if (root.empty()) return source;
  auto directory = OpenDirectory(**place, root, site);
  if (!directory.ok()) return directory.error();
  source.tony_ = std::move(*directory);
  return source;
}

Result<JobView> HistorySource::ViewOf(const Found& found) const {
  const auto settings = storage::history::ReadConfiguration(*tony_->files, found);
  // A configuration that cannot be read must not hide the job.
  return compat::tony::history::ViewOf(found.name,
                                       settings.ok() ? *settings : std::vector<compat::tony::history::Setting>(), {});
}

Result<std::vector<PastJob>> HistorySource::List(const HistoryArguments& filter) {
  std::vector<PastJob> jobs;
  std::set<std::string> ids;
  if (with_own_) {
    auto views = place_->List(/*ended_too=*/true);
    if (!views.ok()) return views.error();
    for (JobView& view : *views) {
      ids.insert(view.id);
      if (Fits(view, filter) && HasName(view, filter)) jobs.push_back({std::move(view), std::nullopt});
    }
  }
  if (tony_) {
    auto found = storage::history::Scan(*tony_->files, tony_->location, filter.since);
    if (!found.ok()) return found.error();
    for (Found& job : *found) {
      // The file's name says enough to leave most out; the user's own name is in the configuration.
      JobView by_name = compat::tony::history::ViewOf(job.name, {}, {});
      by_name.user = filter.user;
      if (!Fits(by_name, filter)) continue;
      auto view = ViewOf(job);
      if (!view.ok()) return view.error();
      if (!Fits(*view, filter) || !HasName(*view, filter) || !ids.insert(view->id).second) continue;
      jobs.push_back({std::move(*view), std::move(job)});
    }
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const PastJob& a, const PastJob& b) { return a.view.submitted > b.view.submitted; });
  return jobs;
}

Result<PastJob> HistorySource::Find(const std::string& id) {
  std::string own_says;
  if (with_own_) {
    const auto own = place_->Resolve(id);
    auto view = own.ok() ? place_->Status(*own) : Result<JobView>(own.error());
    if (view.ok()) return PastJob{std::move(*view), std::nullopt};
    if (view.error().code != ErrorCode::kNotFound || !tony_) return view.error();
    own_says = view.error().message;
  }
  auto found = storage::history::Scan(*tony_->files, tony_->location, std::nullopt);
  if (!found.ok()) return found.error();
  const bool last = id == "last";
  for (Found& job : *found) {
    const bool is_it = last || job.name.application == id;
    if (!is_it && id.starts_with("application_")) continue;
    auto view = ViewOf(job);
    if (!view.ok()) return view.error();
    if (is_it || view->id == id) return PastJob{std::move(*view), std::move(job)};
  }
  return Error{ErrorCode::kNotFound, "looking for job '" + id + "': there is none in " + tony_->location.intermediate +
                                         " or " + tony_->location.finished + "; `howdah history list` shows which are" +
                                         (own_says.empty() ? "" : "; nor " + own_says)};
}

Result<compat::tony::history::Events> HistorySource::EventsOf(const PastJob& job) const {
  auto events = storage::history::ReadEvents(*tony_->files, *job.tony);
  if (events.ok() && !events->cut.empty() && job.tony->name.completed) {
    Say("howdah: " + job.tony->file() + ": " + events->cut + "; what stands before is shown");
  }
  return events;
}

Result<JobView> HistorySource::Status(const PastJob& job) {
  if (!job.tony) return place_->Status(JobId{job.view.id});
  const auto settings = Configuration(job);
  if (!settings.ok()) return settings.error();
  const auto events = EventsOf(job);
  if (!events.ok()) return events.error();
  return compat::tony::history::ViewOf(job.tony->name, *settings, events->events);
}

Result<std::vector<compat::tony::history::Setting>> HistorySource::Configuration(const PastJob& job) {
  if (job.tony) return storage::history::ReadConfiguration(*tony_->files, *job.tony);
  const auto text = place_->JobFile(JobId{job.view.id});
  if (!text.ok()) return text.error();
  return SettingsOfJobFile(*text);
}

Result<std::vector<compat::tony::history::TaskMetrics>> HistorySource::Metrics(const PastJob& job) {
  if (job.tony) {
    const auto events = EventsOf(job);
    if (!events.ok()) return events.error();
    return compat::tony::history::MetricsOf(events->events);
  }
  const auto view = Status(job);
  if (!view.ok()) return view.error();
  std::vector<compat::tony::history::TaskMetrics> metrics;
  for (const journal::TaskView& task : view->tasks)
    metrics.push_back({task.role, task.index, compat::tony::history::MetricsOf(task.usage)});
  return metrics;
}

Result<std::vector<std::string>> HistorySource::Events(const PastJob& job, bool json) {
  std::vector<std::string> lines;
  if (job.tony) {
    const auto events = EventsOf(job);
    if (!events.ok()) return events.error();
    for (const compat::tony::history::Event& event : events->events) {
      lines.push_back(json ? compat::tony::history::EncodeEvent(event) : compat::tony::history::DescribeEvent(event));
    }
    return lines;
  }
  const auto followed =
      FollowJournal(*place_, JobId{job.view.id}, Until::kNow, std::nullopt, [&](const core::JournalEntry& entry) {
        lines.push_back(json ? journal::EncodeEntry(entry) : journal::DescribeEntry(entry));
      });
  if (!followed.ok()) return followed.error();
  return lines;
}

Result<HistorySource> OpenTony(Shell& shell, const HistoryArguments& arguments) {
  auto source = HistorySource::Open(shell, arguments.dir);
  if (!source.ok() || source->tony() != nullptr) return source;
  return Error{ErrorCode::kUsage,
               "history " + arguments.action +
                   ": which directory? Write --dir URI, or set TONY_CONF_DIR to a directory whose tony-site.xml has "
                   "tony.history.location"};
}

}  // namespace howdah::cli
