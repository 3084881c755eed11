// Checks of memory and cores.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "checks.h"
#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/core/policy/resources.h"

namespace howdah::advice {
namespace {

// The amount for all tasks of the role together.
int64_t OfAll(int64_t bytes, const RoleFigures& role) {
  constexpr double kMost = 9e18;  // limits values from a damaged record
  return static_cast<int64_t>(std::min(kMost, static_cast<double>(bytes) * static_cast<double>(role.tasks.size())));
}

std::string EarlierPeak(const RoleFigures& role) {
  return role.highest_peak_bytes > role.peak_bytes
             ? "highest peak of an earlier run: " + FormatBytes(role.highest_peak_bytes)
             : "";
}

void AddEvidence(Finding& finding, std::string line) {
  if (!line.empty()) finding.evidence.push_back(std::move(line));
}

// Returns the growth of the task's memory in the last third of its time, in bytes per minute. Returns nullopt if the
// memory did not grow steadily.
std::optional<double> GrowthPerMinute(const Curve& memory) {
  if (memory.values.size() < 9) return std::nullopt;
  const size_t begin = memory.values.size() * 2 / 3;
  const std::vector<Value> third(memory.values.begin() + static_cast<std::ptrdiff_t>(begin), memory.values.end());
  size_t rises = 0;
  for (size_t i = 1; i < third.size(); ++i) rises += third[i].mean > third[i - 1].mean ? 1 : 0;
  const double minutes = std::chrono::duration<double>(third.back().at - third.front().at).count() / 60;
  const double growth = (third.back().mean - third.front().mean) / std::max(minutes, 1e-3);
  const bool steady = 3 * rises >= 2 * (third.size() - 1);
  return steady && growth >= kMiB ? std::optional(growth) : std::nullopt;
}

bool WasKilledForMemory(const std::string& reason) {
  return reason.find("out of memory: container used") != std::string::npos ||
         reason.find("had reached its memory limit") != std::string::npos;
}

// Returns the newest failure of the role that its memory limit caused, or null.
const Trail::Failure* KilledForMemory(const Figures& figures, const RoleFigures& role) {
  const auto& failures = figures.facts().trail.failures();
  const auto found = std::find_if(failures.rbegin(), failures.rend(), [&](const Trail::Failure& failure) {
    return failure.role == role.spec->name && WasKilledForMemory(failure.reason);
  });
  return found == failures.rend() ? nullptr : &*found;
}

std::optional<int> NumberIn(const jobspec::EnvVars& env, std::string_view name) {
  for (auto var = env.rbegin(); var != env.rend(); ++var) {
    if (var->first != name) continue;
    int value = 0;
    const auto [end, error] = std::from_chars(var->second.data(), var->second.data() + var->second.size(), value);
    return error == std::errc() && value > 0 ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

Findings MemoryOver(const Figures& figures) {
  constexpr int64_t kSmall = int64_t{2} << 30;
  constexpr std::pair<double, Severity> kLimits[] = {
      {0.5, Severity::kCritical}, {0.6, Severity::kSevere}, {0.7, Severity::kModerate}, {0.8, Severity::kLow}};
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    const int64_t requested = role.spec->memory_bytes;
    if (role.highest_peak_bytes <= 0 || role.peak_bytes <= 0 || requested <= kSmall) continue;
    const double share = static_cast<double>(role.highest_peak_bytes) / static_cast<double>(requested);
    const auto limit = std::find_if(std::begin(kLimits), std::end(kLimits),
                                    [&](const auto& candidate) { return share <= candidate.first; });
    const int64_t enough = MemoryToRequest(figures, role);
    if (limit == std::end(kLimits) || role.granted_bytes - enough < figures.MemoryStep(role)) continue;
    Finding finding{.severity = limit->second, .role = role.spec->name};
    finding.text = role.spec->name + ": at most " + FormatBytes(role.highest_peak_bytes) + " of " +
                   FormatBytes(requested) + " memory was used: `memory: " + MemoryText(enough) +
                   "` is enough and frees " + FormatBytes(OfAll(role.granted_bytes - enough, role));
    AddEvidence(finding, "peak of " + role.peak_task + ": " + FormatBytes(role.peak_bytes));
    AddEvidence(finding, EarlierPeak(role));
    finding.change.keys = {{RoleKey(role, "memory"), MemoryText(enough)}};
    finding.saving = role.Memory(static_cast<double>(role.granted_bytes - enough));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings MemoryUnder(const Figures& figures) {
  constexpr double kNear = 0.95, kMore = 1.2;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    const Trail::Failure* const killed = KilledForMemory(figures, role);
    const double peak = static_cast<double>(role.peak_bytes);
    if (killed == nullptr && peak < kNear * static_cast<double>(role.granted_bytes)) continue;
    const double least = std::max(kMore * static_cast<double>(role.granted_bytes),
                                  core::policy::kSpareShare * static_cast<double>(role.highest_peak_bytes));
    const int64_t step = figures.MemoryStep(role);
    const int64_t enough = (static_cast<int64_t>(std::ceil(least)) + step - 1) / step * step;
    Finding finding{.severity = killed != nullptr ? Severity::kCritical : Severity::kSevere,
                    .role = role.spec->name,
                    .task = killed != nullptr ? TaskText(killed->role, killed->index) : role.peak_task};
    finding.text =
        killed != nullptr
            ? finding.task + " was killed because it reached its memory limit of " + FormatBytes(role.granted_bytes)
            : finding.task + " used " + FormatBytes(role.peak_bytes) + " of memory but requested " +
                  FormatBytes(role.spec->memory_bytes) + "; a cluster with memory limits kills a task that needs more";
    if (killed != nullptr) AddEvidence(finding, killed->reason);
    if (role.peak_bytes > 0) AddEvidence(finding, "peak of " + role.peak_task + ": " + FormatBytes(role.peak_bytes));
    for (const journal::TaskView* task : role.tasks) {
      const auto memory = figures.Series(*task, "memory_bytes");
      const auto growth = memory ? GrowthPerMinute(*memory) : std::nullopt;
      if (!growth) continue;
      AddEvidence(finding, NameOf(*task) + " grew until the end, by " + Number(*growth / kMiB) + " MiB/min");
      finding.change.other = "find the leak: more memory only delays the end of a task that keeps growing";
      break;
    }
    finding.change.keys = {{RoleKey(role, "memory"), MemoryText(enough)}};
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings Rounding(const Figures& figures) {
  constexpr double kMuchMore = 1.2;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    const int64_t requested = role.spec->memory_bytes;
    if (static_cast<double>(role.granted_bytes) < kMuchMore * static_cast<double>(requested)) continue;
    const int64_t step = figures.MemoryStep(role);
    const int64_t below = role.granted_bytes - step;
    const int64_t needed = core::policy::EnoughMemory(role.highest_peak_bytes, kMiB);
    const bool fits = role.highest_peak_bytes > 0 && below > 0 && needed <= below;
    const int64_t wanted = fits ? below : role.granted_bytes;
    Finding finding{.severity = Severity::kLow, .role = role.spec->name};
    finding.text = role.spec->name + ": the cluster grants " + FormatBytes(role.granted_bytes) + " for a request of " +
                   FormatBytes(requested) + ", because it rounds up to a multiple of " + FormatBytes(step) +
                   (fits ? ", and one step less is enough" : "; request all of it, as it is held in any case");
    if (role.peak_bytes > 0) AddEvidence(finding, "peak of " + role.peak_task + ": " + FormatBytes(role.peak_bytes));
    finding.change.keys = {{RoleKey(role, "memory"), MemoryText(wanted)}};
    finding.saving = role.Memory(static_cast<double>(role.granted_bytes - (fits ? below : requested)));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings VcoresOver(const Figures& figures) {
  constexpr double kHalf = 0.5;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    if (role.spec->vcores <= 1) continue;
    double usual = 0, highest = 0;
    std::string busiest;
    for (const journal::TaskView* task : role.tasks) {
      const auto cores = figures.Series(*task, "cpu_cores");
      if (!cores) continue;
      const double p95 = cores->Quantile(0.95);
      if (busiest.empty() || p95 > usual) busiest = NameOf(*task);
      usual = std::max(usual, p95);
      highest = std::max(highest, cores->Max());
    }
    if (busiest.empty()) continue;
    for (const RunFacts& run : figures.facts().earlier) {
      const auto found = run.roles.find(role.spec->name);
      if (found != run.roles.end()) highest = std::max(highest, found->second.cores_peak);
    }
    const int enough = core::policy::EnoughCores(std::max(usual, highest));
    if (usual >= kHalf * role.spec->vcores || enough >= role.spec->vcores) continue;
    Finding finding{.severity = usual < kHalf / 2 * role.spec->vcores ? Severity::kModerate : Severity::kLow,
                    .role = role.spec->name};
    finding.text =
        role.spec->name + ": " + Number(usual) + " of " + std::to_string(role.spec->vcores) +
        " vcores were used in 95 % of the time: `vcores: " + std::to_string(enough) + "` is enough and frees " +
        std::to_string(static_cast<int64_t>(role.spec->vcores - enough) * static_cast<int64_t>(role.tasks.size()));
    AddEvidence(finding, "busiest task: " + busiest + "; highest use of any run: " + Number(highest) + " cores");
    finding.change.keys = {{RoleKey(role, "vcores"), std::to_string(enough)}};
    finding.saving = role.Vcores(role.spec->vcores - enough);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings VcoresUnder(const Figures& figures) {
  constexpr double kThrottled = 0.1, kPressed = 0.2, kAll = 0.95;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    double worst = 0, cores_used = 0;
    Finding finding{.severity = Severity::kModerate, .role = role.spec->name};
    for (const journal::TaskView* task : role.tasks) {
      const auto throttled = figures.Series(*task, "cpu_throttled");
      const auto pressure = figures.Series(*task, "cpu_pressure");
      const auto cores = figures.Series(*task, "cpu_cores");
      const double used = cores ? cores->Mean() : 0;
      const bool is_throttled = throttled && throttled->Mean() > kThrottled;
      // Ignore the pressure of a whole node, because other tasks may cause it.
      const bool is_pressed =
          pressure && !pressure->of_node && pressure->Mean() > kPressed && used >= kAll * role.spec->vcores;
      const double share = std::max(is_throttled ? throttled->Mean() : 0, is_pressed ? pressure->Mean() : 0);
      if (share <= worst) continue;
      worst = share;
      cores_used = used;
      finding.task = NameOf(*task);
      finding.text = finding.task + " needs more than its " + CountOf(role.spec->vcores, "vcore") + ": it " +
                     (is_throttled ? "was throttled in " + Percent(throttled->Mean()) + " of the periods"
                                   : "waited for a core " + Percent(pressure->Mean()) + " of the time");
    }
    if (worst <= 0) continue;
    const double wanted = std::max<double>(cores_used, role.spec->vcores) / (1 - std::min(worst, 0.5));
    const int enough = std::max(role.spec->vcores + 1, static_cast<int>(std::ceil(wanted)));
    finding.evidence = {"cores used on average: " + Number(cores_used)};
    finding.change.keys = {{RoleKey(role, "vcores"), std::to_string(enough)}};
    finding.saving = figures.Faster(worst, role.Vcores(enough - role.spec->vcores));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings Threads(const Figures& figures) {
  constexpr double kPressed = 0.2;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    const jobspec::RoleSpec& spec = *role.spec;
    const auto own = NumberIn(spec.env, "OMP_NUM_THREADS");
    const auto set = own ? own : NumberIn(figures.facts().spec.env, "OMP_NUM_THREADS");
    double worst = 0;
    Finding finding{.severity = Severity::kModerate, .role = spec.name};
    for (const journal::TaskView* task : role.tasks) {
      const auto pressure = figures.Series(*task, "cpu_pressure");
      const auto running = figures.Series(*task, "threads");
      const int by_file = set.value_or(0) * spec.processes;
      const int threads = by_file > 0 ? by_file : running ? static_cast<int>(running->Mean()) : 0;
      if (!pressure || pressure->Mean() <= kPressed || threads <= 2 * spec.vcores || pressure->Mean() <= worst)
        continue;
      // Most threads of a program may sleep, while other tasks cause the pressure of the node.
      if (by_file == 0 && pressure->of_node) continue;
      worst = pressure->Mean();
      finding.task = NameOf(*task);
      finding.text = finding.task + " runs " + std::to_string(threads) + " threads on " +
                     CountOf(spec.vcores, "vcore") + ", which slow each other down";
      finding.evidence = {by_file > 0 ? CountOf(spec.processes, "process", "processes") +
                                            " with OMP_NUM_THREADS=" + std::to_string(*set)
                                      : "threads of its processes on average",
                          "waited for a core " + Percent(worst) + " of the time" +
                              (pressure->of_node ? " (pressure of the whole node)" : "")};
    }
    if (worst <= 0) continue;
    const int each = std::max(1, spec.vcores / std::max(1, spec.processes));
    if (set) finding.change.keys = {{RoleKey(role, "env.OMP_NUM_THREADS"), std::to_string(each)}};
    finding.change.other = "start fewer data loader workers and threads: " + CountOf(spec.vcores, "vcore") +
                           " can run one busy thread each";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace howdah::advice
