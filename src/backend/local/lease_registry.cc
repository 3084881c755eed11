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

constexpr std::string_view kSuffix = ".lease";
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
  const std::string text = json{
      {"job", job_leases.job},
      {"submitted", job_leases.submitted.time_since_epoch().count()},
      {"held", std::move(held)},
      {"wanted",
       std::move(requested)}}.dump();
  return text + "\n" + std::to_string(CrcOf(Crc::kCrc32c, text)) + "\n";
}

// Whether the amounts are so small that sums of them cannot overflow.
bool IsPlausible(int64_t memory_bytes, int vcores, int gpus) {
  constexpr int64_t kMostMemory = int64_t{1} << 45;
  constexpr int kMostCount = 1'000'000;
  return memory_bytes >= 0 && memory_bytes <= kMostMemory && vcores >= 0 && vcores <= kMostCount && gpus >= 0 &&
         gpus <= kMostCount;
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

std::optional<JobLeases> Decode(std::string_view text) {
  // Jobs of versions without checksums may still run; their files have no newline.
  if (const size_t end = text.find('\n'); end != std::string_view::npos) {
    const std::string_view content = text.substr(0, end);
    if (text.substr(end) != "\n" + std::to_string(CrcOf(Crc::kCrc32c, content)) + "\n") return std::nullopt;
    text = content;
  }
  try {
    const json j = json::parse(text);
    JobLeases out{j.at("job"), FromMicros(WholeNumber(j.at("submitted"))), {}, {}};
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
    found.push_back(std::move(*job_leases));
  }
  return found;
}

std::string Describe(const std::string& what, const std::string& requested, const std::string& free,
                     const std::string& all) {
  return "waiting for " + requested + " of " + what + ": " + free + " of " + all + " are free";
}

}  // namespace

Admission Admit(const Capacity& capacity, const JobLeases& mine, const std::vector<JobLeases>& others) {
  int64_t memory_free = capacity.memory_bytes, vcores_free = capacity.vcores;
  std::vector<int> gpus_free = capacity.gpus;
  const JobLeases* largest = nullptr;
  int64_t largest_memory = 0;
  const auto take = [&](const JobLeases& job_leases) {
    int64_t memory = 0;
    for (const Lease& l : job_leases.held) {
      memory += l.memory_bytes;
      vcores_free -= l.vcores;
      for (const int gpu : l.gpus) std::erase(gpus_free, gpu);
    }
    memory_free -= memory;
    if (memory > largest_memory) std::tie(largest, largest_memory) = std::make_tuple(&job_leases, memory);
  };
  take(mine);
  for (const JobLeases& other : others) take(other);

  const auto order = [&](const JobLeases& h) {
    const int64_t missing = std::max<int64_t>(0, Total(h.requested).vcores - std::max<int64_t>(0, vcores_free));
    const bool optional = !h.requested.empty() && h.requested.front().optional;
    return std::make_tuple(optional, h.submitted + missing * kDelayPerVcore, h.job);
  };
  const Sum want = Total(mine.requested);
  if (want.memory > memory_free) {
    std::string text = Describe("memory", FormatBytes(want.memory), FormatBytes(std::max<int64_t>(0, memory_free)),
                                FormatBytes(capacity.memory_bytes));
    if (largest) text += "; " + largest->job + " holds " + FormatBytes(largest_memory);
    return {std::nullopt, text};
  }
  if (want.gpus > static_cast<int64_t>(gpus_free.size())) {
    return {std::nullopt, Describe("the machine's GPUs", std::to_string(want.gpus), std::to_string(gpus_free.size()),
                                   std::to_string(capacity.gpus.size()))};
  }
  for (const JobLeases& other : others) {
    if (other.requested.empty() || order(mine) < order(other)) continue;
    return {std::nullopt, "waiting for " + other.job + ", which was submitted earlier and waits for " +
                              FormatBytes(Total(other.requested).memory) + " of memory"};
  }
  std::vector<Lease> granted;
  auto gpu = gpus_free.begin();
  for (const ContainerRequest& w : mine.requested) {
    granted.push_back({w.container, w.memory_bytes, w.vcores, {gpu, gpu + w.gpus}});
    gpu += w.gpus;
  }
  return {std::move(granted), ""};
}

LeaseRegistry::LeaseRegistry(std::string directory, std::string path, os::files::Fd file, JobLeases mine)
    : directory_(std::move(directory)), path_(std::move(path)), file_(std::move(file)), mine_(std::move(mine)) {}

Result<LeaseRegistry> LeaseRegistry::Open(const std::string& directory, const JobId& job, Instant submitted) {
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(directory, 0700));
  // Hold the registry's lock. Otherwise another job could find the new file before it is locked, and would delete it as
  // the file of a dead job.
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory + "/lock"));
  const std::string path = directory + "/" + job.text + std::string(kSuffix);
  os::files::Fd file(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file.valid()) return os::files::SystemError("opening the lease " + path);
  if (flock(file.get(), LOCK_EX | LOCK_NB) != 0) return os::files::SystemError("locking the lease " + path);
  LeaseRegistry leases(directory, path, std::move(file), {job.text, submitted, {}, {}});
  HOWDAH_TRY_STATUS(leases.Write());
  return leases;
}

Result<Admission> LeaseRegistry::Request(const Capacity& capacity, std::vector<ContainerRequest> requests) {
  HOWDAH_TRY(const auto lock, os::files::FileLock::Wait(directory_ + "/lock"));
  HOWDAH_TRY(const auto others, ReadOthers());
  const bool known = mine_.requested.size() == requests.size() && !requests.empty() &&
                     mine_.requested.front().container == requests.front().container;
  const JobLeases before = mine_;
  mine_.requested = std::move(requests);
  Admission decision;
  if (!mine_.requested.empty()) decision = Admit(capacity, mine_, others);
  if (decision.granted) {
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
  if (unlink(path_.c_str()) != 0 && errno != ENOENT) return os::files::SystemError("removing the lease " + path_);
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
  return ReadAll(directory_, path_, [](const std::string& path) { unlink(path.c_str()); });
}

Result<std::vector<JobLeases>> ReadLeases(const std::string& directory) {
  const auto lock = os::files::FileLock::WaitExisting(directory + "/lock");
  if (!lock.ok() && lock.error().code == ErrorCode::kNotFound) return std::vector<JobLeases>();  // no job has run yet
  if (!lock.ok()) return lock.error();
  return ReadAll(directory, "", [](const std::string&) {});
}

}  // namespace howdah::backend::local
