// Checks of GPUs and of the input that feeds them.
#include <algorithm>
#include <cmath>
#include <limits>

#include "checks.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"

namespace howdah::advice {
namespace {

constexpr double kBusy = 0.6;  // a GPU that is used more than this is not the reason for advice

// The average over the tasks of a role that have this series; nullopt if none has.
std::optional<double> MeanOfRole(const Figures& figures, const RoleFigures& role, std::string_view series) {
  double sum = 0;
  int tasks = 0;
  for (const journal::TaskView* task : role.tasks) {
    const auto curve = figures.Series(*task, series);
    if (!curve) continue;
    sum += curve->Mean();
    ++tasks;
  }
  return tasks == 0 ? std::nullopt : std::optional(sum / tasks);
}

// The GPU hours that a better use of the GPUs would save.
Amounts IdleShare(const RoleFigures& role, double use) {
  return role.Gpus(role.spec->gpus * std::clamp(1 - use / kBusy, 0.0, 1.0));
}

const std::string* Variable(const Figures& figures, const RoleFigures& role, std::string_view name) {
  for (const jobspec::EnvVars* env : {&role.spec->env, &figures.facts().spec.env}) {
    for (const auto& [key, value] : *env) {
      if (key == name) return &value;
    }
  }
  return nullptr;
}

std::string NamesOf(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  std::vector<std::string> shown(names.begin(),
                                 names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kShown)));
  return Join(shown) + (names.size() > kShown ? " and " + std::to_string(names.size() - kShown) + " more" : "");
}

// Explains why GPUs are idle, as far as the job file and the use of their memory show the reason.
std::string WhyIdle(const Figures& figures, const RoleFigures& role, bool untouched) {
  const std::string* const visible = Variable(figures, role, "CUDA_VISIBLE_DEVICES");
  if (visible != nullptr) return "CUDA_VISIBLE_DEVICES is set to '" + Shorten(*visible, 40) + "' in the job file";
  return untouched ? "no process has allocated memory on them: is the framework a build for CPUs, or does the program "
                     "use fewer GPUs?"
                   : "a process has allocated memory on them, but never computed there";
}

struct InputFigures {
  double waited = 0;          // share of time, from `input` lines
  std::optional<double> gpu;  // use of the GPUs
  double cores_share = 0, io_pressure = 0;
  bool io_of_node = false;
};

InputFigures InputOf(const Figures& figures, const RoleFigures& role, const journal::TaskView& task) {
  InputFigures input;
  std::vector<std::optional<int>> ranks = {std::nullopt};
  for (int rank = 0; rank < role.spec->processes; ++rank) ranks.emplace_back(rank);
  for (const auto& rank : ranks) {
    if (const auto wait = figures.Series(task, "input_wait", rank)) input.waited = std::max(input.waited, wait->Mean());
  }
  if (const auto gpu = figures.Series(task, "gpu_util")) input.gpu = gpu->Mean();
  if (const auto cores = figures.Series(task, "cpu_cores")) input.cores_share = cores->Mean() / role.spec->vcores;
  if (const auto pressure = figures.Series(task, "io_pressure")) {
    input.io_pressure = pressure->Mean();
    input.io_of_node = pressure->of_node;
  }
  return input;
}

}  // namespace

Findings GpuIdle(const Figures& figures) {
  constexpr double kLong = 600, kUntouched = 0.02;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    if (role.spec->gpus <= 0) continue;
    std::vector<std::string> idle;
    size_t measured = 0, least = std::numeric_limits<size_t>::max();
    bool untouched = true;
    for (const journal::TaskView* task : role.tasks) {
      const auto util = figures.GpuSeries(*task, "util"), memory = figures.GpuSeries(*task, "memory");
      size_t here = 0;
      for (const auto& [gpu, curve] : util) {
        if (curve.Max() > 0 || curve.Seconds() < kLong) continue;
        ++here;
        idle.push_back("GPU " + std::to_string(gpu) + " of " + NameOf(*task));
        const auto used = memory.find(gpu);
        if (used == memory.end()) continue;
        untouched = untouched && used->second.Max() <= kUntouched;
      }
      measured += util.size();
      if (!util.empty()) least = std::min(least, here);
    }
    if (idle.empty()) continue;
    const bool all = idle.size() == measured;
    Finding finding{.severity = all ? Severity::kCritical : Severity::kSevere, .role = role.spec->name};
    finding.text = role.spec->name + ": " + (all ? "all " : "") + CountOf(static_cast<int64_t>(idle.size()), "GPU") +
                   (all ? "" : " of " + std::to_string(measured)) + (idle.size() == 1 ? " was" : " were") +
                   " idle in every sample; " + WhyIdle(figures, role, untouched);
    finding.evidence = {NamesOf(idle) + ": 0 % use since the start"};
    if (least > 0) {
      const int wanted = std::max(0, role.spec->gpus - static_cast<int>(least));
      finding.change.keys = {{RoleKey(role, "gpus"), std::to_string(wanted)}};
      finding.change.other = "or let the program use them";
    } else {
      finding.change.other = "make the tasks with idle GPUs a role of their own without GPUs, or let them use theirs";
    }
    finding.saving = role.Gpus(role.spec->gpus * static_cast<double>(idle.size()) / static_cast<double>(measured));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings GpuGap(const Figures& figures) {
  constexpr Duration kLong = std::chrono::minutes(30);
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    std::optional<Duration> shortest;
    for (const journal::TaskView* task : role.tasks) {
      const auto curve = figures.Series(*task, "gpu_util");
      if (!curve) continue;
      const auto used =
          std::find_if(curve->values.rbegin(), curve->values.rend(), [](const Value& value) { return value.max > 0; });
      const bool was_used = used != curve->values.rend();
      const Duration gap = was_used ? curve->values.back().at - used->at : Duration::zero();
      shortest = std::min(shortest.value_or(gap), gap);
    }
    if (!shortest || *shortest < kLong) continue;
    Finding finding{.severity = Severity::kSevere, .role = role.spec->name};
    finding.text = role.spec->name + ": the GPUs were used, and then idle for the last " + FormatDuration(*shortest) +
                   " while the job ran on";
    finding.evidence = {"0 % use of all GPUs of " + CountOf(static_cast<int64_t>(role.tasks.size()), "task") +
                        " since " + FormatInstant(figures.now() - *shortest).substr(0, 16) + "Z"};
    finding.change.keys = {{"timeouts.progress", DurationToText(kLong)}};
    finding.change.other = "end the program when its work is done; a notebook ends itself with `--idle 30m`";
    finding.saving = figures.ShareOfHeld(Hours(*shortest) / std::max(Hours(figures.ran()), 1e-9));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings NotebookIdle(const Figures& figures) {
  constexpr Duration kLong = std::chrono::hours(1);
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    for (const journal::TaskView* task : role.tasks) {
      const auto curve = figures.AnySeries(*task, kNotebookIdleSeries, 0);
      if (role.spec->gpus == 0 || !curve) continue;
      const Value& newest = curve->values.back();
      const Duration idle = std::chrono::seconds(std::llround(newest.mean)) + (figures.now() - newest.at);
      if (idle <= kLong) continue;
      Finding finding{.severity = Severity::kSevere, .role = role.spec->name};
      finding.text = NameOf(*task) + ": no kernel of the notebook was busy for " + FormatDuration(idle) +
                     ", while it held " + CountOf(role.spec->gpus, "GPU");
      finding.evidence = {"idle since " + FormatInstant(figures.now() - idle).substr(0, 16) + "Z"};
      finding.change.other = "`howdah kill` ends it; `howdah notebook --idle 30m` ends the next one when it is idle";
      finding.saving = figures.ShareOfHeld(std::min(1.0, Hours(idle) / std::max(Hours(figures.ran()), 1e-9)));
      findings.push_back(std::move(finding));
    }
  }
  return findings;
}

Findings InputBound(const Figures& figures) {
  constexpr double kWaited = 0.2, kAllCores = 0.9, kPressed = 0.3;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    Finding finding{.severity = Severity::kModerate, .role = role.spec->name};
    double worst = 0;
    Amounts more_vcores;
    for (const journal::TaskView* task : role.tasks) {
      const InputFigures input = InputOf(figures, role, *task);
      const bool low = input.gpu && *input.gpu < kBusy;
      const bool cores = low && input.cores_share >= kAllCores, disk = low && input.io_pressure > kPressed;
      const double waited = input.waited > kWaited ? input.waited : 0;
      const double share = std::max(waited, cores || disk ? 1 - *input.gpu / kBusy : 0);
      if (share <= worst) continue;
      worst = share;
      finding.task = NameOf(*task);
      finding.text = finding.task + " waits for its input" +
                     (waited > 0 ? " " + Percent(waited) + " of the time"
                                 : ": its GPUs are used " + Percent(*input.gpu) + " while " +
                                       (cores ? "all its vcores are busy" : "it waits for disks"));
      finding.evidence.clear();
      if (input.gpu) finding.evidence.push_back("GPU use " + Percent(*input.gpu));
      finding.evidence.push_back("cores used: " + Percent(input.cores_share) + " of the vcores");
      if (input.io_pressure > 0) {
        finding.evidence.push_back("waited for disks " + Percent(input.io_pressure) + " of the time" +
                                   (input.io_of_node ? " (pressure of the whole node)" : ""));
      }
      const int more = role.spec->vcores + std::max(1, role.spec->vcores / 2);
      finding.change.keys.clear();
      more_vcores = {};
      if (input.cores_share >= kAllCores) {
        finding.change.keys = {{RoleKey(role, "vcores"), std::to_string(more)}};
        more_vcores = role.Vcores(more - role.spec->vcores);
      }
      finding.change.other =
          "more loader workers, prefetching, or the data as `files:` of the job, so that it is on the node";
    }
    if (worst <= 0) continue;
    finding.saving = figures.Faster(worst, more_vcores);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings GpuLow(const Figures& figures) {
  constexpr double kVeryLow = 0.15, kLow = 0.25;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    const auto use = role.spec->gpus > 0 ? MeanOfRole(figures, role, "gpu_util") : std::nullopt;
    if (!use || *use >= kLow) continue;
    Finding finding{.severity = *use <= kVeryLow ? Severity::kSevere : Severity::kModerate, .role = role.spec->name};
    finding.text = role.spec->name + ": the GPUs were used " + Percent(*use) + " on average";
    finding.evidence = {CountOf(role.spec->gpus, "GPU") + " in each of " +
                        CountOf(static_cast<int64_t>(role.tasks.size()), "task")};
    const int fewer = std::max(1, static_cast<int>(std::ceil(role.spec->gpus * *use / kBusy)));
    if (fewer < role.spec->gpus) finding.change.keys = {{RoleKey(role, "gpus"), std::to_string(fewer)}};
    finding.change.other = "a larger batch, or fewer GPUs with the same batch for each";
    finding.saving = fewer < role.spec->gpus ? role.Gpus(role.spec->gpus - fewer) : IdleShare(role, *use);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings GpuMemory(const Figures& figures) {
  constexpr double kLittle = 0.4;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    const auto use = role.spec->gpus > 0 ? MeanOfRole(figures, role, "gpu_util") : std::nullopt;
    std::optional<double> peak;
    for (const journal::TaskView* task : role.tasks) {
      const auto memory = figures.Series(*task, "gpu_memory");
      if (memory) peak = std::max(peak.value_or(0), memory->Max());
    }
    if (!use || *use >= kBusy || !peak || *peak >= kLittle) continue;
    Finding finding{.severity = Severity::kLow, .role = role.spec->name};
    finding.text = role.spec->name + ": at most " + Percent(*peak) + " of the GPUs' memory was used, and the GPUs " +
                   Percent(*use) + " on average";
    finding.evidence = {"peak of the GPU memory over all tasks: " + Percent(*peak)};
    finding.change.other = "a larger batch, or GPUs with less memory (a smaller label or slice)";
    finding.saving = IdleShare(role, *use);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings GpuSlowdown(const Figures& figures) {
  constexpr double kOften = 0.1;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    for (const journal::TaskView* task : role.tasks) {
      const auto slowed = figures.Series(*task, "gpu_throttled");
      if (!slowed || slowed->Mean() <= kOften) continue;
      Finding finding{.severity = Severity::kSevere, .role = role.spec->name, .task = NameOf(*task)};
      finding.text = finding.task + (task->node.empty() ? "" : " on " + task->node) + ": a GPU slowed itself down in " +
                     Percent(slowed->Mean()) + " of the samples (temperature, power or hardware)";
      finding.evidence = {"gpu_throttled, mean of " +
                          FormatDuration(Duration(static_cast<int64_t>(slowed->Seconds() * 1e6)))};
      finding.change.other = "report the node to the administrators; its cooling or power is not sufficient";
      finding.saving = {.gpu_hours = role.spec->gpus * Hours(figures.ran()) * slowed->Mean()};
      findings.push_back(std::move(finding));
    }
  }
  for (const Trail::Failure& failure : figures.facts().trail.failures()) {
    const bool of_gpu = failure.reason.find(" failed: Xid ") != std::string::npos ||
                        failure.reason.find("uncorrectable memory error") != std::string::npos;
    // The check `node` reports a node that is avoided.
    if (!of_gpu || figures.facts().trail.avoided_nodes().contains(failure.node)) continue;
    Finding finding{
        .severity = Severity::kCritical, .role = failure.role, .task = TaskText(failure.role, failure.index)};
    finding.text = "the driver reported an error of a GPU on " + failure.node + ": " + OneLine(failure.reason, 300);
    finding.change.other = "report the node to the administrators";
    findings.push_back(std::move(finding));
    break;
  }
  return findings;
}

}  // namespace howdah::advice
