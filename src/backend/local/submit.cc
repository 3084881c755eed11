#include "submit.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "home_check.h"
#include "howdah/backend/local/layout.h"
#include "howdah/core/submission.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/inspect.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/spawn.h"
#include "howdah/rpc/identity.h"
#include "job_host.h"
#include "staging.h"

namespace howdah::backend::local {
namespace {

// Returns an id such as "howdah-20261121-064512-x7k2".
std::string NewId(Instant now) {
  const std::string t = FormatInstant(now);  // 2026-11-21T06:45:12.301Z
  std::string id = "howdah-" + t.substr(0, 4) + t.substr(5, 2) + t.substr(8, 2) + "-" + t.substr(11, 2) +
                   t.substr(14, 2) + t.substr(17, 2) + "-";
  unsigned char random[4];
  if (getrandom(random, sizeof random, 0) != sizeof random)
    std::fill(random, random + 4, static_cast<unsigned char>(getpid()));
  for (const unsigned char byte : random) id += "abcdefghijklmnopqrstuvwxyz0123456789"[byte % 36];
  return id;
}

// Removes what submissions of this machine have left whose process ended before it wrote the journal. Ignores errors:
// the next submission repeats the attempt.
void RemoveInterruptedSubmissions(const Layout& layout) {
  const auto names = os::files::ListDirectory(layout.jobs());
  for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
    const JobFiles files(layout.job(JobId{name}));
    const auto has_journal = [&files] { return access(files.journal().c_str(), F_OK) == 0 || errno != ENOENT; };
    if (has_journal()) continue;
    const auto lock = os::files::FileLock::TryExisting(files.am_lock());
    if (!lock.ok() || !lock->has_value()) continue;
    const auto recorded = ReadJobHost(files);
    if (!recorded.ok() || !*recorded) continue;  // a submission that has just begun, or a job
    if (JudgeLife(*recorded, "", ThisHost(), os::process::StartTicks) != Life::kDead) continue;
    if (has_journal()) continue;  // a submission that has just ended
    static_cast<void>(os::files::RemoveTree(files.directory()).ok());
  }
}

Result<JobId> MakeJobDirectory(const Layout& layout, Instant now) {
  HOWDAH_TRY_STATUS(CheckHome(layout));
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(layout.jobs(), 0700));
  HOWDAH_TRY_STATUS(CheckHome(layout));  // check again, because HOWDAH_HOME exists now
  RemoveInterruptedSubmissions(layout);
  for (int attempt = 0; attempt < 100; ++attempt) {
    JobId id{NewId(now)};
    if (mkdir(layout.job(id).c_str(), 0700) == 0) {
      // The umask may have removed the owner's own rights.
      if (chmod(layout.job(id).c_str(), 0700) == 0) return id;
      return os::files::SystemError("setting the mode of " + layout.job(id));
    }
    if (errno != EEXIST) return os::files::SystemError("making " + layout.job(id));
  }
  return Failed("making a job directory in " + layout.jobs() + ": no unused name found");
}

Status WriteIdentity(const std::string& directory, const std::string& name, const rpc::Identity& identity) {
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(directory + "/" + name + ".pem", identity.certificate, 0600));
  return os::files::WriteFileAtomically(directory + "/" + name + ".key", identity.private_key, 0600);
}

Status WriteIdentities(const JobFiles& files, const JobId& id) {
  HOWDAH_TRY(const auto made, rpc::MakeJobIdentities(id.text));
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(files.tls(), 0700));
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(files.tls() + "/ca.pem", made.am.ca_certificate, 0600));
  HOWDAH_TRY_STATUS(WriteIdentity(files.tls(), "am", made.am));
  HOWDAH_TRY_STATUS(WriteIdentity(files.tls(), "executor", made.executor));
  return WriteIdentity(files.tls(), "client", made.client);
}

std::string EncodeEnvironment(const jobspec::EnvVars& environment) {
  nlohmann::json j = nlohmann::json::object();
  for (const auto& [name, value] : environment) j[name] = value;
  return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// Writes content instead of reserving space, because some file systems cannot reserve space.
Status Reserve(const std::string& path) {
  constexpr size_t kSize = size_t{64} << 10;
  return os::files::WriteFileAtomically(path, std::string(kSize, 'r'), 0600);
}

// Writes the files that the AM reads, except the journal.
Status Prepare(const JobFiles& files, const JobId& id, const jobspec::JobSpec& spec, const jobspec::EnvVars& inherited,
               const backend::SubmitOptions& submit) {
  for (const std::string& directory : {files.logs(), files.agents(), files.work()}) {
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(directory, 0700));
  }
  HOWDAH_TRY_STATUS(Stage(spec, files, submit.on_staged));
  HOWDAH_TRY_STATUS(WriteIdentities(files, id));
  HOWDAH_TRY_STATUS(Reserve(files.reserve()));
  HOWDAH_TRY_STATUS(os::files::WriteFileAtomically(files.environment(), EncodeEnvironment(inherited), 0600));
  return os::files::WriteFileAtomically(files.spec(), jobspec::WriteEffective(spec), 0600);
}

// Waits until the AM has written "ok" or an error to the pipe.
// Contents of the AM's log are part of the error, because the log is removed with the job's directory.
Status WaitUntilReady(int ready_fd, const JobFiles& files, std::chrono::milliseconds limit) {
  std::string answer;
  for (;;) {
    pollfd wanted{ready_fd, POLLIN, 0};
    const int ready = poll(&wanted, 1, static_cast<int>(limit.count()));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) {
      const std::string last = os::files::LastLine(files.am_log());
      return Error{ErrorCode::kUnavailable,
                   "the application master did not start within " + DurationToText(limit) +
                       (last.empty() ? "; is this machine overloaded?" : "; last line of its log: " + last)};
    }
    char buffer[512];
    const ssize_t size = read(ready_fd, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    answer.append(buffer, static_cast<size_t>(size));
  }
  if (answer == "ok") return {};
  if (answer.empty()) answer = os::files::LastLine(files.am_log());
  return Error{ErrorCode::kUnavailable, "the application master exited during start-up: " + answer};
}

Status StartAm(const LocalOptions& options, const Layout& layout, const JobFiles& files,
               const os::files::FileLock& lock, const jobspec::EnvVars& inherited) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return os::files::SystemError("making a pipe");
  const os::files::Fd read_end(ends[0]);
  os::files::Fd write_end(ends[1]);
  HOWDAH_TRY(auto log, os::files::OpenForAppend(files.am_log(), 0600));
  std::vector<std::string> environment;
  for (const auto& [name, value] : inherited) environment.push_back(name + "=" + value);
  std::vector<std::string> argv = {"howdah-agent", "am",
                                   "--job-dir",    files.directory(),
                                   "--lease-dir",  layout.leases(),
                                   "--ready-fd",   std::to_string(write_end.get())};
  auto child = os::process::SpawnOrError({.program = options.agent,
                                          .argv = std::move(argv),
                                          .environment = std::move(environment),
                                          .directory = files.directory(),
                                          .stdout_fd = log.get(),
                                          .stderr_fd = log.get(),
                                          .kept = {write_end.get(), lock.fd()},
                                          .new_session = true});
  if (!child.ok()) return child.error();
  write_end.Close();
  return WaitUntilReady(read_end.get(), files, options.am_start_limit);
}

}  // namespace

jobspec::EnvVars Inherited(const jobspec::EnvVars& environment, const std::vector<std::string>& env_from) {
  static constexpr std::string_view kAlways[] = {"PATH",        "HOME", "USER",   "LOGNAME",         "SHELL",
                                                 "LANG",        "TZ",   "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV",
                                                 "CONDA_PREFIX"};
  jobspec::EnvVars out;
  for (const auto& variable : environment) {
    const std::string& name = variable.first;
    if (name.starts_with("LC_") || std::find(std::begin(kAlways), std::end(kAlways), name) != std::end(kAlways) ||
        std::find(env_from.begin(), env_from.end(), name) != env_from.end()) {
      out.push_back(variable);
    }
  }
  return out;
}

Result<JobId> SubmitLocally(const LocalOptions& options, const jobspec::JobSpec& spec,
                            const backend::SubmitOptions& submit) {
  const Layout layout(options.home);
  const os::process::Clock clock;
  auto id = MakeJobDirectory(layout, clock.Now());
  if (!id.ok()) return id.error().While("submitting " + spec.name);
  const JobFiles files(layout.job(*id));
  const auto fail = [&](const Error& error) {
    if (const Status removed = os::files::RemoveTree(files.directory()); !removed.ok()) {
      return error.While("submitting " + spec.name + " (" + files.directory() + " could not be removed)");
    }
    return error.While("submitting " + spec.name);
  };
  // Lock am.lock and record this process before staging: they show that the submission is in progress. When the journal
  // has its first line, they show that the job is not orphaned.
  const auto lock = os::files::FileLock::Wait(files.am_lock());
  if (!lock.ok()) return fail(lock.error());
  if (const Status s = WriteJobHost(files, {getpid()}); !s.ok()) return fail(s.error());
  const jobspec::EnvVars inherited = Inherited(options.environment, spec.env_from);
  if (const Status prepared = Prepare(files, *id, spec, inherited, submit); !prepared.ok())
    return fail(prepared.error());
  if (submit.keep) {
    if (const Status s = os::files::WriteFileAtomically(files.keep_work(), "", 0600); !s.ok()) return fail(s.error());
  }
  if (submit.before_start) submit.before_start();
  // As on YARN, the job counts as submitted once its files are staged, so that copying them does not count as time in
  // the queue.
  const core::JournalEntry submitted{clock.Now(),
                                     core::SubmissionOf(spec, id->text, "local", submit.user, os::process::NodeName())};
  const std::string first = journal::EncodeEntry(submitted) + "\n";
  if (const Status s = os::files::WriteFileAtomically(files.journal(), first, 0600); !s.ok()) return fail(s.error());
  if (const Status s = StartAm(options, layout, files, *lock, inherited); !s.ok()) return fail(s.error());
  return *id;
}

}  // namespace howdah::backend::local
