#include "howdah/executor/task_gpus.h"

#include <chrono>
#include <vector>

#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"

namespace howdah::executor {
namespace {

constexpr std::chrono::milliseconds kNvidiaSmiLimit{10'000};

}  // namespace

Result<std::optional<os::process::GpuLease>> LeaseTaskGpus(const std::string& job_file, const std::string& role,
                                                           const std::string& path, const std::string& scope) {
  HOWDAH_TRY(const std::string text, os::files::ReadFile(job_file));
  HOWDAH_TRY(const jobspec::JobSpec spec, jobspec::ReadEffective(text));
  int count = 0;
  for (const jobspec::RoleSpec& candidate : spec.roles) {
    if (candidate.name == role) count = candidate.gpus;
  }
  if (count == 0) return std::optional<os::process::GpuLease>();
  std::vector<int> visible;
  for (const os::process::Gpu& gpu : os::process::ListGpus(path, kNvidiaSmiLimit)) visible.push_back(gpu.index);
  if (visible.empty()) return std::optional<os::process::GpuLease>();
  HOWDAH_TRY(os::process::GpuLease lease, os::process::LeaseGpus(visible, count, scope));
  return std::optional(std::move(lease));
}

}  // namespace howdah::executor
