#include "howdah/executor/task_gpus.h"

#include <fcntl.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/text.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"

namespace howdah::executor {
namespace {

constexpr std::chrono::milliseconds kNvidiaSmiLimit{10'000};

// The path of the GPU's device file, from the driver; "" if it is not known. (Both name the bus id, but nvidia-smi
// writes the domain with eight digits and upper-case letters.)
std::string DeviceOf(const os::process::Gpu& gpu, const std::string& driver) {
  constexpr size_t kLongDomain = 8, kShortDomain = 4;
  std::string bus_id = LowerCase(gpu.bus_id);
  if (bus_id.find(':') == kLongDomain) bus_id.erase(0, kLongDomain - kShortDomain);
  const auto facts = os::files::ReadFile(driver + "/" + bus_id + "/information");
  constexpr std::string_view kMinor = "Device Minor:";
  const size_t at = facts.ok() ? facts->find(kMinor) : std::string::npos;
  if (bus_id.empty() || at == std::string::npos) return "";
  return "/dev/nvidia" + std::to_string(std::atoi(facts->c_str() + at + kMinor.size()));
}

std::string UuidsOf(const std::vector<os::process::Gpu>& gpus, const std::vector<int>& wanted) {
  std::string list;
  for (const int index : wanted) {
    for (const os::process::Gpu& gpu : gpus) {
      if (gpu.index == index) list += (list.empty() ? "" : ",") + gpu.uuid;
    }
  }
  return list;
}

}  // namespace

GpuDevices GpuDevices::OfThisMachine() {
  return {.may_open =
              [](const std::string& path) {
                const os::files::Fd opened(::open(path.c_str(), O_RDWR | O_CLOEXEC));
                return opened.valid() || (errno != EPERM && errno != EACCES);
              },
          .scope = {}};
}

Result<std::optional<TaskGpus>> LeaseTaskGpus(const std::string& job_file, const std::string& role,
                                              const std::string& path, const GpuDevices& devices) {
  HOWDAH_TRY(const std::string text, os::files::ReadFile(job_file));
  HOWDAH_TRY(const jobspec::JobSpec spec, jobspec::ReadEffective(text));
  int count = 0;
  for (const jobspec::RoleSpec& candidate : spec.roles) {
    if (candidate.name == role) count = candidate.gpus;
  }
  if (count == 0) return std::optional<TaskGpus>();
  const std::vector<os::process::Gpu> listed = os::process::ListGpus(path, kNvidiaSmiLimit);
  if (listed.empty()) return std::optional<TaskGpus>();
  std::vector<int> visible;
  for (const os::process::Gpu& gpu : listed) {
    const std::string device = DeviceOf(gpu, devices.driver);
    if (device.empty() || devices.may_open(device)) visible.push_back(gpu.index);
  }
  HOWDAH_TRY(os::process::GpuLease lease, os::process::LeaseGpus(visible, count, devices.scope));
  const std::string uuids = visible.size() < listed.size() ? UuidsOf(listed, lease.gpus) : "";
  return std::optional(TaskGpus{std::move(lease), uuids});
}

}  // namespace howdah::executor
