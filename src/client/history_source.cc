#include "howdah/client/history_source.h"

#include <algorithm>
#include <set>

#include "howdah/client/find_job.h"
#include "howdah/client/history_difference.h"
#include "howdah/client/indexed_jobs.h"
#include "howdah/client/submitter.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"

namespace howdah::client {
namespace {

using journal::JobView;
using storage::history::Found;

bool Fits(const JobView& view, const HistoryFilter& filter) {
  const bool of_user = filter.user.empty() || view.user == filter.user;
  const bool of_status = filter.status.empty() || core::ToText(view.state) == filter.status;
  const bool before = !filter.until || !view.submitted || *view.submitted < *filter.until;
  const bool after = !filter.since || !view.finished || *view.finished >= *filter.since;
  return of_user && of_status && before && after;
}

bool HasName(const JobView& view, const HistoryFilter& filter) {
  return filter.name.empty() || view.name.find(filter.name) != std::string::npos;
}

}  // namespace

Result<TonySettings> ReadTonySite() {
  const auto directory = Variable("TONY_CONF_DIR");
  if (!directory || directory->empty()) return TonySettings();
  const std::string path = *directory + "/tony-site.xml";
  const auto xml = os::files::ReadFile(path);
  if (!xml.ok() && xml.error().code == ErrorCode::kNotFound) return TonySettings();
  if (!xml.ok()) return xml.error();
  auto settings = compat::tony::history::ReadConfiguration(*xml);
  if (!settings.ok()) return Error{ErrorCode::kUsage, "reading " + path + ": " + settings.error().message};
  return settings;
}

std::string HistoryUri(const TonySettings& site) {
  return compat::tony::history::ValueOf(site, "tony.history.location");
}

Result<TonyDirectory> OpenTonyDirectory(backend::Cluster& cluster, const std::string& uri, const TonySettings& site) {
  HOWDAH_TRY(auto files, cluster.OpenFiles(uri));
  TonyDirectory directory{std::move(files), storage::history::LocationOf(storage::PathOfUri(uri))};
  const std::string intermediate = compat::tony::history::ValueOf(site, "tony.history.intermediate");
  const std::string finished = compat::tony::history::ValueOf(site, "tony.history.finished");
  if (!intermediate.empty()) directory.location.intermediate = storage::PathOfUri(intermediate);
  if (!finished.empty()) directory.location.finished = storage::PathOfUri(finished);
  return directory;
}

Result<HistorySource> HistorySource::Open(Connection& connection, const std::string& directory, NoteHandler on_note) {
  HOWDAH_TRY(const std::string backend, connection.Backend());
  HOWDAH_TRY(backend::Cluster* const cluster, connection.ClusterOn(backend));
  HistorySource source(connection, cluster, directory.empty() ? backend : "", std::move(on_note));
  TonySettings site;
  std::string root = directory;
  if (directory.empty()) {
    HOWDAH_TRY(site, ReadTonySite());
    root = HistoryUri(site);
  } else if (!directory.starts_with('/') && directory.find(':') == std::string::npos) {
    HOWDAH_TRY(const std::string here, os::process::WorkingDirectory());
    root = here + "/" + directory;
  }
  if (root.empty()) return source;
  HOWDAH_TRY(source.tony_, OpenTonyDirectory(*cluster, root, site));
  return source;
}

Result<JobView> HistorySource::ViewOf(const Found& found) const {
  const auto settings = storage::history::ReadConfiguration(*tony_->files, found);
  // Show the job even if its configuration cannot be read.
  return compat::tony::history::ViewOf(found.name, settings.ok() ? *settings : TonySettings(), {});
}

Result<std::vector<PastJob>> HistorySource::List(const HistoryFilter& filter) {
  std::vector<PastJob> jobs;
  std::set<std::string> ids;
  if (!own_backend_.empty()) {
    HOWDAH_TRY(auto views, cluster_->List(/*ended_too=*/true, IndexedJobs(own_backend_)));
    for (JobView& view : views) {
      ids.insert(view.id);
      if (Fits(view, filter) && HasName(view, filter)) jobs.push_back({std::move(view), std::nullopt, cluster_});
    }
  }
  if (tony_) {
    HOWDAH_TRY(auto scanned, storage::history::Scan(*tony_->files, tony_->location, filter.since));
    Note(scanned.problems);
    for (Found& job : scanned.jobs) {
      // The name of the file is enough to skip most jobs. The user cannot be compared yet, because the name may contain
      // a changed form of the user's name.
      JobView by_name = compat::tony::history::ViewOf(job.name, {}, {});
      by_name.user = filter.user;
      if (!Fits(by_name, filter)) continue;
      HOWDAH_TRY(JobView view, ViewOf(job));
      if (!Fits(view, filter) || !HasName(view, filter) || !ids.insert(view.id).second) continue;
      jobs.push_back({std::move(view), std::move(job)});
    }
  }
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const PastJob& a, const PastJob& b) { return a.view.submitted > b.view.submitted; });
  return jobs;
}

Result<PastJob> HistorySource::Find(const std::string& id) {
  if (own_backend_.empty()) return FindInTonyHistory(id);
  auto own = FindOwn(id);
  if (own.ok() || !tony_) return own;
  // A job in TonY's history has an id of YARN, even if no cluster of YARN can be reached.
  if (own.error().code != ErrorCode::kNotFound && BackendOfId(id) != "yarn") return own;
  auto past = FindInTonyHistory(id);
  if (past.ok() || past.error().code != ErrorCode::kNotFound) return past;
  if (own.error().code != ErrorCode::kNotFound) return own;
  return Error{ErrorCode::kNotFound, own.error().message + "; " + past.error().message};
}

Result<PastJob> HistorySource::FindOwn(const std::string& id) const {
  HOWDAH_TRY(const Job job, FindJob(
                                *connection_, id, on_note_ ? OnNote(on_note_) : [](const std::string&) {}));
  HOWDAH_TRY(JobView view, job.cluster->Status(job.id));
  return PastJob{std::move(view), std::nullopt, job.cluster};
}

Result<PastJob> HistorySource::FindInTonyHistory(const std::string& id) const {
  HOWDAH_TRY(auto scanned, storage::history::Scan(*tony_->files, tony_->location, std::nullopt));
  const bool last = id == "last";
  for (Found& job : scanned.jobs) {
    const bool matches = last || job.name.application == id;
    if (!matches && id.starts_with("application_")) continue;
    HOWDAH_TRY(JobView view, ViewOf(job));
    if (matches || view.id == id) return PastJob{std::move(view), std::move(job)};
  }
  return Error{ErrorCode::kNotFound, "looking for job '" + id + "': it is neither in " + tony_->location.intermediate +
                                         " nor in " + tony_->location.finished +
                                         "; `howdah history list` lists the jobs"};
}

void HistorySource::Note(const std::vector<std::string>& problems) const {
  constexpr size_t kMostNotes = 5;
  if (!on_note_) return;
  for (size_t i = 0; i < std::min(problems.size(), kMostNotes); ++i) on_note_("skipped: " + problems[i]);
  if (problems.size() > kMostNotes) {
    on_note_("skipped " + std::to_string(problems.size() - kMostNotes) + " more directories for similar reasons");
  }
}

Result<compat::tony::history::Events> HistorySource::EventsOf(const PastJob& job) const {
  auto events = storage::history::ReadEvents(*tony_->files, *job.tony);
  if (events.ok() && !events->cut.empty() && job.tony->name.completed) {
    if (on_note_) on_note_(job.tony->file() + ": " + events->cut + "; only the events before that are shown");
  }
  return events;
}

Result<JobView> HistorySource::Status(const PastJob& job) {
  if (!job.tony) return job.cluster->Status(JobId{job.view.id});
  const auto settings = Configuration(job);
  // Show the other data of the job if its configuration cannot be read.
  if (!settings.ok()) Note({settings.error().message});
  HOWDAH_TRY(const auto events, EventsOf(job));
  return compat::tony::history::ViewOf(job.tony->name, settings.ok() ? *settings : TonySettings(), events.events);
}

Result<TonySettings> HistorySource::Configuration(const PastJob& job, Secrets secrets) {
  if (job.tony) return storage::history::ReadConfiguration(*tony_->files, *job.tony);
  HOWDAH_TRY(const std::string text, job.cluster->JobFile(JobId{job.view.id}));
  return SettingsOfJobFile(text, secrets);
}

Result<std::vector<compat::tony::history::TaskMetrics>> HistorySource::TonyMetrics(const PastJob& job) {
  HOWDAH_TRY(const auto events, EventsOf(job));
  return compat::tony::history::MetricsOf(events.events);
}

Result<std::vector<std::string>> HistorySource::Events(const PastJob& job, bool json) {
  std::vector<std::string> lines;
  if (job.tony) {
    HOWDAH_TRY(const auto events, EventsOf(job));
    for (const compat::tony::history::Event& event : events.events) {
      lines.push_back(json ? compat::tony::history::EncodeEvent(event) : compat::tony::history::DescribeEvent(event));
    }
    return lines;
  }
  FollowOptions options;
  options.until = Until::kNow;
  options.on_note = on_note_;
  options.on_entry = [&](const core::JournalEntry& entry) {
    lines.push_back(json ? journal::EncodeEntry(entry) : journal::DescribeEntry(entry));
  };
  HOWDAH_TRY(const JobView followed, FollowJournal(*job.cluster, JobId{job.view.id}, options));
  static_cast<void>(followed);
  return lines;
}

}  // namespace howdah::client
