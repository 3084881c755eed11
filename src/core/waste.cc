#include "howdah/core/waste.h"

#include <cstdio>

#include "howdah/base/bytes.h"
#include "howdah/core/policy/resources.h"

namespace howdah::core {
namespace {

constexpr Duration kLongEnough = std::chrono::minutes(1);
constexpr double kFar = 2;  // advise only if the request is more than this many times the sufficient amount
constexpr int64_t kMebibyte = int64_t{1} << 20;
constexpr int64_t kWorthIt = int64_t{1} << 30;
constexpr int64_t kTolerance = 64 * kMebibyte;  // the memory of the same program differs by this much between machines

std::string MemoryText(const jobspec::RoleSpec& role, const RoleUse& use) {
  const int64_t enough = policy::EnoughMemory(use.memory_peak_bytes);
  const int64_t freed = (role.memory_bytes - enough) * use.tasks;
  const bool far = static_cast<double>(role.memory_bytes) > kFar * static_cast<double>(enough);
  if (use.memory_peak_bytes <= 0 || !far || freed < kWorthIt) return "";
  return "at most " + FormatBytes(use.memory_peak_bytes) + " of " + FormatBytes(role.memory_bytes) +
         " memory was used: `memory: " + std::to_string(enough / kMebibyte) + "MiB` is enough and frees " +
         FormatBytes(freed);
}

std::string CoresText(const jobspec::RoleSpec& role, const RoleUse& use) {
  const double used = use.cpu_seconds / std::chrono::duration<double>(use.ran).count();
  const int enough = policy::EnoughCores(used);
  if (use.cpu_seconds <= 0 || role.vcores <= kFar * enough) return "";
  char figure[40];
  std::snprintf(figure, sizeof figure, "%.1f", used);
  return figure + (" of " + std::to_string(role.vcores)) +
         " vcores were used on average: `vcores: " + std::to_string(enough) + "` is enough and frees " +
         std::to_string((role.vcores - enough) * use.tasks);
}

}  // namespace

std::string WasteText(const jobspec::RoleSpec& role, const RoleUse& use) {
  if (use.ran < kLongEnough) return "";
  std::string text = MemoryText(role, use);
  const std::string cores = CoresText(role, use);
  if (!cores.empty()) text += (text.empty() ? "" : "; ") + cores;
  return text.empty() ? "" : role.name + ": " + text;
}

std::string OveruseText(const jobspec::RoleSpec& role, const RoleUse& use) {
  if (use.memory_peak_bytes <= role.memory_bytes + kTolerance) return "";
  return role.name + ":" + std::to_string(use.peak_task) + " used " + FormatBytes(use.memory_peak_bytes) +
         " of memory but requested " + FormatBytes(role.memory_bytes) +
         "; a cluster with memory limits kills such a task: `memory: " +
         std::to_string(policy::EnoughMemory(use.memory_peak_bytes) / kMebibyte) + "MiB` is enough";
}

}  // namespace howdah::core
