#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "accounts.h"
#include "am_attempts.h"
#include "container_environment.h"
#include "howdah/backend/yarn/access.h"
#include "howdah/backend/yarn/am/agent.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/children.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/backend/yarn/token_lifetime.h"
#include "howdah/base/host_port.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/rpc/token_identifier.h"
#include "howdah/hadoop/rpc/token_proto.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_end.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/net/connect.h"
#include "howdah/os/net/resolve.h"
#include "howdah/os/process/machine.h"
#include "job_copies.h"
#include "keytab_renewer.h"
#include "page_readers.h"
#include "token_wait.h"
#include "yarn_backend.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr char kJournal[] = "journal.jsonl";
constexpr char kEventLog[] = "events.bin";
constexpr char kMetrics[] = "metrics";
constexpr char kAddress[] = "am.address";
constexpr char kCheckpointFile[] = "answers.bin";
constexpr size_t kLastLineLimit = size_t{1} << 20;
constexpr Duration kOldTokens = std::chrono::hours(24);
constexpr Duration kResolveLimit = std::chrono::seconds(5);
// The longest wait for an unreachable ResourceManager at the end of a job, equal to that of a running job. An AM must
// not exit before it has unregistered, because YARN would restart it.
constexpr Duration kFinishLimit = std::chrono::minutes(15);

::hadoop::yarn::FinalApplicationStatusProto FinalStatusOf(core::JobState state) {
  if (state == core::JobState::kSucceeded) return ::hadoop::yarn::APP_SUCCEEDED;
  return state == core::JobState::kKilled ? ::hadoop::yarn::APP_KILLED : ::hadoop::yarn::APP_FAILED;
}

// Returns a text with the reason on the first line, which tools show in the application's report, and the advice on the
// second.
std::string Diagnostics(const core::JobChanged& end) {
  const std::string reason = end.reason.value_or("");
  if (end.advice.value_or("").empty()) return reason;
  return reason + "\n" + *end.advice;
}

// Unregisters this attempt, so that YARN starts no other attempt. Blocks until the ResourceManager has answered.
Status FinishApplication(const hadoop::conf::Configuration& configuration, const hadoop::rpc::Token& am_rm_token,
                         const core::JobChanged& end) {
  HOWDAH_TRY(const auto call, hadoop::yarn::BlockingSchedulerCall(configuration, am_rm_token));
  ::hadoop::yarn::FinishApplicationMasterRequestProto finish;
  finish.set_final_application_status(FinalStatusOf(end.state.value_or(core::JobState::kFailed)));
  finish.set_diagnostics(Diagnostics(end));
  return hadoop::yarn::Unregister(call, finish, {}, kFinishLimit);
}

void Warn(const Error& error) { std::cerr << error.message << "\n"; }

bool IsLoopback(const std::string& ip) { return ip.starts_with("127.") || ip == "::1"; }

}  // namespace

struct AmJob::Parts {
  AmStart start;
  ContainerEnvironment container;
  jobspec::JobSpec spec;
  std::shared_ptr<CredentialStore> credentials;
  hadoop::conf::Configuration configuration;
  rpc::Identity identity;
  std::unique_ptr<JournalCopy> copy;
  std::unique_ptr<MetricsCopy> metrics_copy;
  std::unique_ptr<KeytabRenewer> keytab_renewer;
  uint16_t waited_on_port = 0;  // where this AM waited for newer tokens; 0: it did not wait
  std::jthread begin_history;   // uses a thread, so that a slow NameNode does not delay the job
  std::jthread check_account;   // uses a thread, because `id` may ask a server

  int attempt() const { return std::max(0, container.container.attempt.attempt - 1); }
  // Fetches new tokens with the keytab, if there is one, and if those of the container are old. An error is only
  // logged, because the tokens of the container may still be valid.
  void ReplaceOldTokens(Instant now) const {
    const auto present = credentials->Get();
    const auto issued = OldestIssue(*present);
    const auto lifetime = LifetimeOf(*present);
    if (!HasKeytab() || !issued || !lifetime) return;
    if (now - *issued < kOldTokens && now < RenewalTime(*issued, lifetime->until)) return;
    const auto newer = FetchTokensWithKeytab(configuration, spec, start.user);
    const Status written = newer.ok() ? WriteNewerTokens(*newer) : Status(newer.error());
    written.ok() ? TakeNewerTokens() : Warn(written.error());
  }
  // Takes the tokens that an AM process of this container has received.
  void TakeNewerTokens() const {
    auto newest = OwnCredentials(configuration.environment());
    newest.ok() ? credentials->Replace(std::move(*newest)) : Warn(newest.error());
  }
  // The AM keeps the logs of feeds beside its event log (am::Feeds).
  JobFiles LocalFiles() const {
    JobFiles files{kJournal, kEventLog, {}};
    for (const jobspec::FeedSpec& feed : spec.feeds) files.feed_logs.push_back("feed-" + feed.name + ".bin");
    return files;
  }
  // Stores the files that the next AM of the job needs. The copies end, unless this fails.
  Status StoreState() {
    copy.reset();
    HadoopClient cluster = OpenCluster();
    const Status stored = StoreJobFiles(cluster, start.job, LocalFiles());
    if (!stored.ok()) copy = std::make_unique<JournalCopy>(OpenCluster(), start.job, LocalFiles());
    return stored;
  }
  Result<StartingPoint> RestoreStored(Instant now) const;
  // Appends the entry of the next generation to the journal.
  StartingPoint NextGeneration(std::string& journal, Instant now) const;
  HadoopClient OpenCluster() const { return HadoopClient(configuration, container.user, credentials); }
  compat::tony::history::AmContainer Container() const {
    return {container.node_host, hadoop::yarn::ToText(container.container)};
  }
  // Whether YARN starts another AM attempt after this one. If the ResourceManager does not answer, counts every earlier
  // attempt as failed.
  bool AnotherAttemptFollows(HadoopClient& cluster, Instant now) const {
    const hadoop::yarn::AttemptId& own = container.container.attempt;
    const auto rm = cluster.Rm();
    const auto attempts = rm.ok() ? (*rm)->Attempts(own.application) : rm.error();
    if (attempts.ok() && HasLaterAttempt(own.attempt, *attempts)) return true;
    const int64_t failed = attempts.ok() ? CountFailedAttempts(own.attempt, *attempts, now) : int64_t{attempt()};
    return failed + 1 < MaxAttempts(spec, configuration);
  }
};

Result<AmJob::StartingPoint> AmJob::Parts::RestoreStored(Instant now) const {
  HadoopClient cluster = OpenCluster();
  constexpr char kDoing[] = "restoring the state of the previous application master";
  const auto has_newer = FetchNewerTokens(cluster, start.job);
  if (!has_newer.ok()) return has_newer.error().While(kDoing);
  if (*has_newer) {
    TakeNewerTokens();
    cluster.TakeNewerCredentials();
  }
  // Read the journal before the event log. The journal is derived from the events, so its copy must not be newer than
  // the copy of the event log.
  auto before = ReadRunningJournal(cluster, start.job);
  if (!before.ok()) return before.error().While(kDoing);
  if (before->empty() || before->back() != '\n') *before += '\n';
  const auto fetched = FetchLog(cluster, start.job, kEventLog);
  if (!fetched.ok()) return fetched.error().While(kDoing);
  // If the event log is not stored, the logs of feeds are not needed either: the tasks start again. If only the log of
  // a feed is missing, the AM reports it (am::Feeds::Resume).
  for (const std::string& log : *fetched ? LocalFiles().feed_logs : std::vector<std::string>()) {
    const auto feed = FetchLog(cluster, start.job, log);
    if (!feed.ok()) return feed.error().While(kDoing);
  }
  // The job can continue without the metrics.
  if (const Status metrics = FetchMetrics(cluster, start.job, kMetrics); !metrics.ok()) {
    std::cerr << "restoring the metrics: " << metrics.error().message << "\n";
  }
  StartingPoint point;
  if (!*fetched) point = NextGeneration(*before, now);
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(kJournal, *before, 0600));
  return point;
}

AmJob::StartingPoint AmJob::Parts::NextGeneration(std::string& journal, Instant now) const {
  const journal::JobView view = FoldJournal(journal, Tasks::kIncluded);
  StartingPoint point{view.generation + 1, 0};
  for (const journal::TaskView& task : view.tasks) {
    point.first_task_attempt = std::max(point.first_task_attempt, task.attempt + 1);
  }
  core::JobChanged recovering;
  recovering.type = core::JobChanged::Type::kRecovering;
  recovering.state = core::JobState::kRecovering;
  recovering.generation = point.generation;
  recovering.reason = "the application master (attempt " + std::to_string(attempt() - 1) +
                      ") died; the job restarts as generation " + std::to_string(point.generation);
  journal += journal::EncodeEntry({now, std::move(recovering)}) + "\n";
  return point;
}

AmJob::AmJob(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
AmJob::~AmJob() = default;

Result<std::unique_ptr<AmJob>> AmJob::Open(const hadoop::conf::Environment& environment) {
  HOWDAH_TRY(auto container, ReadContainerEnvironment(environment.variable));
  HOWDAH_TRY(auto credentials, OwnCredentials(environment));
  HOWDAH_TRY_STATUS(ExtractEmbeddedFiles(credentials));
  HOWDAH_TRY(const auto start_text, os::files::ReadFile(kAmStartFile));
  HOWDAH_TRY(auto start, ParseAmStart(start_text));
  HOWDAH_TRY(const auto spec_text, os::files::ReadFile(kJobFile));
  HOWDAH_TRY(auto spec, jobspec::ReadEffective(spec_text));
  HOWDAH_TRY(auto identity, FindIdentity(credentials, "am"));
  HOWDAH_TRY(auto configuration, ReadStagedConfiguration(environment, start.configuration));
  // Act as the owner of the job: on an insecure cluster the containers run as another user.
  container.user = start.user;
  return std::unique_ptr<AmJob>(
      new AmJob(std::make_unique<Parts>(Parts{std::move(start),
                                              std::move(container),
                                              std::move(spec),
                                              std::make_shared<CredentialStore>(std::move(credentials)),
                                              std::move(configuration),
                                              std::move(identity),
                                              nullptr,
                                              nullptr,
                                              nullptr,
                                              0,
                                              {},
                                              {}})));
}

const JobId& AmJob::id() const { return parts_->start.job; }
const jobspec::JobSpec& AmJob::spec() const { return parts_->spec; }
int AmJob::attempt() const { return parts_->attempt(); }
std::string AmJob::node() const { return parts_->container.node_host; }
std::string AmJob::journal() const { return kJournal; }
std::string AmJob::event_log() const { return kEventLog; }
std::string AmJob::metrics() const { return kMetrics; }
std::string AmJob::log_directory() const {
  return parts_->container.log_dirs.empty() ? "." : parts_->container.log_dirs.front();
}
const rpc::Identity& AmJob::identity() const { return parts_->identity; }

std::vector<std::string> AmJob::ToolEnvironment(const std::string& directory) const {
  std::vector<std::string> environment;
  const std::string python = directory + "/python/bin";
  for (char** variable = environ; *variable; ++variable) {
    std::string text = *variable;
    // Tools that the AM starts must not use the AM's credentials.
    if (text.starts_with("HADOOP_TOKEN_FILE_LOCATION=")) continue;
    if (text.starts_with("PATH=") && access(python.c_str(), X_OK) == 0) text.insert(5, python + ":");
    environment.push_back(std::move(text));
  }
  return environment;
}

Result<std::unique_ptr<storage::Files>> AmJob::OpenFiles(const std::string& uri) const {
  return parts_->OpenCluster().OpenFiles(uri);
}

Result<std::string> AmJob::ListenHost() const {
  HOWDAH_TRY(const auto servers,
             hadoop::conf::ResourceManagers(parts_->configuration, hadoop::conf::RmService::kScheduler));
  std::string own;
  for (const hadoop::conf::Server& server : servers) {
    const auto towards = os::net::LocalAddressTowards(server.address, kResolveLimit);
    if (towards.ok()) own = towards->ip();
    if (!own.empty()) break;
  }
  if (!own.empty() && !IsLoopback(own)) return own;
  // The route to the ResourceManager shows no address, or only a loopback address because a ResourceManager runs on
  // this machine. Other machines cannot use a loopback address, so resolve the node's name in YARN.
  const auto named = os::net::Resolve({parts_->container.node_host, 1}, kResolveLimit);
  if (named.ok()) return named->front().ip();
  if (own.empty()) return named.error().While("finding the address of this node");
  return own;
}

Result<AmJob::StartingPoint> AmJob::Restore(const os::process::Clock& clock) {
  const Instant now = clock.Now();
  // The port shows that an earlier AM process of this container has already restored the files.
  if (PublishedPort() > 0) {
    parts_->TakeNewerTokens();
    parts_->ReplaceOldTokens(now);
    return StartingPoint();
  }
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(journal(), parts_->start.submitted, 0600));
  parts_->ReplaceOldTokens(now);
  if (parts_->attempt() == 0) return StartingPoint();
  auto restored = parts_->RestoreStored(now);
  if (restored.ok() || !hadoop::rpc::IsTokenRefused(restored.error())) return restored;
  std::cerr << restored.error().message << "\n";
  HOWDAH_TRY(const std::string listen_host, ListenHost());
  HOWDAH_TRY(parts_->waited_on_port, AwaitNewerTokens({.start = parts_->start,
                                                       .spec = parts_->spec,
                                                       .configuration = parts_->configuration,
                                                       .identity = parts_->identity,
                                                       .present = *parts_->credentials->Get(),
                                                       .listen_host = listen_host,
                                                       .checkpoint = kCheckpointFile,
                                                       .own_container = parts_->container.container,
                                                       .own_host = parts_->container.node_host},
                                                      clock));
  parts_->TakeNewerTokens();
  return parts_->RestoreStored(clock.Now());
}

Status AmJob::PublishAddress(const std::string& address) const {
  const uint16_t before = ListenPort();
  HOWDAH_TRY(const auto parsed, ParseHostPort(address));
  if (before > 0 && before != parsed.port) {
    return Failed("port " + std::to_string(before) +
                  ", where this container's application master has listened before, is in use");
  }
  return os::files::WriteFileAtomically(kAddress, address, 0600);
}

uint16_t AmJob::PublishedPort() const {
  const auto text = os::files::ReadFile(kAddress);
  const auto address = text.ok() ? ParseHostPort(*text) : text.error();
  return address.ok() ? address->port : 0;
}

uint16_t AmJob::ListenPort() const {
  const uint16_t published = PublishedPort();
  return published > 0 ? published : parts_->waited_on_port;
}

Duration AmJob::FailureDetectionLimit() const {
  Duration most{};
  for (const char* key :
       {"yarn.am.liveness-monitor.expiry-interval-ms", "yarn.nm.liveness-monitor.expiry-interval-ms"}) {
    const auto expiry = parts_->configuration.Time(key, std::chrono::minutes(10));
    most = std::max(most, expiry.ok() ? *expiry : Duration(std::chrono::minutes(10)));
  }
  return most;
}

bool AmJob::CanRestart() const {
  // Read only the end of the journal, because the journal of a long job may be too large to be read whole. The last
  // line shows whether the job has ended.
  const auto journal = os::files::ReadTail(kJournal, kLastLineLimit);
  return PublishedPort() > 0 && journal.ok() && !HasEndEntry(*journal);
}

AmJob::WebProxy AmJob::FindWebProxy() const {
  WebProxy found;
  const auto proxy = hadoop::conf::WebProxyOf(parts_->configuration);
  if (!proxy.ok()) {
    std::cerr << proxy.error().message << "\n";
    return found;
  }
  if (!parts_->container.proxy_base.empty()) {
    const bool is_https = parts_->configuration.Text("yarn.http.policy", "HTTP_ONLY") == "HTTPS_ONLY";
    found.page_url = (is_https ? "https://" : "http://") + proxy->authority + parts_->container.proxy_base + "/";
  }
  for (const std::string& host : proxy->hosts) {
    const auto addresses = os::net::Resolve({host, 0}, kResolveLimit);
    if (!addresses.ok()) continue;
    for (const os::net::SocketAddress& address : *addresses) found.hosts.push_back(address.ip());
  }
  return found;
}

std::unique_ptr<backend::PageReaders> AmJob::MakePageReaders(boost::asio::io_context& loop,
                                                             const os::process::Clock& clock) const {
  return am::MakePageReaders(loop, clock, parts_->configuration, spec().access, parts_->start.user);
}

Result<std::unique_ptr<backend::Backend>> AmJob::MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                             const std::string& address, uint16_t tracking_port,
                                                             const os::process::Clock& clock) {
  std::optional<ResourceManagerCheckpoint::State> restored;
  HOWDAH_TRY(auto checkpoint, ResourceManagerCheckpoint::Open(kCheckpointFile, restored));
  const auto credentials = parts_->credentials->Get();
  const hadoop::rpc::Token* given = credentials->Find(hadoop::rpc::kAmToken);
  hadoop::rpc::Token token = given != nullptr ? *given : hadoop::rpc::Token();
  if (restored && restored->am_rm_token) token = hadoop::rpc::FromProto(*restored->am_rm_token);
  HOWDAH_TRY(auto calls, hadoop::yarn::AsioCalls(loop, parts_->configuration, token));
  parts_->copy = std::make_unique<JournalCopy>(parts_->OpenCluster(), id(), parts_->LocalFiles());
  parts_->metrics_copy = std::make_unique<MetricsCopy>(parts_->OpenCluster(), id(), kMetrics);
  if (!spec().tony_history.empty()) {
    parts_->begin_history = std::jthread([parts = parts_.get(), path = journal(), now = clock.Now()] {
      const auto journal = os::files::ReadFile(path);
      const Status begun = journal.ok()
                               ? BeginTonyHistory(parts->OpenCluster(), parts->spec, *journal, parts->Container(), now)
                               : Status(journal.error());
      // Only log this error. If the same error occurs again at the end of the job, the job's advice reports it.
      if (!begun.ok()) std::cerr << begun.error().message << "\n";
    });
  }
  HOWDAH_TRY(const auto listening, ParseHostPort(address));
  YarnBackend::Options options{
      .start = parts_->start,
      .spec = parts_->spec,
      .configuration = parts_->configuration,
      .credentials = parts_->credentials,
      .own_container = parts_->container.container,
      .own_host = parts_->container.node_host,
      .clock = clock,
      .am_address = address,
      .tracking_url = tracking_port > 0 ? "http://" + HostPort{listening.host, tracking_port}.Text() : "",
      .am_rm_token = token,
      .on_finish = [this](const core::JobChanged& end, const std::string& journal,
                          const hadoop::rpc::Token& token) { RecordEnd(end, journal, &token); },
      .store_state = [this] { return parts_->StoreState(); }};
  // Only the first AM process says it.
  if (ChecksAccess(parts_->configuration) && attempt() == 0 && !restored) {
    parts_->check_account = std::jthread([owner = parts_->start.user] {
      if (const std::string warning = SharedAccountWarning(owner); !warning.empty()) std::cerr << warning << "\n";
    });
  }
  auto backend = std::make_unique<YarnBackend>(loop, sink, std::move(options), std::move(calls), std::move(checkpoint),
                                               std::move(restored));
  const auto lifetime = LifetimeOf(*credentials);
  if (const auto issued = OldestIssue(*credentials); lifetime && issued && HasKeytab()) {
    parts_->keytab_renewer = std::make_unique<KeytabRenewer>(
        loop, clock, parts_->configuration, parts_->spec, parts_->start.user, *issued, lifetime->until,
        [backend = backend.get()](const std::string& tokens) { return backend->ReplaceTokens(tokens); });
  }
  return std::unique_ptr<backend::Backend>(std::move(backend));
}

Status AmJob::WriteHistory(const std::string& journal) {
  if (parts_->begin_history.joinable()) parts_->begin_history.join();
  return FinishTonyHistory(parts_->OpenCluster(), spec(), journal, parts_->Container());
}

void AmJob::RecordEnd(const core::JobChanged& end, const std::string& journal, const hadoop::rpc::Token* am_rm_token) {
  parts_->keytab_renewer.reset();
  parts_->copy.reset();
  parts_->metrics_copy.reset();
  HadoopClient cluster = parts_->OpenCluster();
  // The outcome of the job does not depend on these steps. Errors go to stderr, which is in the container's log.
  if (const Status stored = StoreMetrics(cluster, id(), kMetrics); !stored.ok()) {
    std::cerr << "storing the metrics: " << stored.error().message << "\n";
  }
  if (const Status stored = StoreHistory(cluster, id(), journal); !stored.ok()) {
    std::cerr << "storing the history: " << stored.error().message << "\n";
  }
  if (const Status killed = KillChildren(cluster, id()); !killed.ok()) {
    std::cerr << "ending the applications that the job has started: " << killed.error().message << "\n";
  }
  if (am_rm_token == nullptr) {
    std::cerr << "the container's credentials lack a token for the ResourceManager\n";
    return;
  }
  const Status finished = FinishApplication(parts_->configuration, *am_rm_token, end);
  if (!finished.ok()) std::cerr << finished.error().message << "\n";
}

void AmJob::RecordAmDeath(const std::string& how, Instant at) {
  parts_->TakeNewerTokens();
  HadoopClient cluster = parts_->OpenCluster();
  const auto rm = cluster.Rm();
  const auto report = rm.ok() ? (*rm)->Report(*hadoop::yarn::ParseApplicationId(id().text)) : rm.error();
  if (report.ok() && HasEnded(*report)) {
    const auto recorded = ReadEndedJournal(cluster, id(), *report);
    if (!recorded.ok()) std::cerr << recorded.error().message << "\n";
    return;
  }
  if (parts_->AnotherAttemptFollows(cluster, at)) return;
  const auto text = os::files::ReadFile(journal());
  const std::string before = text.ok() ? *text : parts_->start.submitted;
  const journal::JobView view = FoldJournal(before, Tasks::kIncluded);
  core::JobChanged end;
  end.state = core::JobState::kFailed;
  end.exit_code = 1;
  end.reason = "the application master (attempt " + std::to_string(attempt()) + ") " + how + " on " + node() +
               (view.submitted ? ", " + FormatDuration(at - *view.submitted) + " after the job was submitted" : "") +
               "; it was the last of " + std::to_string(attempt() + 1) + " attempts";
  end.advice =
      "submit the job again; with am: {attempts: N} YARN restarts the application master until N attempts have failed "
      "within an hour";
  constexpr char kTaskReason[] = "the application master died";
  std::string lines = journal::EndLines(view, end, kTaskReason, at);
  if (const Status written = WriteHistory(before + lines); !written.ok()) {
    *end.advice += "; " + written.error().message;
    lines = journal::EndLines(view, end, kTaskReason, at);
  }
  const auto credentials = parts_->credentials->Get();
  RecordEnd(end, before + lines, credentials->Find(hadoop::rpc::kAmToken));
}

}  // namespace howdah::backend::yarn::am
