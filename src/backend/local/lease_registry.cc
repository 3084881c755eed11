#include "lease_registry.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <tuple>

#include "howdah/base/bytes.h"
#include "howdah/base/crc.h"
#include "howdah/base/epoch.h"
#include "howdah/os/files/files.h"
#include "json_number.h"

namespace howdah::backend::local {
namespace {

using nlohmann::json;

constexpr int64_t kMib = int64_t{1} << 20;
constexpr std::string_view kSuffix = ".lease";
constexpr std::string_view kPrioritySuffix = ".priority";
constexpr const char* kMachine = "machine";  // the only node
constexpr Duration kDelayPerVcore = std::chrono::seconds(10);

std::string Encode(const JobLeases& job_leases) {
  json held = json::array(), requested = json::array();
  for (const Lease& l : job_leases.held) {
    held.push_back({{"container", l.container}, {"memory", l.memory_bytes}, {"vcores", l.vcores}, {"gpus", l.gpus}});
  }
  for (const ContainerRequest& w : job_leases.requested) {
    requested.push_back({{"container", w.container},
                         {"memory", w.memory_bytes},
                         {"vcores", w.vcores},
                         {"gpus", w.gpus},
                         {"optional", w.optional}});
  }
  json content = {{"job", job_leases.job},
                  {"name", job_leases.name},
                  {"submitted", job_leases.submitted.time_since_epoch().count()},
                  {"priority", job_leases.priority},
                  {"granted", job_leases.granted.time_since_epoch().count()},
                  {"held", std::move(held)},
                  {"wanted", std::move(requested)}};
  if (job_leases.run) content["run"] = job_leases.run->count();
  const std::string text = content.dump();
  return text + "\n" + std::to_string(CrcOf(Crc::kCrc32c, text)) + "\n";
}

// Whether the amounts are so small that sums of them cannot overflow.
bool IsPlausible(int64_t memory_bytes, int vcores, int gpus) {
  constexpr int64_t kMostMemory = int64_t{1} << 45;
  constexpr int kMostCount = 1'000'000;
  return memory_bytes >= 0 && memory_bytes <= kMostMemory && vcores >= 0 && vcores <= kMostCount && gpus >= 0 &&
         gpus <= kMostCount;
}

int ReadPriority(const json& j) {
  constexpr int64_t kMost = 1'000'000;  // as in a job file
  return static_cast<int>(std::clamp<int64_t>(WholeNumber(j), 0, kMost));
}

std::optional<Lease> ReadLease(const json& j) {
  Lease lease{j.at("container"), WholeNumber(j.at("memory")), static_cast<int>(WholeNumber(j.at("vcores"))), {}};
  for (const json& gpu : j.at("gpus")) lease.gpus.push_back(static_cast<int>(WholeNumber(gpu)));
  return IsPlausible(lease.memory_bytes, lease.vcores, 0) ? std::optional(std::move(lease)) : std::nullopt;
}

std::optional<ContainerRequest> ReadRequest(const json& j) {
  ContainerRequest request{j.at("container"), WholeNumber(j.at("memory")),
                           static_cast<int>(WholeNumber(j.at("vcores"))), static_cast<int>(WholeNumber(j.at("gpus"))),
                           j.value("optional", false)};
  const bool is_plausible = IsPlausible(request.memory_bytes, request.vcores, request.gpus);
  return is_plausible ? std::optional(std::move(request)) : std::nullopt;
}

// Jobs of earlier versions may still run; their files lack some of the keys.
JobLeases ReadOwner(const json& j) {
  JobLeases leases;
  leases.job = j.at("job");
  leases.name = j.value("name", "");
  leases.submitted = FromMicros(WholeNumber(j.at("submitted")));
  if (j.contains("priority")) leases.priority = ReadPriority(j.at("priority"));
  if (j.contains("granted")) leases.granted = FromMicros(WholeNumber(j.at("granted")));
  if (j.contains("run")) leases.run = DurationFromMicros(WholeNumber(j.at("run")));
  return leases;
}

std::optional<JobLeases> Decode(std::string_view text) {
  // Jobs of versions without checksums may still run; their files have no newline.
  if (const size_t end = text.find('\n'); end != std::string_view::npos) {
    const std::string_view content = text.substr(0, end);
    if (text.substr(end) != "\n" + std::to_string(CrcOf(Crc::kCrc32c, content)) + "\n") return std::nullopt;
    text = content;
  }
  try {
    const json j = json::parse(text);
    JobLeases out = ReadOwner(j);
    for (const json& l : j.at("held")) {
      auto lease = ReadLease(l);
      if (!lease) return std::nullopt;
      out.held.push_back(std::move(*lease));
    }
    for (const json& w : j.at("wanted")) {
      auto request = ReadRequest(w);
      if (!request) return std::nullopt;
      out.requested.push_back(std::move(*request));
    }
    return out;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

Error Damaged(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string job = path.substr(slash + 1, path.size() - slash - 1 - kSuffix.size());
  return Failed("reading the lease " + path + ": it is damaged, so the memory and GPUs that " + job +
                " holds are unknown; end that job");
}

std::string PriorityPath(const std::string& lease_path) {
  return lease_path.substr(0, lease_path.size() - kSuffix.size()) + std::string(kPrioritySuffix);
}

// The priority that `howdah queue priority` has set, if any. Anything else in the file has no effect.
std::optional<int> ChangedPriority(const std::string& lease_path) {
  const auto text = os::files::ReadFile(PriorityPath(lease_path));
  const json j = text.ok() ? json::parse(*text, nullptr, /*allow_exceptions=*/false) : json();
  return j.is_number_integer() ? std::optional(ReadPriority(j)) : std::nullopt;
}

// Removes the files of a job that has ended.
int RemoveFiles(const std::string& lease_path) {
  unlink(PriorityPath(lease_path).c_str());
  return unlink(lease_path.c_str());
}

struct Sum {
  int64_t memory = 0;
  int64_t vcores = 0;
  int64_t gpus = 0;
};

Sum Total(const std::vector<ContainerRequest>& requests) {
  Sum sum;
  for (const ContainerRequest& w : requests)
    sum = {sum.memory + w.memory_bytes, sum.vcores + w.vcores, sum.gpus + w.gpus};
  return sum;
}

// Reads the lease files except `own`. on_dead receives the file of a job without a process. The caller holds the lock
// of the directory.
Result<std::vector<JobLeases>> ReadAll(const std::string& directory, const std::string& own,
                                       const std::function<void(const std::string& path)>& on_dead) {
  HOWDAH_TRY(const auto names, os::files::ListDirectory(directory));
  std::vector<JobLeases> found;
  for (const std::string& name : names) {
    const std::string path = directory + "/" + name;
    if (!name.ends_with(kSuffix) || path == own) continue;
    const os::files::Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.valid() && errno == ENOENT) continue;
    if (!file.valid()) return os::files::SystemError("opening the lease " + path);
    if (flock(file.get(), LOCK_EX | LOCK_NB) == 0) {  // no process holds the lock, so the job is dead
      on_dead(path);
      continue;
    }
    HOWDAH_TRY(const auto text, os::files::ReadFile(path));
    auto job_leases = Decode(text);
    if (!job_leases) return Damaged(path);
    job_leases->priority = ChangedPriority(path).value_or(job_leases->priority);
    found.push_back(std::move(*job_leases));
  }
  return found;
}

admission::Resources AmountOf(const Lease& lease) { return {lease.memory_bytes / kMib, 0, std::ssize(lease.gpus), {}}; }

// Sums of amounts that are rounded down fit wherever the exact sums fit.
admission::Resources AmountOf(const ContainerRequest& request) {
  return {request.memory_bytes / kMib, 0, request.gpus, {}};
}

// The number of GPUs that the jobs hold or request.
int64_t GpusOf(const std::vector<JobLeases>& jobs) {
  int64_t gpus = 0;
  for (const JobLeases& job : jobs) {
    for (const Lease& lease : job.held) gpus += std::ssize(lease.gpus);
    gpus += Total(job.requested).gpus;
  }
  return gpus;
}

admission::Job QueuedJobOf(const JobLeases& leases, int64_t vcores_free) {
  admission::Job job;
  job.id = leases.job;
  job.am = admission::AmContainer{kMachine, {}};
  job.demand.run = leases.run;
  if (leases.requested.empty()) {
    job.priority = leases.priority;
    job.submitted = leases.submitted;
    job.complete = leases.granted;
    for (const Lease& lease : leases.held) job.held[kMachine] += AmountOf(lease);
    return job;
  }
  const int64_t missing = std::max<int64_t>(0, Total(leases.requested).vcores - vcores_free);
  job.submitted = leases.submitted + missing * kDelayPerVcore;
  job.priority = leases.requested.front().optional ? -1 : leases.priority;
  for (const ContainerRequest& request : leases.requested) job.demand.Add(1, AmountOf(request));
  return job;
}

std::string Describe(const std::string& what, const std::string& requested, const std::string& free,
                     const std::string& all) {
  return "waiting for " + requested + " of " + what + ": " + free + " of " + all + " are free";
}

}  // namespace

admission::Cluster QueueOf(const Capacity& capacity, const std::vector<JobLeases>& jobs) {
  admission::Cluster cluster;
  admission::Resources total{capacity.memory_bytes / kMib, 0, std::ssize(capacity.gpus), {}};
  // The GPUs are listed only for jobs that request some. To others, enough GPUs seem to be there.
  if (capacity.gpus.empty()) total.gpus = GpusOf(jobs);
  admission::Resources free = total;
  int64_t vcores_free = capacity.vcores;
  for (const JobLeases& job : jobs) {
    for (const Lease& lease : job.held) {
      free -= AmountOf(lease);
      vcores_free -= lease.vcores;
    }
  }
  cluster.nodes.push_back({kMachine, total, free});
  for (const JobLeases& job : jobs) {
    if (!job.held.empty() || !job.requested.empty()) {
      cluster.jobs.push_back(QueuedJobOf(job, std::max<int64_t>(0, vcores_free)));
    }
  }
  return cluster;
}

Admission Admit(const Capacity& capacity, const JobLeases& mine, const std::vector<JobLeases>& others, Instant now) {
  std::vector<JobLeases> all = others;
  all.push_back(mine);
  int64_t memory_free = capacity.memory_bytes;
  std::vector<int> gpus_free = capacity.gpus;
  const JobLeases* largest = nullptr;
  int64_t largest_memory = 0;
  for (const JobLeases& job : all) {
    int64_t memory = 0;
    for (const Lease& l : job.held) {
      memory += l.memory_bytes;
      for (const int gpu : l.gpus) std::erase(gpus_free, gpu);
    }
    memory_free -= memory;
    if (memory > largest_memory) std::tie(largest, largest_memory) = std::make_tuple(&job, memory);
  }

  std::string lack;
  const Sum want = Total(mine.requested);
  if (want.memory > memory_free) {
    lack = Describe("memory", FormatBytes(want.memory), FormatBytes(std::max<int64_t>(0, memory_free)),
                    FormatBytes(capacity.memory_bytes));
    if (largest) lack += "; " + largest->job + " holds " + FormatBytes(largest_memory);
  } else if (want.gpus > static_cast<int64_t>(gpus_free.size())) {
    lack = Describe("the machine's GPUs", std::to_string(want.gpus), std::to_string(gpus_free.size()),
                    std::to_string(capacity.gpus.size()));
  }
  const admission::Cluster queue = QueueOf(capacity, all);
  const std::string ahead = admission::ReasonText(queue, admission::Order(queue, now), mine.job);
  if (!lack.empty() || !ahead.empty()) {
    return {std::nullopt, lack + (lack.empty() || ahead.empty() ? "" : "; ") + ahead, !ahead.empty()};
  }
  std::vector<Lease> granted;
  auto gpu = gpus_free.begin();
  for (const ContainerRequest& w : mine.requested) {
    granted.push_back({w.container, w.memory_bytes, w.vcores, {gpu, gpu + w.gpus}});
    gpu += w.gpus;
  }
  return {std::move(granted), "", false};
}

LeaseRegistry::LeaseRegistry(std::string directory, std::string path, os::files::Fd file, JobLeases mine)
    : directory_(std::move(directory)), path_(std::move(path)), file_(std::move(file)), mine_(std::move(mine)) {}

Result<LeaseRegistry> LeaseRegistry::Open(const std::string& directory, const LeaseOwner& owner) {
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(directory, 0700));
  // Hold the registry's lock. Otherwise another job could find the new file before it is locked, and would delete it as
  // the file of a dead job.
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory + "/lock"));
  const std::string path = directory + "/" + owner.job + std::string(kSuffix);
  os::files::Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return os::files::SystemError("opening the lease " + path);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return os::files::SystemError("locking the lease " + path);
  LeaseRegistry leases(directory, path, std::move(file), {owner, {}, {}});
  HOWDAH_TRY_STATUS(leases.Write());
  return leases;
}

Result<Admission> LeaseRegistry::Request(const Capacity& capacity, std::vector<ContainerRequest> requests,
                                         Instant now) {
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory_ + "/lock"));
  HOWDAH_TRY(const auto others, ReadOthers());
  const bool known = mine_.requested.size() == requests.size() && !requests.empty() &&
                     mine_.requested.front().container == requests.front().container;
  const JobLeases before = mine_;
  mine_.requested = std::move(requests);
  mine_.priority = ChangedPriority(path_).value_or(mine_.priority);
  Admission decision;
  if (!mine_.requested.empty()) decision = Admit(capacity, mine_, others, now);
  if (decision.granted) {
    mine_.granted = now;
    mine_.held.insert(mine_.held.end(), decision.granted->begin(), decision.granted->end());
    mine_.requested.clear();
  } else if (known) {
    return decision;  // the request is unchanged, so do not write: a write would wake all waiting jobs
  }
  if (const Status written = Write(); !written.ok()) {
    mine_ = before;
    return written.error();
  }
  return decision;
}

Status LeaseRegistry::Release(const std::string& container) {
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory_ + "/lock"));
  if (std::erase_if(mine_.held, [&](const Lease& l) { return l.container == container; }) == 0) return {};
  return Write();
}

Status LeaseRegistry::Reload() {
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory_ + "/lock"));
  HOWDAH_TRY(const auto text, os::files::ReadFile(path_));
  auto job_leases = Decode(text);
  if (!job_leases) return Damaged(path_);
  mine_ = std::move(*job_leases);
  return {};
}

Status LeaseRegistry::Close() {
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory_ + "/lock"));
  mine_.held.clear();
  mine_.requested.clear();
  if (RemoveFiles(path_) != 0 && errno != ENOENT) return os::files::SystemError("removing the lease " + path_);
  file_.Close();
  return {};
}

// Overwrites the file in place, because a new file would not be locked. Reserves the space first: if the file system is
// full, the old content stays, and after the reservation the write cannot run out of space.
Status LeaseRegistry::Write() const {
  const std::string text = Encode(mine_);
  if (const int error = posix_fallocate(file_.get(), 0, static_cast<off_t>(text.size())); error != 0) {
    return os::files::SystemError("writing the lease " + path_, error);
  }
  if (pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ftruncate(file_.get(), static_cast<off_t>(text.size())) != 0) {
    return os::files::SystemError("writing the lease " + path_);
  }
  return {};
}

Result<std::vector<JobLeases>> LeaseRegistry::ReadOthers() const {
  return ReadAll(directory_, path_, [](const std::string& path) { RemoveFiles(path); });
}

Status SetPriority(const std::string& directory, const JobId& job, int priority) {
  HOWDAH_TRY(const auto jobs, ReadLeases(directory));
  const bool runs = std::ranges::any_of(jobs, [&](const JobLeases& other) { return other.job == job.text; });
  if (!runs) return Error{ErrorCode::kNotFound, job.text + " is neither running nor waiting"};
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory + "/lock"));
  return os::files::WriteFileAtomically(directory + "/" + job.text + std::string(kPrioritySuffix),
                                        std::to_string(priority), 0600);
}

Result<std::vector<JobLeases>> ReadLeases(const std::string& directory) {
  const auto lock = os::files::FileLock::WaitExisting(directory + "/lock");
  if (!lock.ok() && lock.error().code == ErrorCode::kNotFound) return std::vector<JobLeases>();  // no job has run yet
  if (!lock.ok()) return lock.error();
  return ReadAll(directory, "", [](const std::string&) {});
}

}  // namespace howdah::backend::local
