#include "howdah/backend/local/local_cluster.h"

#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "am_client.h"
#include "capacity.h"
#include "doctor.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/last_lines.h"
#include "howdah/os/files/open_regular.h"
#include "job_ids.h"
#include "journal_reader.h"
#include "local_files.h"
#include "local_follow.h"
#include "log_tree.h"
#include "orphaned_job.h"
#include "outputs.h"
#include "refusals.h"
#include "submit.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kBlock = size_t{256} << 10;

// Returns the status. Records the end first if the job is orphaned.
Result<journal::JobView> SettledView(const JobFiles& files, const JobId& id, Tasks tasks) {
  auto view = FoldJournal(files.journal(), tasks);
  if (!view.ok() || core::IsFinal(view->state)) return view;
  HOWDAH_TRY_STATUS(EndIfOrphaned(files, id));
  return FoldJournal(files.journal(), tasks);
}

}  // namespace

LocalCluster::LocalCluster(LocalOptions options) : options_(std::move(options)), layout_(options_.home) {}

std::vector<std::string> LocalCluster::Refusals(const jobspec::JobSpec& spec) {
  std::string path;
  for (const auto& [name, value] : options_.environment) {
    if (name == "PATH") path = value;
  }
  return RefusalsOf(spec, MachineCapacity(path, RequestsGpus(spec)));
}

std::vector<std::string> LocalCluster::Ignored(const jobspec::JobSpec& spec) { return IgnoredOf(spec); }

Result<JobId> LocalCluster::Submit(const jobspec::JobSpec& spec, const backend::SubmitOptions& options) {
  return SubmitLocally(options_, spec, options);
}

Result<JobId> LocalCluster::Resolve(const std::string& name) { return ResolveId(layout_, name); }

Result<journal::JobView> LocalCluster::Status(const JobId& id) {
  const JobFiles files = FilesOf(id);
  auto view = SettledView(files, id, Tasks::kIncluded);
  if (!view.ok() || core::IsFinal(view->state)) return view;
  const auto of_am = CallStatus(files);
  if (!of_am.ok()) return view;  // job just ended or AM busy; the journal lacks only the usage
  std::map<std::pair<std::string, int>, journal::TaskView> seen;
  for (const journal::TaskView& task : of_am->tasks) seen[{task.role, task.index}] = task;
  view = FoldJournal(files.journal(), Tasks::kIncluded);  // read it again, so that it is not older than the AM's answer
  if (!view.ok()) return view;
  for (journal::TaskView& task : view->tasks) {
    const journal::TaskView& of_now = seen[{task.role, task.index}];
    task.usage = of_now.usage;
    if (of_now.progress && of_now.attempt == task.attempt) task.progress = of_now.progress;
  }
  return view;
}

Result<std::vector<journal::JobView>> LocalCluster::List(bool ended_too) {
  HOWDAH_TRY(const auto ids, JobsNewestFirst(layout_));
  std::vector<journal::JobView> views;
  for (const JobId& id : ids) {
    const JobFiles files = FilesOf(id);
    if (!ended_too && HasEndEntry(files.journal())) continue;
    auto view = SettledView(files, id, Tasks::kSkipped);
    // An unreadable job must not hide the other jobs.
    if (!view.ok()) continue;
    if (ended_too || !core::IsFinal(view->state)) views.push_back(std::move(*view));
  }
  return views;
}

Result<std::unique_ptr<backend::Follow>> LocalCluster::FollowJob(const JobId& id,
                                                                 std::optional<backend::LogSelection> logs) {
  const JobFiles files = FilesOf(id);
  auto follow = LocalFollow::Start(files, std::move(logs), [files, id] {
    // Ignore the error: the next command repeats the attempt.
    if (const howdah::Status ended = EndOrphanedJob(files, id); !ended.ok()) return;
  });
  if (!follow.ok()) return follow.error();
  return std::unique_ptr<backend::Follow>(std::move(*follow));
}

Result<std::vector<backend::LogSource>> LocalCluster::LogSources(const JobId& id) {
  const JobFiles files = FilesOf(id);
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
  const std::string path = LogPath(FilesOf(id).logs(), source);
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

Result<LocalCluster::FetchedOutputs> LocalCluster::FetchOutputs(const JobId& id, const std::string& directory) {
  return CopyOutputs(FilesOf(id), directory);
}

std::vector<std::string> LocalCluster::LeftFiles(const JobId& id) {
  std::vector<std::string> lines;
  const auto text = os::files::ReadFile(FilesOf(id).left_files());
  std::istringstream left(text.ok() ? *text : "");
  for (std::string line; std::getline(left, line);) lines.push_back(line);
  return lines;
}

Result<std::string> LocalCluster::JobFile(const JobId& id) { return os::files::ReadFile(FilesOf(id).spec()); }

Result<std::unique_ptr<storage::Files>> LocalCluster::OpenFiles(const std::string& uri) { return OpenLocalFiles(uri); }

std::string LocalCluster::LogsLocation(const JobId& id) { return FilesOf(id).logs(); }

howdah::Status LocalCluster::Stop(const JobId& id, const std::string& by, std::optional<Duration> grace) {
  const JobFiles files = FilesOf(id);
  HOWDAH_TRY(const auto view, SettledView(files, id, Tasks::kSkipped));
  if (core::IsFinal(view.state)) return {};
  const howdah::Status asked = CallStop(files, by, grace);
  if (asked.ok()) return {};
  // The job may have ended during the call, or its AM may have died.
  const auto now = SettledView(files, id, Tasks::kSkipped);
  if (now.ok() && core::IsFinal(now->state)) return {};
  return asked.error().While("stopping " + id.text);
}

howdah::Status LocalCluster::AwaitGone(const JobId& id) {
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(FilesOf(id).am_lock()));
  return {};
}

howdah::Status LocalCluster::Scale(const JobId& id, const std::string& role, int instances, const std::string& by) {
  const JobFiles files = FilesOf(id);
  HOWDAH_TRY(const auto view, SettledView(files, id, Tasks::kSkipped));
  if (core::IsFinal(view.state)) {
    return Error{ErrorCode::kUnavailable, "scaling " + role + " of " + id.text + ": the job has ended (" +
                                              std::string(core::ToText(view.state)) + ")"};
  }
  const howdah::Status asked = CallScale(files, role, instances, by);
  if (!asked.ok())
    return asked.error().While("scaling " + role + " of " + id.text + " to " + std::to_string(instances));
  return {};
}

Result<rpc::AmContact> LocalCluster::Contact(const JobId& id) {
  const JobFiles files = FilesOf(id);
  HOWDAH_TRY(const auto view, SettledView(files, id, Tasks::kSkipped));
  if (core::IsFinal(view.state)) {
    return Error{ErrorCode::kUnavailable, id.text + " has ended: " + std::string(core::ToText(view.state))};
  }
  return FindAm(files);
}

std::vector<backend::Cluster::Finding> LocalCluster::CheckSetup() { return local::CheckSetup(options_); }

}  // namespace howdah::backend::local
