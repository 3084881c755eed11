#include "howdah/backend/local/local_cluster.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <thread>

#include "am_client.h"
#include "capacity.h"
#include "howdah/backend/job_metrics.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/last_lines.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/machine.h"
#include "job_host.h"
#include "job_ids.h"
#include "job_processes.h"
#include "journal_reader.h"
#include "local_files.h"
#include "local_follow.h"
#include "local_site.h"
#include "local_watch.h"
#include "log_tree.h"
#include "orphaned_job.h"
#include "outputs.h"
#include "ranged_file.h"
#include "refusals.h"
#include "staging.h"
#include "submit.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kBlock = size_t{256} << 10;
constexpr std::chrono::seconds kAmStartLimit{20};  // the same limit as for a submission
constexpr std::chrono::milliseconds kPollInterval{10};

JobFiles FilesOf(const Layout& layout, const JobId& id) { return JobFiles(layout.job(id)); }

// The submitter's PATH.
std::string SearchPath(const LocalOptions& options) {
  std::string path;
  for (const auto& [name, value] : options.environment) {
    if (name == "PATH") path = value;
  }
  return path;
}

struct Settled {
  journal::JobView view;
  std::string other_host;  // the host that runs the job, if it is not this one
};

// The job as its journal describes it. Its id is the name of its directory, because the journal may be damaged.
Result<journal::JobView> ViewOf(const JobFiles& files, const JobId& id, Tasks tasks) {
  HOWDAH_TRY(auto view, FoldJournal(files.journal(), tasks));
  view.id = id.text;
  return view;
}

// Returns the status. If the job is orphaned, records its end first.
Result<Settled> Settle(const JobFiles& files, const JobId& id, Tasks tasks) {
  HOWDAH_TRY(auto view, ViewOf(files, id, tasks));
  if (core::IsFinal(view.state)) return Settled{std::move(view), ""};
  HOWDAH_TRY(const Whereabouts where, FindWhereabouts(files));
  if (where.life != Life::kElsewhere) {
    HOWDAH_TRY_STATUS(EndIfOrphaned(files, id));
    HOWDAH_TRY(view, ViewOf(files, id, tasks));
    return Settled{std::move(view), ""};
  }
  const std::string before = view.reason.empty() ? "" : "; " + view.reason;
  view.reason = "runs on " + where.host + before;
  view.advice = "only the journal of the job is visible from here; run this command on " + where.host +
                " to see whether the job is still running";
  return Settled{std::move(view), where.host};
}

// Returns the status, or an error if the job runs on another host, because its AM cannot be reached from here.
Result<journal::JobView> ViewHere(const JobFiles& files, const JobId& id, const std::string& doing) {
  HOWDAH_TRY(auto settled, Settle(files, id, Tasks::kSkipped));
  if (settled.other_host.empty()) return std::move(settled.view);
  return Error{ErrorCode::kUnavailable,
               doing + " " + id.text + ": it runs on " + settled.other_host + "; use howdah there"};
}

// Waits until the AM of a job that is being submitted listens, or has listened. Returns the status.
Result<journal::JobView> AwaitAm(const JobFiles& files, const JobId& id) {
  const os::process::Clock clock;
  const Instant deadline = clock.Now() + kAmStartLimit;
  for (;;) {
    auto view = ViewHere(files, id, "stopping");
    if (!view.ok() || core::IsFinal(view->state) || access(files.am_address().c_str(), F_OK) == 0) return view;
    // A process holds am.lock, because ViewHere would have ended the job otherwise.
    if (clock.Now() >= deadline) return view;
    std::this_thread::sleep_for(kPollInterval);
  }
}

Result<backend::MetricsFile> OpenMetrics(const std::string& path) {
  HOWDAH_TRY(auto opened, RangedFile::Open(path));
  HOWDAH_TRY(const struct stat found, opened.Stat());
  const auto file = std::make_shared<RangedFile>(std::move(opened));
  const auto read = [file](int64_t offset, int64_t size) { return file->Read(offset, size); };
  return backend::MetricsFile{read, ToInstant(found.st_mtim)};
}

}  // namespace

LocalCluster::LocalCluster(LocalOptions options)
    : options_(std::move(options)),
      layout_(options_.home),
      site_(std::make_unique<LocalSite>(options_, layout_, SearchPath(options_))) {}

backend::Cluster::JobCheck LocalCluster::Check(const jobspec::JobSpec& spec) {
  std::vector<std::string> refusals = RefusalsOf(spec, MachineCapacity(SearchPath(options_), RequestsGpus(spec)));
  for (std::string& why : UncreatableDirectories(spec)) refusals.push_back(std::move(why));
  rlimit open_files{};
  if (getrlimit(RLIMIT_NOFILE, &open_files) == 0) {
    if (std::string why = RefusalOfOpenFiles(open_files.rlim_max); !why.empty()) refusals.push_back(std::move(why));
  }
  return {std::move(refusals), IgnoredOf(spec)};
}

Result<JobId> LocalCluster::Submit(const jobspec::JobSpec& spec, const backend::SubmitOptions& options) {
  return SubmitLocally(options_, spec, options);
}

Result<JobId> LocalCluster::Resolve(const std::string& name) { return ResolveId(layout_, name); }

Result<journal::JobView> LocalCluster::Status(const JobId& id) {
  const JobFiles files = FilesOf(layout_, id);
  HOWDAH_TRY(auto settled, Settle(files, id, Tasks::kIncluded));
  if (core::IsFinal(settled.view.state) || !settled.other_host.empty()) return std::move(settled.view);
  const auto of_am = CallStatus(files);
  if (!of_am.ok())
    return std::move(settled.view);  // the job has just ended, or the AM is busy; the journal lacks only the usage
  std::map<std::pair<std::string, int>, journal::TaskView> seen;
  for (const journal::TaskView& task : of_am->tasks) seen[{task.role, task.index}] = task;
  // Read the journal again, so that it is not older than the AM's answer.
  auto view = ViewOf(files, id, Tasks::kIncluded);
  if (!view.ok()) return view;
  for (journal::TaskView& task : view->tasks) {
    const journal::TaskView& of_now = seen[{task.role, task.index}];
    task.usage = of_now.usage;
    if (of_now.progress && of_now.attempt == task.attempt) task.progress = of_now.progress;
  }
  view->feeds = of_am->feeds;
  return view;
}

Result<std::vector<journal::JobView>> LocalCluster::List(bool ended_too, const backend::EndedJobs& known) {
  HOWDAH_TRY(const auto ids, JobsNewestFirst(layout_));
  std::vector<journal::JobView> views;
  for (const JobId& id : ids) {
    if (auto view = known && ended_too ? known(id) : std::nullopt) {
      views.push_back(std::move(*view));
      continue;
    }
    const JobFiles files = FilesOf(layout_, id);
    if (!ended_too && HasEndEntry(files.journal())) continue;
    auto settled = Settle(files, id, Tasks::kSkipped);
    if (settled.ok()) {
      if (ended_too || !core::IsFinal(settled->view.state)) views.push_back(std::move(settled->view));
      continue;
    }
    // If Settle fails, show the job as its journal describes it. An unreadable job must not hide the other jobs.
    auto view = ViewOf(files, id, Tasks::kSkipped);
    if (!view.ok()) continue;
    view->reason = settled.error().message;
    views.push_back(std::move(*view));
  }
  return views;
}

Result<std::vector<JobId>> LocalCluster::Jobs(std::optional<Instant> since) {
  HOWDAH_TRY(auto ids, JobsNewestFirst(layout_));
  if (!since) return ids;
  std::erase_if(ids, [&](const JobId& id) {
    const std::string journal = FilesOf(layout_, id).journal();
    struct stat file = {};
    // Keep a job without an end in the result: the end of a dead job is recorded only later.
    return stat(journal.c_str(), &file) == 0 && ToInstant(file.st_mtim) < *since && HasEndEntry(journal);
  });
  return ids;
}

howdah::Status LocalCluster::ReadJournal(const JobId& id,
                                         const std::function<void(const core::JournalEntry&)>& on_entry) {
  const JobFiles files = FilesOf(layout_, id);
  if (!HasEndEntry(files.journal())) {
    // Record the end of an orphaned job first, as Status does. If that fails, show the journal without the end.
    static_cast<void>(Settle(files, id, Tasks::kSkipped));
  }
  JournalReader reader(files.journal());
  for (bool more = true; more;) {
    HOWDAH_TRY(more, reader.ReadLines([&](std::string_view line) {
      if (const auto entry = journal::DecodeEntry(line)) on_entry(*entry);
    }));
  }
  return {};
}

Result<std::unique_ptr<backend::Follow>> LocalCluster::FollowJob(const JobId& id,
                                                                 std::optional<backend::LogSelection> logs) {
  const JobFiles files = FilesOf(layout_, id);
  // Refuse a job of another host, because inotify does not report changes that another host makes.
  HOWDAH_TRY([[maybe_unused]] const auto view, ViewHere(files, id, "following"));
  HOWDAH_TRY(auto follow, LocalFollow::Start(files, std::move(logs), [files, id] {
               // Ignore the error: the next command repeats the attempt.
               if (const howdah::Status ended = EndOrphanedJob(files, id); !ended.ok()) return;
             }));
  return std::unique_ptr<backend::Follow>(std::move(follow));
}

Result<std::vector<backend::LogSource>> LocalCluster::LogSources(const JobId& id) {
  const JobFiles files = FilesOf(layout_, id);
  HOWDAH_TRY(const auto view, FoldJournal(files.journal(), Tasks::kSkipped));
  std::map<std::string, size_t> order;
  for (const journal::TaskView& task : view.tasks) order.try_emplace(task.role, order.size());
  std::vector<backend::LogSource> sources;
  ForEachLog(files.logs(), [&](const backend::LogSource& source) { sources.push_back(source); });
  std::sort(sources.begin(), sources.end(), [&](const backend::LogSource& a, const backend::LogSource& b) {
    const size_t order_a = order.contains(a.role) ? order[a.role] : order.size();
    const size_t order_b = order.contains(b.role) ? order[b.role] : order.size();
    return order_a != order_b ? order_a < order_b : a < b;
  });
  return sources;
}

howdah::Status LocalCluster::ReadLog(const JobId& id, const backend::LogSource& source,
                                     std::optional<int64_t> last_lines,
                                     const std::function<void(std::string_view)>& on_bytes) {
  const std::string path = LogPath(FilesOf(layout_, id).logs(), source);
  HOWDAH_TRY(const auto file, os::files::OpenRegular(path));
  int64_t offset = 0;
  if (last_lines) {
    HOWDAH_TRY(const auto found, os::files::OffsetOfLastLines(file.get(), *last_lines));
    offset = found;
  }
  std::string block(kBlock, '\0');
  for (;;) {
    const ssize_t size = pread(file.get(), block.data(), block.size(), offset);
    if (size < 0) return os::files::SystemError("reading " + path);
    if (size == 0) return {};
    offset += size;
    on_bytes(std::string_view(block.data(), static_cast<size_t>(size)));
  }
}

Result<std::unique_ptr<backend::LogFile>> LocalCluster::OpenLog(const JobId& id, const backend::LogSource& source) {
  HOWDAH_TRY(auto file, RangedFile::Open(LogPath(FilesOf(layout_, id).logs(), source)));
  return std::unique_ptr<backend::LogFile>(std::make_unique<RangedFile>(std::move(file)));
}

Result<std::unique_ptr<backend::JobWatch>> LocalCluster::Watch() { return LocalWatch::Start(layout_); }

Result<LocalCluster::FetchedOutputs> LocalCluster::FetchOutputs(const JobId& id, const std::string& directory) {
  return CopyOutputs(FilesOf(layout_, id), directory);
}

Result<std::string> LocalCluster::ReadResult(const JobId& id, const std::string& role, int index, int local_rank) {
  return local::ReadResult(FilesOf(layout_, id), JobFiles::TaskName(role, index) + "/" + std::to_string(local_rank));
}

Result<backend::JobMetrics> LocalCluster::Metrics(const JobId& id, const metrics::Query& query) {
  const JobFiles files = FilesOf(layout_, id);
  HOWDAH_TRY(const auto settled, Settle(files, id, Tasks::kSkipped));
  const auto open = [&] { return OpenMetrics(files.metrics()); };
  if (core::IsFinal(settled.view.state)) return backend::ReadStoredMetrics(id, open, query);
  if (settled.other_host.empty()) return backend::ReadRunningMetrics(id, FindAm(files), open, query);
  const Error elsewhere = {ErrorCode::kUnavailable, "it runs on " + settled.other_host};
  return backend::ReadRunningMetrics(id, elsewhere, open, query);
}

Result<std::string> LocalCluster::JobFile(const JobId& id) { return os::files::ReadFile(FilesOf(layout_, id).spec()); }

Result<std::unique_ptr<storage::Files>> LocalCluster::OpenFiles(const std::string& uri) { return OpenLocalFiles(uri); }

std::string LocalCluster::LogsLocation(const JobId& id) { return FilesOf(layout_, id).logs(); }

Result<std::string> LocalCluster::Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) {
  const JobFiles files = FilesOf(layout_, id);
  HOWDAH_TRY(const auto view, AwaitAm(files, id));
  if (core::IsFinal(view.state)) return std::string();
  const howdah::Status asked = CallStop(files, by, grace);
  if (asked.ok()) return std::string();
  // The job may have ended during the call, or its AM may have died.
  HOWDAH_TRY(const auto now, Settle(files, id, Tasks::kSkipped));
  if (core::IsFinal(now.view.state)) return std::string();
  const Error error = asked.error().While("stopping " + id.text);
  if (error.code != ErrorCode::kUnavailable && error.code != ErrorCode::kTimeout) return error;
  const auto guardian = SignalAmGuardian(files, SIGTERM);
  if (!guardian) return error;
  return "the application master did not answer (" + asked.error().message + "), so its guardian (pid " +
         std::to_string(*guardian) + ") was sent SIGTERM and ends the job";
}

howdah::Status LocalCluster::AwaitGone(const JobId& id) {
  const auto lock = os::files::FileLock::WaitExisting(FilesOf(layout_, id).am_lock());
  return lock.ok() || lock.error().code == ErrorCode::kNotFound ? howdah::Status() : lock.error();
}

howdah::Status LocalCluster::Scale(const JobId& id, const std::string& role, int instances, const std::string& by) {
  const JobFiles files = FilesOf(layout_, id);
  HOWDAH_TRY(const auto view, ViewHere(files, id, "scaling"));
  if (core::IsFinal(view.state)) {
    return Error{ErrorCode::kUnavailable, "scaling " + role + " of " + id.text + ": the job has ended (" +
                                              std::string(core::ToText(view.state)) + ")"};
  }
  const howdah::Status asked = CallScale(files, role, instances, by);
  if (!asked.ok())
    return asked.error().While("scaling " + role + " of " + id.text + " to " + std::to_string(instances));
  return {};
}

Result<std::optional<backend::Cluster::RenewedTokens>> LocalCluster::RenewTokens(const JobId& id) {
  HOWDAH_TRY(const auto view, ViewHere(FilesOf(layout_, id), id, "renewing the tokens of"));
  if (core::IsFinal(view.state)) return std::optional<RenewedTokens>();
  return Error{ErrorCode::kUnavailable, id.text + " runs on this machine as you, and has no tokens"};
}

Result<rpc::AmContact> LocalCluster::Contact(const JobId& id) {
  const JobFiles files = FilesOf(layout_, id);
  HOWDAH_TRY(const auto view, ViewHere(files, id, "reaching"));
  if (core::IsFinal(view.state)) {
    return Error{ErrorCode::kUnavailable, id.text + " has ended: " + std::string(core::ToText(view.state))};
  }
  return FindAm(files);
}

}  // namespace howdah::backend::local
