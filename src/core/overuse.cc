#include "howdah/core/overuse.h"

#include "howdah/base/bytes.h"
#include "howdah/core/policy/resources.h"
#include "howdah/jobspec/setting.h"

namespace howdah::core {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int64_t kTolerance = 64 * kMebibyte;  // the memory of the same program differs by this much between machines

}  // namespace

std::string OveruseText(const jobspec::JobSpec& spec, const jobspec::RoleSpec& role, const RolePeak& peak) {
  if (peak.memory_bytes <= role.memory_bytes + kTolerance) return "";
  const std::string enough = std::to_string(policy::EnoughMemory(peak.memory_bytes) / kMebibyte) + "MiB";
  return role.name + ":" + std::to_string(peak.task) + " used " + FormatBytes(peak.memory_bytes) +
         " of memory but requested " + FormatBytes(role.memory_bytes) +
         "; a cluster with memory limits kills such a task: `" + jobspec::SettingText(spec, role, "memory", enough) +
         "` is enough";
}

}  // namespace howdah::core
