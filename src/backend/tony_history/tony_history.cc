#include "howdah/backend/tony_history/tony_history.h"

#include <chrono>
#include <utility>

#include "history_follow.h"
#include "history_reader.h"
#include "history_watch.h"
#include "howdah/autoscale/cluster_link.h"
#include "howdah/autoscale/publication.h"
#include "howdah/backend/job_metrics.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/ledger.h"
#include "howdah/os/process/clock.h"

namespace howdah::backend::tony_history {
namespace {

using compat::tony::history::JournalOf;
using storage::history::Found;

// The watch lists the jobs that ran within this time.
constexpr Duration kWatched = std::chrono::hours(24);

Error Unavailable(const std::string& what, const std::string& remedy) {
  return Error::WithRemedy(ErrorCode::kUnavailable, what, remedy);
}

Error CannotChange(const JobId& id) {
  return Unavailable(id.text + " was started by TonY, and Howdah can only show it",
                     "`yarn application -kill " + id.text + "` ends it");
}

Error HasNoLogs(const JobId& id) {
  return {ErrorCode::kNotFound, "a history of TonY has no logs; `yarn logs -applicationId " + id.text +
                                    "` prints those that the cluster has kept"};
}

constexpr char kCannotSubmit[] =
    "a history of TonY only shows jobs; `howdah tony` runs a job with TonY's configuration";

// A history has no nodes, queues or applications.
class HistorySite final : public backend::Site {
 public:
  HistorySite(HistoryReader& reader, std::string user) : reader_(reader), user_(std::move(user)) {}

  std::string User() override { return user_; }
  Result<backend::ClusterInfo> Info() override { return backend::ClusterInfo(); }
  std::vector<backend::Finding> CheckSetup() override {
    using Level = backend::Finding::Level;
    const auto jobs = reader_.Scan(os::process::Clock().Now());
    if (!jobs.ok()) return {{Level::kProblem, "TonY's history: " + jobs.error().message, ""}};
    return {{Level::kOk, "TonY's history in " + reader_.location().intermediate + " can be read", ""}};
  }
  Result<std::vector<backend::QueuedJob>> Jobs() override { return std::vector<backend::QueuedJob>(); }
  howdah::Status SetPriority(const JobId& id, int) override { return CannotChange(id); }
  howdah::Status MoveToQueue(const JobId& id, const std::string&) override { return CannotChange(id); }
  Result<std::unique_ptr<autoscale::Publication>> Autoscaler() override {
    return std::unique_ptr<autoscale::Publication>();
  }
  Result<std::unique_ptr<autoscale::ClusterLink>> OpenLink(const autoscale::Provider&) override {
    return Error{ErrorCode::kUsage, "a history of TonY has no nodes; write --on yarn to scale a cluster"};
  }

 private:
  HistoryReader& reader_;
  std::string user_;
};

}  // namespace

TonyHistory::TonyHistory(TonyHistoryOptions options)
    : reader_(std::make_unique<HistoryReader>(std::move(options.files), std::move(options.location), options.user)),
      site_(std::make_unique<HistorySite>(*reader_, options.user)),
      interval_(options.interval) {}

TonyHistory::~TonyHistory() = default;

backend::Cluster::JobCheck TonyHistory::Check(const jobspec::JobSpec&) { return {{kCannotSubmit}, {}}; }

Result<JobId> TonyHistory::Submit(const jobspec::JobSpec&, const backend::SubmitOptions&) {
  return Error{ErrorCode::kUnavailable, kCannotSubmit};
}

Result<JobId> TonyHistory::Resolve(const std::string& name) {
  if (name != "last") {
    HOWDAH_TRY(const Found found, reader_->Find(JobId{name}));
    return JobId{found.name.application};
  }
  HOWDAH_TRY(const auto jobs, reader_->Scan(std::nullopt));
  if (jobs.empty())
    return Error{ErrorCode::kNotFound, "the history in " + reader_->location().intermediate + " has no job"};
  return JobId{jobs.front().name.application};
}

Result<journal::JobView> TonyHistory::Status(const JobId& id) {
  journal::JobView view;
  HOWDAH_TRY_STATUS(ReadJournal(id, [&](const core::JournalEntry& entry) { view.Apply(entry); }));
  return view;
}

Result<std::vector<journal::JobView>> TonyHistory::List(bool ended_too, const backend::EndedJobs& known) {
  const std::optional<Instant> since = ended_too ? std::nullopt : std::optional(os::process::Clock().Now());
  HOWDAH_TRY(const auto jobs, reader_->Scan(since));
  std::vector<journal::JobView> views;
  for (const Found& found : jobs) {
    const bool has_ended = found.name.completed.has_value();
    if (has_ended && !ended_too) continue;
    const JobId id{found.name.application};
    if (auto view = has_ended && known ? known(id) : std::nullopt) {
      views.push_back(std::move(*view));
      continue;
    }
    // A job whose configuration cannot be read is listed without a name.
    const auto read = reader_->ReadSettings(found);
    const auto settings = read.ok() ? *read : HistoryReader::Settings();
    journal::JobView& view = views.emplace_back();
    for (const auto& entry : JournalOf(found.name, settings, {}, journal::kTonyHistory)) view.Apply(entry);
  }
  return views;
}

Result<std::vector<JobId>> TonyHistory::Jobs(std::optional<Instant> since) {
  HOWDAH_TRY(const auto jobs, reader_->Scan(since));
  std::vector<JobId> ids;
  for (const Found& found : jobs) ids.push_back({found.name.application});
  return ids;
}

howdah::Status TonyHistory::ReadJournal(const JobId& id,
                                        const std::function<void(const core::JournalEntry&)>& on_entry) {
  HOWDAH_TRY(const auto entries, reader_->ReadEntries(id));
  for (const core::JournalEntry& entry : entries) on_entry(entry);
  return {};
}

Result<std::unique_ptr<backend::Follow>> TonyHistory::FollowJob(const JobId& id, std::optional<backend::LogSelection>) {
  return HistoryFollow::Start([this, id] { return reader_->ReadEntries(id); }, interval_);
}

Result<std::vector<backend::LogSource>> TonyHistory::LogSources(const JobId& id) { return HasNoLogs(id); }

howdah::Status TonyHistory::ReadLog(const JobId& id, const backend::LogSource&, std::optional<int64_t>,
                                    const std::function<void(std::string_view)>&) {
  return HasNoLogs(id);
}

Result<std::unique_ptr<backend::LogFile>> TonyHistory::OpenLog(const JobId& id, const backend::LogSource&) {
  return HasNoLogs(id);
}

Result<std::unique_ptr<backend::JobWatch>> TonyHistory::Watch() {
  const auto list = [this, clock = os::process::Clock()]() -> Result<HistoryWatch::Paths> {
    HOWDAH_TRY(const auto jobs, reader_->Scan(clock.Now() - kWatched));
    HistoryWatch::Paths paths;
    for (const Found& found : jobs) paths[JobId{found.name.application}] = found.file();
    return paths;
  };
  return HistoryWatch::Start(list, interval_);
}

Result<backend::Cluster::FetchedOutputs> TonyHistory::FetchOutputs(const JobId&, const std::string&) {
  return Unavailable("TonY kept no outputs of its jobs", "look where the job wrote them");
}

Result<std::string> TonyHistory::ReadResult(const JobId&, const std::string&, int, int) {
  return Error{ErrorCode::kNotFound, "jobs of TonY have no results"};
}

Result<backend::JobMetrics> TonyHistory::Metrics(const JobId& id, const metrics::Query&) {
  return Error{ErrorCode::kNotFound,
               "TonY recorded no metrics over time, only the averages and the highest values of "
               "each task; `howdah history metrics " +
                   id.text + "` prints them"};
}

Result<std::string> TonyHistory::JobFile(const JobId& id) {
  HOWDAH_TRY(const Found found, reader_->Find(id));
  HOWDAH_TRY(const auto settings, reader_->ReadSettings(found));
  return jobspec::WriteEffective(compat::tony::history::SpecOf(settings));
}

Result<std::unique_ptr<storage::Files>> TonyHistory::OpenFiles(const std::string& uri) {
  return Unavailable("reading " + uri + " through a history of TonY is not possible", "use --on yarn");
}

std::string TonyHistory::LogsLocation(const JobId& id) { return "`yarn logs -applicationId " + id.text + "`"; }

Result<std::string> TonyHistory::Stop(const JobId& id, const std::string&, std::optional<Duration>) {
  HOWDAH_TRY(const Found found, reader_->Find(id));
  if (found.name.completed) return std::string();
  return CannotChange(id);
}

howdah::Status TonyHistory::AwaitGone(const JobId&) { return {}; }

Result<std::optional<backend::Cluster::RenewedTokens>> TonyHistory::RenewTokens(const JobId& id) {
  HOWDAH_TRY(const Found found, reader_->Find(id));
  if (found.name.completed) return std::optional<RenewedTokens>();
  return CannotChange(id);
}

howdah::Status TonyHistory::Scale(const JobId& id, const std::string&, int, const std::string&) {
  return CannotChange(id);
}

Result<rpc::AmContact> TonyHistory::Contact(const JobId& id) { return CannotChange(id); }

}  // namespace howdah::backend::tony_history
