#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "am_client.h"
#include "home_check.h"
#include "howdah/backend/local/agent.h"
#include "howdah/base/host_port.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "job_host.h"
#include "journal_reader.h"
#include "lease_registry.h"
#include "local_backend.h"
#include "orphaned_job.h"
#include "tony_history.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kPemLimit = 64 << 10;

Result<Instant> SubmittedAt(const JobFiles& files) {
  HOWDAH_TRY(const auto text, os::files::ReadFile(files.journal()));
  const auto first = journal::DecodeEntry(std::string_view(text).substr(0, text.find('\n')));
  if (!first) return Failed("reading the journal " + files.journal() + ": invalid first line");
  return first->time;
}

JobId IdOf(const std::string& job_dir) { return JobId{job_dir.substr(job_dir.rfind('/') + 1)}; }

}  // namespace

AgentJob::AgentJob(AmStart start, jobspec::JobSpec spec, std::unique_ptr<LeaseRegistry> leases)
    : start_(std::move(start)),
      id_(IdOf(start_.job_dir)),
      files_(start_.job_dir),
      spec_(std::move(spec)),
      leases_(std::move(leases)) {}

AgentJob::~AgentJob() = default;

Result<std::unique_ptr<AgentJob>> AgentJob::Open(AmStart start) {
  const JobFiles files(start.job_dir);
  HOWDAH_TRY_STATUS(CheckJobDirectory(start.job_dir));
  HOWDAH_TRY_STATUS(WriteJobHost(files, {getpid()}));
  HOWDAH_TRY(const auto text, os::files::ReadFile(files.spec()));
  HOWDAH_TRY(auto spec, jobspec::ReadEffective(text));
  HOWDAH_TRY(const auto submitted, SubmittedAt(files));
  HOWDAH_TRY(auto leases, LeaseRegistry::Open(start.lease_dir, {.job = IdOf(start.job_dir).text,
                                                                .name = spec.name,
                                                                .submitted = submitted,
                                                                .priority = spec.priority.value_or(0),
                                                                .run = spec.timeouts.run}));
  return std::unique_ptr<AgentJob>(
      new AgentJob(std::move(start), std::move(spec), std::make_unique<LeaseRegistry>(std::move(leases))));
}

Result<rpc::Identity> ReadIdentity(const std::string& tls_dir, const std::string& party) {
  rpc::Identity identity;
  const std::pair<std::string, std::string*> parts[] = {{"ca.pem", &identity.ca_certificate},
                                                        {party + ".pem", &identity.certificate},
                                                        {party + ".key", &identity.private_key}};
  for (const auto& [name, text] : parts) {
    HOWDAH_TRY(auto content, os::files::ReadFile(tls_dir + "/" + name, kPemLimit));
    *text = std::move(content);
  }
  return identity;
}

Status CheckJobFile(const std::string& job_file) {
  const size_t slash = job_file.rfind('/');
  if (slash == std::string::npos) return Failed("the job file " + job_file + " is not in a job's directory");
  return CheckJobDirectory(job_file.substr(0, slash));
}

Result<rpc::Identity> AgentJob::AmIdentity() const { return ReadIdentity(files_.tls(), "am"); }

std::vector<std::string> AgentJob::ToolEnvironment() const {
  std::vector<std::string> environment;
  for (char** variable = environ; *variable; ++variable) {
    std::string text = *variable;
    if (!spec_.python_archive.empty() && text.starts_with("PATH=")) text.insert(5, files_.python() + "/bin:");
    environment.push_back(std::move(text));
  }
  return environment;
}

Status AgentJob::PublishAddress(const std::string& address) const {
  const std::string text = nlohmann::json{{"address", address}, {"pid", getpid()}}.dump();
  const auto publish = [&]() -> Status {
    // The parent is the guardian. Both keep the job alive.
    HOWDAH_TRY_STATUS(WriteJobHost(files_, {getppid(), getpid()}));
    return os::files::WriteFileAtomically(files_.am_address(), text, 0600);
  };
  const Status published = publish();
  if (published.ok() || published.error().code != ErrorCode::kNoSpace) return published;
  FreeReserve();
  return publish();
}

uint16_t AgentJob::PublishedPort() const {
  const auto text = AmAddress(files_);
  const auto address = ParseHostPort(text.ok() ? *text : "");
  return address.ok() ? address->port : 0;
}

bool AgentJob::CanRestart() const {
  return access(files_.event_log().c_str(), R_OK) == 0 && access(files_.am_address().c_str(), R_OK) == 0 &&
         !HasEndEntry(files_.journal());
}

std::unique_ptr<backend::Backend> AgentJob::MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                        AmEndpoint am, const os::process::Clock& clock) {
  // Only log an error here: the same error will occur again at the end of the job, and the job's advice will report it.
  const auto journal = os::files::ReadFile(files_.journal());
  const Status begun = journal.ok() ? BeginTonyHistory(spec_, *journal, clock.Now()) : Status(journal.error());
  if (!begun.ok()) std::cerr << begun.error().message << "\n";
  const char* path = std::getenv("PATH");
  return std::make_unique<LocalBackend>(loop, sink, *this, start_, path ? path : "", *leases_, std::move(am), clock);
}

Status AgentJob::WriteHistory(const std::string& journal) const { return FinishTonyHistory(spec_, journal); }

void AgentJob::CleanUp() {
  if (const Status removed = RemoveLeftovers(files_); !removed.ok()) std::cerr << removed.error().message << "\n";
  if (const Status closed = leases_->Close(); !closed.ok()) std::cerr << closed.error().message << "\n";
}

void AgentJob::RemoveRestartFiles() {
  if (const Status removed = backend::local::RemoveRestartFiles(files_); !removed.ok()) {
    std::cerr << removed.error().message << "\n";
  }
}

void AgentJob::FreeReserve() const { unlink(files_.reserve().c_str()); }

Status AgentJob::RecordAmDeath(const std::string& how, const std::string& error, bool stopped, Instant at) const {
  return backend::local::RecordAmDeath(files_, how, error, stopped, at);
}

}  // namespace howdah::backend::local
