#include <unistd.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "abandoned.h"
#include "backend.h"
#include "howdah/backend/local/agent.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "journal_reader.h"
#include "ledger.h"
#include "outside_history.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kPemLimit = 64 << 10;

Result<Instant> SubmittedAt(const JobFiles& files) {
  HOWDAH_TRY(const auto text, os::files::ReadFile(files.journal()));
  const auto first = journal::DecodeEntry(std::string_view(text).substr(0, text.find('\n')));
  if (!first) return Failed("reading the journal " + files.journal() + ": its first line is no entry");
  return first->time;
}

JobId IdOf(const std::string& job_dir) { return JobId{job_dir.substr(job_dir.rfind('/') + 1)}; }

}  // namespace

AgentJob::AgentJob(AmStart start, jobspec::JobSpec spec, std::unique_ptr<Ledger> ledger)
    : start_(std::move(start)),
      id_(IdOf(start_.job_dir)),
      files_(start_.job_dir),
      spec_(std::move(spec)),
      ledger_(std::move(ledger)) {}

AgentJob::~AgentJob() = default;

Result<std::unique_ptr<AgentJob>> AgentJob::Open(AmStart start) {
  const JobFiles files(start.job_dir);
  HOWDAH_TRY(const auto text, os::files::ReadFile(files.spec()));
  HOWDAH_TRY(auto spec, jobspec::ReadEffective(text));
  HOWDAH_TRY(const auto submitted, SubmittedAt(files));
  HOWDAH_TRY(auto ledger, Ledger::Open(start.lease_dir, IdOf(start.job_dir), submitted));
  return std::unique_ptr<AgentJob>(
      new AgentJob(std::move(start), std::move(spec), std::make_unique<Ledger>(std::move(ledger))));
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

Status AgentJob::Announce(const std::string& address) const {
  const std::string text = nlohmann::json{{"address", address}, {"pid", getpid()}}.dump();
  return os::files::WriteFileAtomically(files_.am_address(), text, 0600);
}

uint16_t AgentJob::AnnouncedPort() const {
  const auto text = os::files::ReadFile(files_.am_address());
  if (!text.ok()) return 0;
  const auto said = nlohmann::json::parse(*text, nullptr, /*allow_exceptions=*/false);
  const std::string address = said.is_object() ? said.value("address", "") : "";
  return static_cast<uint16_t>(std::atoi(address.c_str() + address.rfind(':') + 1));
}

bool AgentJob::CanGoOn() const {
  return access(files_.event_log().c_str(), R_OK) == 0 && access(files_.am_address().c_str(), R_OK) == 0 &&
         !EndsFinally(files_.journal());
}

std::unique_ptr<backend::Backend> AgentJob::MakeBackend(boost::asio::io_context& loop, backend::Sink& sink,
                                                        const std::string& address) {
  // What readers elsewhere see of a job that runs. If it cannot be written, the end's cannot either, and is told.
  const auto journal = os::files::ReadFile(files_.journal());
  const Status begun = journal.ok() ? BeginHistory(spec_, *journal) : Status(journal.error());
  if (!begun.ok()) std::cerr << begun.error().message << "\n";
  const char* path = std::getenv("PATH");
  return std::make_unique<LocalBackend>(loop, sink, *this, start_, path ? path : "", *ledger_, address);
}

void AgentJob::CleanUp() {
  if (const Status removed = RemoveLeftovers(files_); !removed.ok()) std::cerr << removed.error().message << "\n";
  if (const Status closed = ledger_->Close(); !closed.ok()) std::cerr << closed.error().message << "\n";
}

Status AgentJob::RecordAmDeath(const std::string& how) const { return backend::local::RecordAmDeath(files_, how); }

}  // namespace howdah::backend::local
