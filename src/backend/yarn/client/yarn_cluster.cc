#include "howdah/backend/yarn/client/yarn_cluster.h"

#include <algorithm>
#include <set>

#include "am_calls.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/cluster_facts.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/backend/yarn/hdfs_files.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/rpc/control_client.h"
#include "last_lines_keeper.h"
#include "log_lookup.h"
#include "log_store.h"
#include "running_logs.h"
#include "submit.h"
#include "waiting_am.h"
#include "yarn_follow.h"

namespace howdah::backend::yarn::client {
namespace {

using ::hadoop::yarn::ApplicationReportProto;

constexpr char kApplicationType[] = "HOWDAH";
// A status is of use only while somebody waits for it; an order is worth waiting for.
constexpr Duration kStatusLimit = std::chrono::seconds(3);
constexpr Duration kOrderLimit = std::chrono::seconds(10);
constexpr Duration kEndLimit = std::chrono::minutes(2);
constexpr Duration kLogReadLimit = std::chrono::seconds(30);

Error NoSuchJob(const std::string& name, const std::string& why) {
  return {ErrorCode::kNotFound, "there is no job '" + name + "': " + why};
}

// What is known of an application, and the ResourceManager that knows it no longer says less than the history does.
struct Known {
  std::optional<ApplicationReportProto> report;
};

Result<Known> Find(HadoopClient& cluster, const JobId& id) {
  const auto application = hadoop::yarn::ParseApplicationId(id.text);
  if (!application) return NoSuchJob(id.text, "ids of jobs on YARN look like application_1700000000000_0001");
  HOWDAH_TRY(const auto rm, cluster.Rm());
  auto report = rm->Report(*application);
  if (report.ok()) return Known{std::move(*report)};
  if (report.error().code != ErrorCode::kNotFound) return report.error();
  return Known{};
}

Result<std::string> EndedJournal(HadoopClient& cluster, const JobId& id, const Known& known) {
  if (known.report) return ReadEndedJournal(cluster, id, *known.report);
  auto journal = ReadHistoryJournal(cluster, id);
  if (!journal.ok() && journal.error().code == ErrorCode::kNotFound) {
    return NoSuchJob(id.text,
                     "the ResourceManager does not know it, and nothing of it is in the history of " + cluster.user());
  }
  return journal;
}

bool IsEnded(const Known& known) { return !known.report || HasEnded(*known.report); }

Result<journal::JobView> ViewOfRunning(HadoopClient& cluster, const JobId& id, const ApplicationReportProto& report) {
  wire::ControlRequest request;
  request.mutable_status();
  const auto contact = FindAm(cluster, id, report);
  if (contact.ok()) {
    const auto reply = rpc::CallAm(contact->address, contact->identity, request, kStatusLimit);
    auto view = reply.ok() ? journal::FromJson(reply->status_json()) : std::nullopt;
    if (view) return std::move(*view);
  }
  journal::JobView view = ViewFromReport(report);
  // What is needed to ask lies beside the journal: who does not answer is not waited for twice.
  const bool silent = !contact.ok() && contact.error().code != ErrorCode::kNotFound && AmAddress(report).ok();
  if (const auto journal = silent ? contact.error() : ReadRunningJournal(cluster, id); journal.ok()) {
    const std::string tracking = view.tracking_url;
    view = FoldJournal(*journal, Tasks::kIncluded);
    view.tracking_url = tracking;
  } else {
    view.reason = "its application master was not asked, and of its tasks nothing is known: " + journal.error().message;
  }
  if (report.yarn_application_state() == ::hadoop::yarn::RUNNING) return view;
  const std::string why = WhyApplicationIsPending(cluster, report);
  if (view.state != core::JobState::kQueued) {  // what runs goes on meanwhile
    view.reason = "no application master is registered at the moment" + (why.empty() ? "" : ": " + why);
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
  filter.set_scope(::hadoop::yarn::OWN);
  return rm->Applications(filter);
}

// Ids of the history; none where there is no history yet.
Result<std::vector<std::string>> RecordedIds(HadoopClient& cluster) {
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  const auto found = files->List(places.histories());
  std::vector<std::string> ids;
  if (!found.ok() && found.error().code != ErrorCode::kNotFound) return found.error();
  if (!found.ok()) return ids;
  for (const hadoop::hdfs::FileStatus& file : *found) {
    if (hadoop::yarn::ParseApplicationId(file.name)) ids.push_back(file.name);
  }
  return ids;
}

}  // namespace

YarnCluster::YarnCluster(YarnOptions options) : options_(std::move(options)) {}
YarnCluster::~YarnCluster() = default;

Result<HadoopClient*> YarnCluster::Open() {
  if (!cluster_) {
    HOWDAH_TRY(auto opened, HadoopClient::Open(options_.surroundings, options_.user));
    cluster_ = std::make_unique<HadoopClient>(std::move(opened));
  }
  return cluster_.get();
}

Result<JobId> YarnCluster::Resolve(const std::string& name) {
  if (name != "last") {
    if (hadoop::yarn::ParseApplicationId(name)) return JobId{name};
    return NoSuchJob(
        name, "ids of jobs on YARN look like application_1700000000000_0001; `howdah list --on yarn` shows them");
  }
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(const auto known, OwnApplications(*cluster));
  HOWDAH_TRY(auto ids, RecordedIds(*cluster));
  for (const auto& report : known) ids.push_back(hadoop::yarn::ToText(hadoop::yarn::FromProto(report.applicationid())));
  if (ids.empty()) return NoSuchJob("last", cluster->user() + " has submitted none to this cluster");
  return JobId{NewestFirst(std::move(ids)).front()};
}

Result<journal::JobView> YarnCluster::Status(const JobId& id) {
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(auto known, Find(*cluster, id));
  if (!IsEnded(known)) return ViewOfRunning(*cluster, id, *known.report);
  HOWDAH_TRY(const auto journal, EndedJournal(*cluster, id, known));
  journal::JobView view = FoldJournal(journal, Tasks::kIncluded);
  if (known.report) view.tracking_url = ViewFromReport(*known.report).tracking_url;
  return view;
}

Result<std::vector<journal::JobView>> YarnCluster::List(bool ended_too) {
  HOWDAH_TRY(const auto cluster, Open());
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
    const auto journal = EndedJournal(*cluster, {id}, report ? Known{*report} : Known{});
    // One job that cannot be read must not hide the others.
    if (journal.ok()) views.push_back(FoldJournal(*journal, Tasks::kSkipped));
  }
  return views;
}

Result<std::unique_ptr<backend::Follow>> YarnCluster::FollowJob(const JobId& id,
                                                                std::optional<backend::LogSelection> logs) {
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(auto follow, YarnFollow::Start(cluster->WithOwnConnections(), id, std::move(logs)));
  return std::unique_ptr<backend::Follow>(std::move(follow));
}

Result<std::vector<backend::LogSource>> YarnCluster::LogSources(const JobId& id) {
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(const auto known, Find(*cluster, id));
  if (!IsEnded(known)) return ListRunningLogs(*cluster, id, *known.report);
  HOWDAH_TRY(const auto journal, EndedJournal(*cluster, id, known));
  std::vector<backend::LogSource> sources;
  for (const auto& [source, place] : LogLocations(DecodeJournal(journal))) sources.push_back(source);
  return sources;
}

howdah::Status YarnCluster::ReadLog(const JobId& id, const backend::LogSource& source,
                                    std::optional<int64_t> last_lines,
                                    const std::function<void(std::string_view)>& on_bytes) {
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(const auto known, Find(*cluster, id));
  TailBuffer keeper(last_lines, on_bytes);
  const auto take = [&](std::string_view bytes) { keeper.Add(bytes); };
  int64_t offset = 0;
  std::string journal;
  if (!IsEnded(known)) {
    const auto read = ReadRunningLog(*cluster, id, *known.report, source, take);
    if (read.ok() && read->whole) return keeper.Finish(), howdah::Status();
    if (read.ok()) offset = read->bytes, journal = read->journal;
  }
  if (journal.empty()) {
    HOWDAH_TRY(auto recorded, IsEnded(known) ? EndedJournal(*cluster, id, known) : ReadRunningJournal(*cluster, id));
    journal = std::move(recorded);
  }
  const auto places = LogLocations(DecodeJournal(journal));
  const auto place = places.find(source);
  if (place == places.end()) return Error{ErrorCode::kNotFound, "the output was never begun"};
  LogStore store(*cluster, id, known.report ? known.report->user() : cluster->user());
  const howdah::Status read = store.Read(place->second, offset, take, kLogLimit);
  keeper.Finish();
  return read;
}

Result<std::string> YarnCluster::JobFile(const JobId& id) {
  HOWDAH_TRY(const auto cluster, Open());
  return ReadJobFile(*cluster, id);
}

Result<std::unique_ptr<storage::Files>> YarnCluster::OpenFiles(const std::string& uri) {
  HOWDAH_TRY(const auto cluster, Open());
  return OpenHdfsFiles(*cluster, uri);
}

std::string YarnCluster::LogsPlace(const JobId&) { return "on the nodes of the cluster"; }

howdah::Status YarnCluster::Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) {
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(const auto known, Find(*cluster, id));
  if (IsEnded(known)) return {};
  wire::ControlRequest request;
  request.mutable_stop()->set_by(by);
  if (grace) request.mutable_stop()->set_grace_micros(grace->count());
  const auto asked = CallRunningAm(*cluster, id, *known.report, request, kOrderLimit);
  if (asked.ok()) return {};
  // An AM that is not there yet, or not any more, has nothing to stop with grace: YARN ends the application.
  HOWDAH_TRY(const auto rm, cluster->Rm());
  return rm->Kill(*hadoop::yarn::ParseApplicationId(id.text), by, kGoneLimit);
}

howdah::Status YarnCluster::AwaitGone(const JobId& id) {
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(const auto rm, cluster->Rm());
  return rm->AwaitEnd(*hadoop::yarn::ParseApplicationId(id.text), kGoneLimit);
}

howdah::Status YarnCluster::Scale(const JobId& id, const std::string& role, int instances, const std::string& by) {
  const std::string doing = "scaling " + role + " of " + id.text + " to " + std::to_string(instances);
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(const auto known, Find(*cluster, id));
  if (IsEnded(known)) return Error{ErrorCode::kUnavailable, doing + ": the job has ended"};
  wire::ControlRequest request;
  request.mutable_scale()->set_role(role);
  request.mutable_scale()->set_instances(instances);
  request.mutable_scale()->set_by(by);
  const auto asked = CallRunningAm(*cluster, id, *known.report, request, kOrderLimit);
  return asked.ok() ? howdah::Status() : howdah::Status(asked.error().While(doing));
}

Result<rpc::AmContact> YarnCluster::Contact(const JobId& id) {
  HOWDAH_TRY(const auto cluster, Open());
  HOWDAH_TRY(const auto known, Find(*cluster, id));
  if (IsEnded(known)) return Error{ErrorCode::kUnavailable, id.text + " has ended"};
  return FindAm(*cluster, id, *known.report);
}

}  // namespace howdah::backend::yarn::client
