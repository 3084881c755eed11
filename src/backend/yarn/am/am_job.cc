#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <thread>

#include "am_attempts.h"
#include "finish.h"
#include "howdah/backend/yarn/am/agent.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/carried_files.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/backend/yarn/hdfs_files.h"
#include "howdah/backend/yarn/identities.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/hadoop/yarn/token.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_end.h"
#include "howdah/os/files/files.h"
#include "howdah/os/net/connect.h"
#include "howdah/os/net/resolve.h"
#include "howdah/os/process/clock.h"
#include "journal_copy.h"
#include "yarn_backend.h"

namespace howdah::backend::yarn::am {
namespace {

constexpr char kJobFile[] = "howdah/job.json";
constexpr char kJournal[] = "journal.jsonl";
constexpr char kEventLog[] = "events.bin";
constexpr char kAddress[] = "am.address";
constexpr char kAnswers[] = "answers.bin";
constexpr char kTokenKind[] = "YARN_AM_RM_TOKEN";
constexpr Duration kResolveLimit = std::chrono::seconds(5);
// As long as a running job waits for a ResourceManager that is away: an AM that leaves untold is started again.
constexpr Duration kFinishLimit = std::chrono::minutes(15);

Result<hadoop::rpc::Credentials> ReadCredentials(const std::string& path) {
  HOWDAH_TRY(const auto bytes, os::files::ReadFile(path));
  auto credentials = hadoop::rpc::ParseCredentials(bytes);
  if (!credentials.ok()) return credentials.error().While("reading the container's credentials " + path);
  return credentials;
}

// Of the container that this process runs in.
Result<hadoop::rpc::Credentials> OwnCredentials(const hadoop::conf::Surroundings& surroundings) {
  HOWDAH_TRY(const auto container, ReadContainerEnvironment(surroundings.environment));
  return ReadCredentials(container.token_file);
}

// The configuration that the client sent along. A node's own may be absent, or another cluster's.
Result<hadoop::conf::Configuration> ReadConfiguration(const hadoop::conf::Environment& surroundings,
                                                      const std::string& path) {
  HOWDAH_TRY(const auto xml, os::files::ReadFile(path));
  hadoop::conf::Configuration configuration(surroundings);
  const auto no_more_files = [](const std::string& name) -> Result<std::string> {
    return Failed("the configuration was sent in one file; it names " + name);
  };
  HOWDAH_TRY_STATUS(hadoop::conf::AddXml(configuration, path, xml, no_more_files));
  return configuration;
}

bool IsLoopback(const std::string& ip) { return ip.starts_with("127.") || ip == "::1"; }

std::string CurrentDirectory() {
  char path[4096];
  return getcwd(path, sizeof path) != nullptr ? path : ".";
}

}  // namespace

struct AmJob::Parts {
  YarnAmStart start;
  ContainerEnvironment container;
  jobspec::JobSpec spec;
  hadoop::rpc::Credentials credentials;
  hadoop::conf::Configuration configuration;
  rpc::Identity identity;
  std::unique_ptr<JournalCopy> copy;
  std::jthread history_begins;  // a slow NameNode holds up no job

  int attempt() const { return std::max(0, container.container.attempt.attempt - 1); }
  HadoopClient OpenCluster() const { return HadoopClient(configuration, container.user, credentials); }
  compat::tony::history::AmPlace Place() const {
    return {container.node_host, hadoop::yarn::ToText(container.container)};
  }
  // Whether YARN starts another AM after this one has died. Where it may not be asked, every attempt counts.
  bool OthersFollow(HadoopClient& cluster) const {
    const hadoop::yarn::AttemptId& own = container.container.attempt;
    const auto rm = cluster.Rm();
    const auto attempts = rm.ok() ? (*rm)->Attempts(own.application) : rm.error();
    const int64_t failed =
        attempts.ok() ? CountFailedAttempts(own.attempt, *attempts, os::process::Clock().Now()) : int64_t{attempt()};
    return failed + 1 < MaxAttempts(spec, configuration);
  }
};

AmJob::AmJob(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
AmJob::~AmJob() = default;

Result<std::unique_ptr<AmJob>> AmJob::Open(const hadoop::conf::Surroundings& surroundings) {
  HOWDAH_TRY(auto container, ReadContainerEnvironment(surroundings.environment));
  HOWDAH_TRY(auto credentials, ReadCredentials(container.token_file));
  HOWDAH_TRY_STATUS(ExtractEmbeddedFiles(credentials));
  HOWDAH_TRY(const auto start_text, os::files::ReadFile(kAmStartFile));
  HOWDAH_TRY(auto start, ParseAmStart(start_text));
  HOWDAH_TRY(const auto spec_text, os::files::ReadFile(kJobFile));
  HOWDAH_TRY(auto spec, jobspec::ReadEffective(spec_text));
  HOWDAH_TRY(auto identity, FindIdentity(credentials, "am"));
  HOWDAH_TRY(auto configuration, ReadConfiguration(surroundings, start.configuration));
  // Who the job belongs to: on a cluster without accounts of its own the container runs as somebody else.
  container.user = start.user;
  return std::unique_ptr<AmJob>(new AmJob(std::make_unique<Parts>(Parts{std::move(start),
                                                                        std::move(container),
                                                                        std::move(spec),
                                                                        std::move(credentials),
                                                                        std::move(configuration),
                                                                        std::move(identity),
                                                                        nullptr,
                                                                        {}})));
}

const JobId& AmJob::id() const { return parts_->start.job; }
const jobspec::JobSpec& AmJob::spec() const { return parts_->spec; }
int AmJob::attempt() const { return parts_->attempt(); }
std::string AmJob::node() const { return parts_->container.node_host; }
std::string AmJob::journal() const { return kJournal; }
std::string AmJob::event_log() const { return kEventLog; }
std::string AmJob::log_directory() const {
  return parts_->container.log_dirs.empty() ? "." : parts_->container.log_dirs.front();
}
const rpc::Identity& AmJob::identity() const { return parts_->identity; }

std::vector<std::string> AmJob::ToolEnvironment() const {
  std::vector<std::string> environment;
  const std::string python = CurrentDirectory() + "/python/bin";
  for (char** variable = environ; *variable; ++variable) {
    std::string text = *variable;
    // Credentials are the AM's, and no tool's.
    if (text.starts_with("HADOOP_TOKEN_FILE_LOCATION=")) continue;
    if (text.starts_with("PATH=") && access(python.c_str(), X_OK) == 0) text.insert(5, python + ":");
    environment.push_back(std::move(text));
  }
  return environment;
}

Result<std::unique_ptr<storage::Files>> AmJob::OpenFiles(const std::string& uri) const {
  return OpenHdfsFiles(parts_->OpenCluster(), uri);
}

Result<std::string> AmJob::ListenHost() const {
  HOWDAH_TRY(const auto servers,
             hadoop::conf::ResourceManagers(parts_->configuration, hadoop::conf::RmService::kScheduler));
  std::string own;
  for (const hadoop::conf::Server& server : servers) {
    const auto towards = os::net::LocalAddressTowards({server.host, server.port}, kResolveLimit);
    if (towards.ok()) own = towards->ip();
    if (!own.empty()) break;
  }
  if (!own.empty() && !IsLoopback(own)) return own;
  // A ResourceManager on this very machine says nothing of how others reach it; the name by which YARN knows it does.
  const auto named = os::net::Resolve({parts_->container.node_host, 1}, kResolveLimit);
  if (named.ok()) return named->front().ip();
  if (own.empty()) return named.error().While("finding the address of this node");
  return own;
}

Result<AmJob::Beginning> AmJob::Begin() const {
  if (AnnouncedPort() > 0) return Beginning();  // it is here
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(journal(), parts_->start.submitted, 0600));
  if (parts_->attempt() == 0) return Beginning();
  HadoopClient cluster = parts_->OpenCluster();
  constexpr char kDoing[] = "reading what the application master before this one left";
  // In this order: the journal follows from the events.
  auto before = ReadRunningJournal(cluster, id());
  if (!before.ok()) return before.error().While(kDoing);
  if (before->empty() || before->back() != '\n') *before += '\n';
  const auto events = ReadEventLog(cluster, id());
  if (!events.ok()) return events.error().While(kDoing);
  Beginning beginning;
  if (*events) {
    HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(event_log(), **events, 0600));
  } else {
    beginning = NextGeneration(*before);
  }
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(journal(), *before, 0600));
  return beginning;
}

AmJob::Beginning AmJob::NextGeneration(std::string& journal) const {
  const journal::JobView view = FoldJournal(journal, Tasks::kIncluded);
  Beginning beginning{view.generation + 1, 0};
  for (const journal::TaskView& task : view.tasks) {
    beginning.first_task_attempt = std::max(beginning.first_task_attempt, task.attempt + 1);
  }
  core::JobChanged anew;
  anew.type = core::JobChanged::Type::kRecovering;
  anew.state = core::JobState::kRecovering;
  anew.generation = beginning.generation;
  anew.reason = "the application master (attempt " + std::to_string(parts_->attempt() - 1) +
                ") died; the job starts again as generation " + std::to_string(beginning.generation);
  journal += journal::EncodeEntry({os::process::Clock().Now(), std::move(anew)}) + "\n";
  return beginning;
}

Status AmJob::Announce(const std::string& address) const {
  const uint16_t before = AnnouncedPort();
  const std::string port = address.substr(address.rfind(':') + 1);
  if (before > 0 && std::to_string(before) != port) {
    return Failed("port " + std::to_string(before) +
                  ", where the application master before this one listened, is taken");
  }
  return os::files::WriteFileAtomically(kAddress, address, 0600);
}

uint16_t AmJob::AnnouncedPort() const {
  const auto address = os::files::ReadFile(kAddress);
  return address.ok() ? static_cast<uint16_t>(std::atoi(address->c_str() + address->rfind(':') + 1)) : 0;
}

Duration AmJob::NoticesWithin() const {
  Duration most{};
  for (const char* key :
       {"yarn.am.liveness-monitor.expiry-interval-ms", "yarn.nm.liveness-monitor.expiry-interval-ms"}) {
    const auto expiry = parts_->configuration.Time(key, std::chrono::minutes(10));
    most = std::max(most, expiry.ok() ? *expiry : Duration(std::chrono::minutes(10)));
  }
  return most;
}

bool AmJob::CanGoOn() const {
  const auto journal = os::files::ReadFile(kJournal);
  return AnnouncedPort() > 0 && journal.ok() && !HasEndEntry(*journal);
}

std::string AmJob::proxy_url() const {
  const auto servers = hadoop::conf::ResourceManagers(parts_->configuration, hadoop::conf::RmService::kWeb);
  const std::string proxy = parts_->configuration.Text("yarn.web-proxy.address");
  if (parts_->container.proxy_base.empty() || !servers.ok() || servers->empty()) return "";
  const std::string policy = parts_->configuration.Text("yarn.http.policy", "HTTP_ONLY");
  const std::string host = proxy.empty() ? servers->front().address.Text() : proxy;
  return (policy == "HTTPS_ONLY" ? "https://" : "http://") + host + parts_->container.proxy_base + "/";
}

std::vector<std::string> AmJob::ProxyHosts() const {
  std::vector<HostPort> hosts;
  if (const auto proxy = ParseHostPort(parts_->configuration.Text("yarn.web-proxy.address")); proxy.ok()) {
    hosts.push_back(*proxy);
  } else if (const auto servers = hadoop::conf::ResourceManagers(parts_->configuration, hadoop::conf::RmService::kWeb);
             servers.ok()) {
    for (const hadoop::conf::Server& server : *servers) hosts.push_back(server.address);
  }
  std::vector<std::string> ips;
  for (const HostPort& host : hosts) {
    const auto found = os::net::Resolve(host, kResolveLimit);
    if (!found.ok()) continue;
    for (const os::net::SocketAddress& address : *found) ips.push_back(address.ip());
  }
  return ips;
}

Result<std::unique_ptr<backend::Backend>> AmJob::MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                             const std::string& address, uint16_t tracking_port) {
  std::optional<ResourceManagerCheckpoint::Past> past;
  HOWDAH_TRY(auto kept, ResourceManagerCheckpoint::Open(kAnswers, past));
  const hadoop::rpc::Token* given = parts_->credentials.Find(kTokenKind);
  hadoop::rpc::Token token = given != nullptr ? *given : hadoop::rpc::Token();
  if (past && past->am_rm_token) token = hadoop::yarn::FromProto(*past->am_rm_token);
  HOWDAH_TRY(auto calls, hadoop::yarn::AsioCalls(loop, parts_->configuration, token));
  parts_->copy = std::make_unique<JournalCopy>(parts_->OpenCluster(), id(), journal(), event_log());
  if (!spec().tony_history.empty()) {
    parts_->history_begins = std::jthread([parts = parts_.get(), path = journal()] {
      const auto journal = os::files::ReadFile(path);
      const Status begun = journal.ok() ? BeginTonyHistory(parts->OpenCluster(), parts->spec, *journal, parts->Place())
                                        : Status(journal.error());
      if (!begun.ok()) std::cerr << begun.error().message << "\n";  // and the end is told in the job's advice
    });
  }
  const std::string host = address.substr(0, address.rfind(':'));
  YarnBackend::Options options{
      .start = parts_->start,
      .spec = parts_->spec,
      .configuration = parts_->configuration,
      .credentials = parts_->credentials,
      .am_address = address,
      .tracking_url = tracking_port > 0 ? "http://" + host + ":" + std::to_string(tracking_port) : "",
      .am_rm_token = token,
      .write_history = [this](const std::string& journal) { return WriteHistory(journal); },
      .on_finish = [this](const core::JobChanged& end, const std::string& journal,
                          const hadoop::rpc::Token& token) { RecordEnd(end, journal, &token); }};
  return std::unique_ptr<backend::Backend>(std::make_unique<YarnBackend>(
      loop, sink, std::move(options), std::move(calls), std::move(kept), std::move(past)));
}

Status AmJob::WriteHistory(const std::string& journal) {
  if (parts_->history_begins.joinable()) parts_->history_begins.join();
  return FinishTonyHistory(parts_->OpenCluster(), spec(), journal, parts_->Place());
}

void AmJob::RecordEnd(const core::JobChanged& end, const std::string& journal, const hadoop::rpc::Token* am_rm_token) {
  parts_->copy.reset();
  HadoopClient cluster = parts_->OpenCluster();
  // The job's outcome does not depend on either: what cannot be done is said on stderr, in the container's log.
  if (const Status stored = StoreHistory(cluster, id(), journal); !stored.ok()) {
    std::cerr << "storing the history: " << stored.error().message << "\n";
  }
  if (am_rm_token == nullptr) {
    std::cerr << "the container's credentials have no token for the ResourceManager\n";
    return;
  }
  const Status finished = FinishApplication(parts_->configuration, *am_rm_token, end, kFinishLimit);
  if (!finished.ok()) std::cerr << finished.error().message << "\n";
}

void AmJob::RecordAmDeath(const std::string& how) {
  HadoopClient cluster = parts_->OpenCluster();
  const auto rm = cluster.Rm();
  const auto report = rm.ok() ? (*rm)->Report(*hadoop::yarn::ParseApplicationId(id().text)) : rm.error();
  if (report.ok() && HasEnded(*report)) {
    const auto recorded = ReadEndedJournal(cluster, id(), *report);
    if (!recorded.ok()) std::cerr << recorded.error().message << "\n";
    return;
  }
  if (parts_->OthersFollow(cluster)) return;
  const auto text = os::files::ReadFile(journal());
  const std::string before = text.ok() ? *text : parts_->start.submitted;
  const journal::JobView view = FoldJournal(before, Tasks::kIncluded);
  const Instant now = os::process::Clock().Now();
  core::JobChanged end;
  end.state = core::JobState::kFailed;
  end.exit_code = 1;
  end.reason = "the application master (attempt " + std::to_string(attempt()) + ") " + how + " on " + node() +
               (view.submitted ? ", " + FormatDuration(now - *view.submitted) + " after the job was submitted" : "") +
               "; it was the last of " + std::to_string(attempt() + 1) + " attempts";
  end.advice = "submit the job again; with am: {attempts: N} YARN starts the application master up to N times an hour";
  constexpr char kStopped[] = "the application master died";
  std::string lines = journal::EndLines(view, end, kStopped, now);
  if (const Status written = WriteHistory(before + lines); !written.ok()) {
    *end.advice += "; " + written.error().message;
    lines = journal::EndLines(view, end, kStopped, now);
  }
  RecordEnd(end, before + lines, parts_->credentials.Find(kTokenKind));
}

Status PlaceTaskFiles(const hadoop::conf::Environment& surroundings) {
  const auto credentials = OwnCredentials(surroundings);
  return credentials.ok() ? ExtractEmbeddedFiles(*credentials) : Status(credentials.error());
}

Result<rpc::Identity> ExecutorIdentity(const hadoop::conf::Surroundings& surroundings) {
  HOWDAH_TRY(const auto credentials, OwnCredentials(surroundings));
  return FindIdentity(credentials, "executor");
}

}  // namespace howdah::backend::yarn::am
