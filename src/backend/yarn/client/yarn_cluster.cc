#include "howdah/backend/yarn/client/yarn_cluster.h"

#include <algorithm>
#include <set>

#include "howdah/backend/job_metrics.h"
#include "howdah/backend/yarn/access.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/children.h"
#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/gang_queue.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/backend/yarn/job_tokens.h"
#include "howdah/base/epoch.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_end.h"
#include "howdah/os/files/last_lines.h"
#include "howdah/rpc/control_client.h"
#include "job_lookup.h"
#include "log_store.h"
#include "published.h"
#include "refusals.h"
#include "running_application.h"
#include "stored_outputs.h"
#include "submission.h"
#include "yarn_follow.h"
#include "yarn_log_file.h"
#include "yarn_site.h"
#include "yarn_watch.h"

namespace howdah::backend::yarn::client {
namespace {

using ::hadoop::yarn::ApplicationReportProto;

// A status call has a short limit, because a user is waiting for the answer.
constexpr Duration kStatusLimit = std::chrono::seconds(3);
constexpr Duration kOrderLimit = std::chrono::seconds(10);
constexpr Duration kGoneLimit = std::chrono::minutes(2);
constexpr Duration kLogReadLimit = std::chrono::seconds(30);

// The job's status before its end became visible.
journal::JobView ViewBeforeEnd(const std::string& journal) {
  journal::JobView view;
  for (const core::JournalEntry& entry : DecodeJournal(journal)) {
    if (journal::EndsJob(entry)) break;
    view.Apply(entry);
  }
  return view;
}

Result<journal::JobView> ViewOfRunning(HadoopClient& cluster, const JobId& id, const ApplicationReportProto& report) {
  wire::ControlRequest request;
  request.mutable_status();
  const auto contact = FindAm(cluster, id, report);
  std::string refusal;
  if (contact.ok()) {
    const auto reply = rpc::CallAm(contact->address, contact->identity, request, kStatusLimit);
    auto view = reply.ok() ? journal::FromJson(reply->status_json()) : std::nullopt;
    if (view) return std::move(*view);
    if (!reply.ok() && reply.error().code == ErrorCode::kFailed) refusal = reply.error().message;
  }
  journal::JobView view = ViewFromReport(report);
  // FindAm reads from the same directory as ReadRunningJournal. If the file system is down, do not wait for it twice.
  const bool unreachable = !contact.ok() && contact.error().code != ErrorCode::kNotFound && AmAddress(report).ok();
  const std::string tracking = view.tracking_url;
  if (const auto journal = unreachable ? contact.error() : ReadRunningJournal(cluster, id); journal.ok()) {
    view = FoldJournal(*journal, Tasks::kIncluded);
    view.tracking_url = tracking;
  } else if (const auto moved = unreachable ? contact.error() : ReadHistoryJournal(cluster, id); moved.ok()) {
    // The AM has moved the job's files, and has not unregistered yet.
    view = ViewBeforeEnd(*moved);
    view.tracking_url = tracking;
  } else {
    view.reason = "no status from the application master, and no journal to read: " + journal.error().message;
  }
  if (!refusal.empty()) view.reason = refusal;
  if (report.yarn_application_state() == ::hadoop::yarn::RUNNING) return view;
  const std::string why = WhyApplicationIsPending(cluster, report);
  if (view.state != core::JobState::kQueued) {  // the job's tasks continue without an AM
    view.reason = "no application master is registered at present" + (why.empty() ? "" : ": " + why);
  } else {
    view.state = core::JobState::kQueued;
    view.reason = why;
  }
  return view;
}

std::vector<std::string> NewestFirst(std::vector<std::string> ids) {
  std::sort(ids.begin(), ids.end(), [](const std::string& a, const std::string& b) {
    return hadoop::yarn::ParseApplicationId(a) > hadoop::yarn::ParseApplicationId(b);
  });
  return ids;
}

Result<std::vector<ApplicationReportProto>> OwnApplications(HadoopClient& cluster) {
  HOWDAH_TRY(const auto rm, cluster.Rm());
  ::hadoop::yarn::GetApplicationsRequestProto filter;
  filter.add_application_types(kApplicationType);
  filter.add_users(cluster.user());
  return rm->Applications(filter);
}

// Returns the ids of the jobs in the history that were recorded at or after `since`. Returns none if there is no
// history yet.
Result<std::vector<std::string>> RecordedIds(HadoopClient& cluster, std::optional<Instant> since = std::nullopt) {
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  const auto found = files->List(layout.histories());
  std::vector<std::string> ids;
  if (!found.ok() && found.error().code != ErrorCode::kNotFound) return found.error();
  if (!found.ok()) return ids;
  for (const hadoop::hdfs::FileStatus& file : *found) {
    const bool old = since && FromMillis(file.modified_millis) < *since;
    if (!old && hadoop::yarn::ParseApplicationId(file.name)) ids.push_back(file.name);
  }
  return ids;
}

// Passes output to on_bytes as it arrives. With `lines`, passes only that many last lines, when Finish is called.
class TailBuffer {
 public:
  TailBuffer(std::optional<int64_t> lines, std::function<void(std::string_view)> on_bytes)
      : on_bytes_(std::move(on_bytes)) {
    if (lines) last_lines_.emplace(*lines);
  }
  void Add(std::string_view bytes) { last_lines_ ? last_lines_->Add(bytes) : on_bytes_(bytes); }
  void Finish() {
    if (last_lines_) on_bytes_(last_lines_->text());
  }

 private:
  std::function<void(std::string_view)> on_bytes_;
  std::optional<os::files::LastLinesBuffer> last_lines_;
};

// The file is small, so it is read as a whole.
Result<backend::MetricsFile> OpenMetrics(HadoopClient& cluster, const std::string& path) {
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto status, files->Stat(path));
  HOWDAH_TRY(auto bytes, cluster.ReadFile(path));
  return backend::MetricsFile{metrics::BytesOf(std::move(bytes)), FromMillis(status.modified_millis)};
}

std::string RelativePathRefusal(const std::string& key) {
  return key +
         ": a relative path is relative to the job file on this machine; on YARN write a URI that every node can "
         "reach, as "
         "in hdfs:///user/NAME/DIR, or the absolute path of a directory that all nodes share";
}

// Names the user of the cluster, too, because a login with Kerberos need not have the name of the account on this
// machine. by: the account.
std::string WithUser(const HadoopClient& cluster, const std::string& by) {
  return cluster.kerberos() ? by + " as " + cluster.user() : by;
}

ClusterInventory InventoryOf(const ClusterFacts& facts) {
  ClusterInventory known;
  known.resource_types = facts.resource_types;
  for (const NodeFacts& node : facts.nodes) {
    if (node.running()) {
      known.nodes.push_back({node.host, node.port, node.rack, node.label, node.total, node.attributes});
    }
  }
  return known;
}

}  // namespace

YarnCluster::YarnCluster(YarnOptions options)
    : options_(std::move(options)), site_(std::make_unique<YarnSite>(options_, connection_)) {}
YarnCluster::~YarnCluster() = default;

HadoopConnection::HadoopConnection() = default;
HadoopConnection::~HadoopConnection() = default;

Result<HadoopClient*> HadoopConnection::Open(const YarnOptions& options) {
  if (!client_) {
    HOWDAH_TRY(auto opened,
               HadoopClient::Open(options.environment, options.user, {options.principal, options.keytab, options.as}));
    client_ = std::make_unique<HadoopClient>(std::move(opened));
  }
  return client_.get();
}

Result<JobId> YarnCluster::Resolve(const std::string& name) {
  if (name != "last") {
    if (hadoop::yarn::ParseApplicationId(name)) return JobId{name};
    return NoSuchJob(name,
                     "job ids on YARN look like application_1700000000000_0001; `howdah list --on yarn` shows yours");
  }
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, OwnApplications(*cluster));
  HOWDAH_TRY(auto ids, RecordedIds(*cluster));
  for (const auto& report : known) ids.push_back(hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid())));
  if (ids.empty()) return NoSuchJob("last", cluster->user() + " has submitted no job to this cluster");
  return JobId{NewestFirst(std::move(ids)).front()};
}

Result<journal::JobView> YarnCluster::Status(const JobId& id) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(auto known, Find(*cluster, id));
  journal::JobView view;
  if (known.has_ended()) {
    HOWDAH_TRY(const auto journal, EndedJournal(*cluster, id, known));
    view = FoldJournal(journal, Tasks::kIncluded);
    if (known.report) view.tracking_url = ViewFromReport(*known.report).tracking_url;
  } else {
    HOWDAH_TRY(view, ViewOfRunning(*cluster, id, *known.report));
  }
  // A job that has ended can be shown without a ResourceManager.
  if (auto children = ChildrenOf(*cluster, id); children.ok()) view.children = std::move(*children);
  return view;
}

Result<std::vector<journal::JobView>> YarnCluster::List(bool ended_too, const backend::EndedJobs& known_ended) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto reports, OwnApplications(*cluster));
  std::map<std::string, const ApplicationReportProto*> known;
  std::set<std::string> ids;
  for (const auto& report : reports) {
    const std::string id = hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()));
    known[id] = &report;
    if (ended_too || !HasEnded(report)) ids.insert(id);
  }
  if (ended_too) {
    HOWDAH_TRY(const auto recorded, RecordedIds(*cluster));
    ids.insert(recorded.begin(), recorded.end());
  }
  std::vector<journal::JobView> views;
  for (const std::string& id : NewestFirst({ids.begin(), ids.end()})) {
    const ApplicationReportProto* report = known.contains(id) ? known[id] : nullptr;
    if (report != nullptr && !HasEnded(*report)) {
      auto view = ViewOfRunning(*cluster, {id}, *report);
      views.push_back(view.ok() ? std::move(*view) : ViewFromReport(*report));
      continue;
    }
    if (auto view = known_ended ? known_ended({id}) : std::nullopt) {
      views.push_back(std::move(*view));
      continue;
    }
    const auto journal = EndedJournal(*cluster, {id}, report ? Lookup{*report} : Lookup{});
    // An unreadable job must not hide the other jobs.
    if (journal.ok()) views.push_back(FoldJournal(*journal, Tasks::kSkipped));
  }
  return views;
}

Result<std::vector<JobId>> YarnCluster::Jobs(std::optional<Instant> since) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto reports, OwnApplications(*cluster));
  HOWDAH_TRY(auto recorded, RecordedIds(*cluster, since));
  std::set<std::string> ids(recorded.begin(), recorded.end());
  for (const auto& report : reports) {
    const bool old = since && report.finishtime() > 0 && FromMillis(report.finishtime()) < *since;
    if (!old) ids.insert(hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid())));
  }
  std::vector<JobId> jobs;
  for (std::string& id : NewestFirst({ids.begin(), ids.end()})) jobs.push_back({std::move(id)});
  return jobs;
}

howdah::Status YarnCluster::ReadJournal(const JobId& id,
                                        const std::function<void(const core::JournalEntry&)>& on_entry) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, FindOwn(*cluster, id));
  HOWDAH_TRY(const std::string journal,
             known.has_ended() ? EndedJournal(*cluster, id, known) : ReadRunningJournal(*cluster, id));
  for (const core::JournalEntry& entry : DecodeJournal(journal)) on_entry(entry);
  return {};
}

Result<std::unique_ptr<backend::Follow>> YarnCluster::FollowJob(const JobId& id,
                                                                std::optional<backend::LogSelection> logs) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  // A Follow of an unknown job would end without an entry. If the ResourceManager cannot be reached, it tries again.
  const auto known = Find(*cluster, id);
  if (known.ok() && logs) {
    HOWDAH_TRY_STATUS(CheckOwner(*cluster, id, *known));
  }
  if (known.ok() && !known->report) {
    const auto journal = EndedJournal(*cluster, id, *known);
    if (!journal.ok()) return journal.error();
  }
  HOWDAH_TRY(auto follow, YarnFollow::Start(cluster->WithOwnConnections(), id, std::move(logs)));
  return std::unique_ptr<backend::Follow>(std::move(follow));
}

Result<std::vector<backend::LogSource>> YarnCluster::LogSources(const JobId& id) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, FindOwn(*cluster, id));
  if (!known.has_ended()) return ListRunningLogs(*cluster, id, *known.report);
  HOWDAH_TRY(const auto journal, EndedJournal(*cluster, id, known));
  std::vector<backend::LogSource> sources;
  for (const auto& [source, location] : LogLocations(DecodeJournal(journal))) sources.push_back(source);
  return sources;
}

howdah::Status YarnCluster::ReadLog(const JobId& id, const backend::LogSource& source,
                                    std::optional<int64_t> last_lines,
                                    const std::function<void(std::string_view)>& on_bytes) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, FindOwn(*cluster, id));
  TailBuffer keeper(last_lines, on_bytes);
  const auto take = [&](std::string_view bytes) {
    keeper.Add(bytes);
    return true;
  };
  int64_t offset = 0;
  std::string journal;
  if (!known.has_ended()) {
    const auto read = ReadRunningLog(*cluster, id, *known.report, source, 0, take);
    if (read.ok() && read->complete) return keeper.Finish(), howdah::Status();
    if (read.ok()) offset = read->bytes, journal = read->journal;
  }
  if (journal.empty()) {
    HOWDAH_TRY(auto recorded, known.has_ended() ? EndedJournal(*cluster, id, known) : ReadRunningJournal(*cluster, id));
    journal = std::move(recorded);
  }
  const auto locations = LogLocations(DecodeJournal(journal));
  const auto location = locations.find(source);
  if (location == locations.end()) return Error{ErrorCode::kNotFound, "the task has not started"};
  LogStore store(*cluster, id, known.report ? known.report->user() : cluster->user());
  const howdah::Status read = store.Read(location->second, offset, take, kLogReadLimit);
  keeper.Finish();
  return read;
}

Result<std::unique_ptr<backend::LogFile>> YarnCluster::OpenLog(const JobId& id, const backend::LogSource& source) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  return std::unique_ptr<backend::LogFile>(std::make_unique<YarnLogFile>(*cluster, id, source));
}

Result<std::unique_ptr<backend::JobWatch>> YarnCluster::Watch() {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  return YarnWatch::Start([cluster]() -> Result<YarnWatch::States> {
    HOWDAH_TRY(const auto reports, OwnApplications(*cluster));
    YarnWatch::States states;
    for (const auto& report : reports) {
      const JobId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid()))};
      states[id] = HasEnded(report) ? YarnWatch::State::kEnded : YarnWatch::State::kLive;
    }
    return states;
  });
}

Result<YarnCluster::FetchedOutputs> YarnCluster::FetchOutputs(const JobId& id, const std::string& directory) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY([[maybe_unused]] const auto known, FindOwn(*cluster, id));
  return FetchStoredOutputs(*cluster, id, directory);
}

Result<std::string> YarnCluster::ReadResult(const JobId& id, const std::string& role, int index, int local_rank) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY([[maybe_unused]] const auto known, FindOwn(*cluster, id));
  return ReadStoredResult(*cluster, id, role + "-" + std::to_string(index) + "/" + std::to_string(local_rank));
}

Result<backend::JobMetrics> YarnCluster::Metrics(const JobId& id, const metrics::Query& query) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, FindOwn(*cluster, id));
  HOWDAH_TRY(const auto layout, cluster->StagingLayout());
  if (!known.has_ended()) {
    return backend::ReadRunningMetrics(
        id, FindAm(*cluster, id, *known.report), [&] { return OpenMetrics(*cluster, layout.metrics(id)); }, query);
  }
  // If all AMs have died, this moves the files of the job to its history.
  HOWDAH_TRY([[maybe_unused]] const auto journal, EndedJournal(*cluster, id, known));
  return backend::ReadStoredMetrics(
      id, [&] { return OpenMetrics(*cluster, layout.history_metrics(id)); }, query);
}

Result<std::string> YarnCluster::JobFile(const JobId& id) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  return ReadJobFile(*cluster, id);
}

Result<std::unique_ptr<storage::Files>> YarnCluster::OpenFiles(const std::string& uri) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  return cluster->OpenFiles(uri);
}

std::string YarnCluster::LogsLocation(const JobId&) { return "on the nodes of the cluster"; }

Result<std::string> YarnCluster::Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, Find(*cluster, id));
  if (known.has_ended()) return std::string();
  const std::string requester = WithUser(*cluster, by);
  wire::ControlRequest request;
  request.mutable_stop()->set_by(requester);
  if (grace) request.mutable_stop()->set_grace_micros(grace->count());
  const auto asked = CallRunningAm(*cluster, id, *known.report, request, kOrderLimit);
  if (asked.ok()) return std::string();
  // Without an AM no graceful stop is possible, so YARN kills the application.
  HOWDAH_TRY(const auto rm, cluster->Rm());
  const howdah::Status killed = rm->Kill(*hadoop::yarn::ParseApplicationId(id.text), requester, kGoneLimit);
  if (!killed.ok() && hadoop::yarn::IsMissingRight(killed.error())) {
    return RightError("stop", "MODIFY_APP", "modify", id, cluster->user(), known.report->user());
  }
  HOWDAH_TRY_STATUS(killed);
  if (!AmAddress(*known.report).ok()) return std::string();  // no AM is registered yet
  return "the application master did not answer (" + asked.error().message +
         "), so the ResourceManager has killed the application";
}

howdah::Status YarnCluster::AwaitGone(const JobId& id) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto rm, cluster->Rm());
  return rm->AwaitEnd(*hadoop::yarn::ParseApplicationId(id.text), kGoneLimit);
}

howdah::Status YarnCluster::Scale(const JobId& id, const std::string& role, int instances, const std::string& by) {
  const std::string doing = "scaling " + role + " of " + id.text + " to " + std::to_string(instances);
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, FindOwn(*cluster, id));
  if (known.has_ended()) return Error{ErrorCode::kUnavailable, doing + ": the job has ended"};
  wire::ControlRequest request;
  request.mutable_scale()->set_role(role);
  request.mutable_scale()->set_instances(instances);
  request.mutable_scale()->set_by(WithUser(*cluster, by));
  const auto asked = CallRunningAm(*cluster, id, *known.report, request, kOrderLimit);
  return asked.ok() ? howdah::Status() : howdah::Status(asked.error().While(doing));
}

Result<std::optional<backend::Cluster::RenewedTokens>> YarnCluster::RenewTokens(const JobId& id) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, FindOwn(*cluster, id));
  if (known.has_ended()) return std::optional<RenewedTokens>();
  const std::string doing = "renewing the tokens of " + id.text;
  HOWDAH_TRY(const std::string job_file, ReadJobFile(*cluster, id));
  HOWDAH_TRY(const auto spec, jobspec::ReadEffective(job_file));
  const auto newer = FetchNewerTokens(*cluster, spec, core::kRenewedByClient);
  if (!newer.ok()) return newer.error().While(doing);
  wire::ControlRequest request;
  request.mutable_renew_tokens()->set_tokens(hadoop::rpc::WriteCredentials(*newer));
  const auto answer = CallRunningAm(*cluster, id, *known.report, request, kOrderLimit);
  if (!answer.ok()) return answer.error().While(doing);
  const RenewedTokens renewed{FromMicros(answer->tokens_until_micros()), answer->tokens_replaced()};
  if (renewed.replaced) {
    // For the next AM of the job, which starts with the tokens of the submission.
    HOWDAH_TRY(const auto layout, cluster->StagingLayout());
    const auto stored = cluster->WriteFile(layout.tokens(id), request.renew_tokens().tokens(), 0600);
    if (!stored.ok()) return stored.error().While(doing);
    // The AM may have ended the job and removed this directory before the file was written.
    HOWDAH_TRY(const auto files, cluster->Files());
    if (const auto left = files->Stat(layout.job_file(id)); !left.ok() && left.error().code == ErrorCode::kNotFound) {
      (void)files->Delete(layout.tokens(id), false);
      (void)files->Delete(layout.job(id), false);  // does nothing if the AM still moves files
    }
  }
  return std::optional(renewed);
}

Result<rpc::AmContact> YarnCluster::Contact(const JobId& id) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  HOWDAH_TRY(const auto known, FindOwn(*cluster, id));
  if (known.has_ended()) return Error{ErrorCode::kUnavailable, id.text + " has ended"};
  return FindAm(*cluster, id, *known.report);
}

backend::Cluster::JobCheck YarnCluster::Check(const jobspec::JobSpec& spec) {
  const auto cluster = connection_.Open(options_);
  if (!cluster.ok()) return {{cluster.error().message}, {}};
  JobCheck check;
  for (const std::string& key : spec.relative_directories) check.refusals.push_back(RelativePathRefusal(key));
  if (!spec.env_from.empty())
    check.ignored.push_back("env_from: only the local backend supports it; on YARN set variables with `env`");
  if (spec.kerberos && !spec.kerberos->carry && (*cluster)->kerberos()) {
    check.ignored.push_back(
        "kerberos: if YARN restarts the application master after the tokens of the submission have expired, the job "
        "fails, unless the ResourceManager has proxy-user privileges; `carry: true` prevents this");
  }
  if (spec.access != jobspec::Access{} && !ChecksAccess((*cluster)->configuration())) {
    check.ignored.push_back(
        "access: this cluster checks no rights (yarn.acl.enable is false in yarn-site.xml), so every user may read and "
        "stop the job");
  }
  const auto rm = (*cluster)->Rm();
  if (!rm.ok()) return {{rm.error().message}, {}};
  auto facts = FetchClusterFacts(**rm, (*cluster)->user(), spec.queue, spec.node_label);
  if (!facts.ok()) return {{facts.error().message}, {}};
  if (!options_.autoscaler.empty()) {
    AddGrowth(ReadPublished(**cluster, options_.autoscaler), os::process::Clock().Now(), *facts);
  }
  for (std::string& why : RefusalsOf(spec, *facts)) check.refusals.push_back(std::move(why));
  if (std::string problem = IsQueueOpen(*facts) ? QueueProblem(*facts) : ""; !problem.empty()) {
    check.ignored.push_back(std::move(problem) +
                            "; the ResourceManager accepts the job only if its scheduler creates this queue or its "
                            "rules select another one");
  }
  facts_ = std::make_unique<ClusterFacts>(std::move(*facts));
  return check;
}

Result<JobId> YarnCluster::Submit(const jobspec::JobSpec& spec, const backend::SubmitOptions& options) {
  HOWDAH_TRY(const auto cluster, connection_.Open(options_));
  if (!facts_) {
    if (const JobCheck check = Check(spec); !check.refusals.empty()) {
      return Error{ErrorCode::kUnavailable, check.refusals.front()};
    }
  }
  return SubmitToYarn(*cluster, options_, {InventoryOf(*facts_), facts_->growth, QueueProblem(*facts_)}, spec, options);
}

}  // namespace howdah::backend::yarn::client
