#include "gpu_sampler.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/os/process/spawn.h"

namespace howdah::executor {
namespace {

using namespace std::chrono_literals;

constexpr Duration kShortestInterval = 5s, kLongestInterval = 60s;
constexpr double kCost = 0.001;  // the maximum CPU use of the runs, as a share of one core
constexpr auto kLimit = 10s;
constexpr size_t kTextLimit = 64 << 10;

}  // namespace

Duration GpuInterval(double cpu_seconds) {
  Duration interval = kShortestInterval;
  while (interval < kLongestInterval && cpu_seconds >= kCost * std::chrono::duration<double>(interval).count())
    interval *= 2;
  return std::min(interval, kLongestInterval);
}

GpuSampler::GpuSampler(boost::asio::io_context& loop, const os::process::Clock& clock, std::vector<int> gpus,
                       const std::string& path)
    : clock_(clock), gpus_(std::move(gpus)), path_(path), output_(loop), limit_(loop) {
  if (gpus_.empty()) return;
  const os::process::FoundCommand found = os::process::LookUpCommand("nvidia-smi", path, "/");
  if (found.error == 0) program_ = found.program;
}

void GpuSampler::Poll() {
  const Instant now = clock_.Now();
  if (program_.empty() || pid_ > 0 || now < next_) return;
  started_ = now;
  next_ = now + kShortestInterval;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return;
  const os::files::Fd write_end(ends[1]);
  output_.assign(ends[0]);
  os::process::SpawnRequest request;
  request.program = program_;
  request.argv = os::process::GpuUsageQuery(query_);
  request.environment = {"PATH=" + path_};
  request.stdout_fd = write_end.get();
  request.death_signal = SIGKILL;
  auto outcome = os::process::Spawn(request);
  if (std::holds_alternative<os::process::SpawnError>(outcome)) return output_.close();
  pid_ = std::get<os::process::Child>(outcome).pid;
  text_.clear();
  limit_.expires_after(kLimit);
  limit_.async_wait([this](const boost::system::error_code& error) {
    if (!error && pid_ > 0) ::kill(-pid_, SIGKILL);
  });
  Read();
}

void GpuSampler::OnReaped(const os::process::Reaped& child) {
  if (child.pid != pid_) return;
  pid_ = -1;
  limit_.cancel();
  next_ = started_ + GpuInterval(child.cpu_seconds);
}

void GpuSampler::Read() {
  output_.async_read_some(boost::asio::buffer(buffer_), [this](const boost::system::error_code& error, size_t size) {
    if (error == boost::asio::error::operation_aborted) return;
    if (error || text_.size() > kTextLimit) return Finish();
    text_.append(buffer_.data(), size);
    Read();
  });
}

void GpuSampler::Finish() {
  output_.close();
  if (os::process::RefusesGpuUsageQuery(text_) && query_ + 1 < os::process::kGpuUsageQueries) {
    ++query_;
    started_ = next_ = {};  // the next Poll may immediately start a run with the simpler query
    return;
  }
  ++runs_;
  last_ = os::process::ParseGpuUsage(text_);
  std::erase_if(last_, [&](const os::process::GpuUsage& gpu) {
    return std::find(gpus_.begin(), gpus_.end(), gpu.index) == gpus_.end();
  });
  for (const os::process::GpuUsage& gpu : last_) {
    if (!gpu.pci_address.empty()) pci_addresses_[gpu.index] = gpu.pci_address;
  }
  samples_.Add(last_);
}

}  // namespace howdah::executor
