// Checks that compare tasks with each other, or this run with earlier ones.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "checks.h"
#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/base/text.h"
#include "howdah/core/policy/resources.h"
#include "howdah/core/policy/stragglers.h"

namespace howdah::advice {
namespace {

constexpr Duration kWindow = std::chrono::minutes(1);  // averages out single slow steps
constexpr Duration kSlowFor = std::chrono::minutes(5);

// The step times of one rank, by window of time.
struct RankSteps {
  const journal::TaskView* task = nullptr;
  int rank = 0;                                // the rank in the whole job
  std::map<int64_t, double> seconds_per_step;  // step time by number of the window
};

// A rank that was slower than the others.
struct Slow {
  double windows = 0;  // number of slow windows, in stretches that are long enough
  double lost = 0;     // the time by which the rank was late, as a number of windows
  double times = 0;    // how many times slower than the median, on average over these windows
};

std::vector<RankSteps> StepsOf(const Figures& figures, Duration* window) {
  std::vector<RankSteps> ranks;
  for (const journal::TaskView& task : figures.facts().job.tasks) {
    for (size_t local = 0; local < task.ranks.size(); ++local) {
      auto curve = figures.Series(task, "step_s", static_cast<int>(local));
      if (!curve && task.ranks.size() == 1) curve = figures.Series(task, "step_s");
      if (!curve) continue;
      *window = std::max({*window, kWindow, curve->width});
      RankSteps steps{.task = &task, .rank = task.ranks[local]};
      std::map<int64_t, std::pair<double, double>> sums;
      for (const Value& value : curve->values) {
        auto& [sum, seconds] = sums[value.at.time_since_epoch() / *window];
        sum += value.mean * value.seconds;
        seconds += value.seconds;
      }
      for (const auto& [number, sum] : sums) {
        if (sum.first > 0) steps.seconds_per_step[number] = sum.first / sum.second;
      }
      ranks.push_back(std::move(steps));
    }
  }
  return ranks;
}

// Returns the median rate of all ranks for each window that has enough ranks to compare.
std::map<int64_t, double> MediansOf(const std::vector<RankSteps>& ranks) {
  std::map<int64_t, std::vector<double>> rates;
  for (const RankSteps& rank : ranks) {
    for (const auto& [number, seconds] : rank.seconds_per_step) rates[number].push_back(1 / seconds);
  }
  std::map<int64_t, double> medians;
  for (auto& [number, all] : rates) {
    if (const auto median = core::policy::MedianOf(std::move(all))) medians[number] = *median;
  }
  return medians;
}

Slow SlownessOf(const RankSteps& rank, const std::map<int64_t, double>& medians, Duration window, double least) {
  const auto long_enough = static_cast<size_t>((kSlowFor + window - Duration(1)) / window);
  Slow slow;
  std::vector<double> stretch;
  int64_t before = 0;
  const auto end_stretch = [&] {
    if (stretch.size() >= long_enough) {
      for (const double times : stretch) {
        ++slow.windows;
        slow.lost += 1 - 1 / times;
        slow.times += times;
      }
    }
    stretch.clear();
  };
  for (const auto& [number, seconds] : rank.seconds_per_step) {
    const auto median = medians.find(number);
    const auto times =
        median == medians.end() ? std::nullopt : core::policy::SlowerThan(median->second, 1 / seconds, least);
    if (!times || number != before + 1) end_stretch();
    if (times) stretch.push_back(*times);
    before = number;
  }
  end_stretch();
  if (slow.windows > 0) slow.times /= slow.windows;
  return slow;
}

// Returns figures of a slow task's node that may explain why the task is slow.
std::vector<std::string> NodeEvidence(const Figures& figures, const journal::TaskView& task) {
  std::vector<std::string> lines;
  const auto add = [&](std::string_view series, double limit, const std::string& what) {
    const auto curve = figures.Series(task, series);
    if (curve && curve->Mean() > limit) lines.push_back(what + " " + Percent(curve->Mean()) + " of the time");
  };
  add("gpu_throttled", 0.05, "its GPUs slowed themselves down");
  add("cpu_pressure", 0.1, "processes waited for a core");
  add("io_pressure", 0.1, "processes waited for disks");
  add("memory_pressure", 0.05, "processes waited for memory");
  std::vector<std::string> others;
  for (const journal::TaskView& other : figures.facts().job.tasks) {
    if (&other != &task && !task.node.empty() && other.node == task.node) others.push_back(NameOf(other));
  }
  if (!others.empty()) {
    lines.push_back("on the same node: " + others.front() +
                    (others.size() > 1 ? " and " + std::to_string(others.size() - 1) + " more tasks" : ""));
  }
  return lines;
}

std::string Times(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// The task with the highest figure, the second highest figure, and the mean of all tasks.
struct Spreading {
  const journal::TaskView* task = nullptr;
  double highest = 0, second = 0, mean = 0;
  int tasks = 0;

  void Add(const journal::TaskView& of, double figure) {
    mean = (mean * tasks + figure) / (tasks + 1);
    ++tasks;
    if (figure > highest) {
      second = std::exchange(highest, figure);
      task = &of;
    } else {
      second = std::max(second, figure);
    }
  }
};

constexpr double kUneven = 1.5;

std::optional<Finding> UnevenMemory(const Figures& figures, const RoleFigures& role) {
  Spreading peaks;
  for (const journal::TaskView* task : role.tasks) {
    const auto memory = figures.Series(*task, "memory_bytes");
    if (!memory) return std::nullopt;
    peaks.Add(*task, memory->Max());
  }
  const int64_t enough = core::policy::EnoughMemory(static_cast<int64_t>(peaks.second), figures.MemoryStep(role));
  if (peaks.tasks < 2 || peaks.highest <= kUneven * peaks.mean || enough >= role.granted_bytes) return std::nullopt;
  Finding finding{.severity = Severity::kLow, .role = role.spec->name, .task = NameOf(*peaks.task)};
  finding.text = finding.task + " used " + FormatBytes(static_cast<int64_t>(peaks.highest)) + " of memory, " +
                 Times(peaks.highest / peaks.mean) +
                 " times the average of its role, so that all tasks request too much";
  finding.evidence = {"second highest peak: " + FormatBytes(static_cast<int64_t>(peaks.second))};
  finding.change.other =
      "divide the work evenly, or make the task a role of its own, and request `memory: " + MemoryText(enough) +
      "` for the others";
  const double others = static_cast<double>(peaks.tasks - 1) / peaks.tasks;
  finding.saving = role.Memory(static_cast<double>(role.granted_bytes - enough) * others);
  return finding;
}

std::optional<Finding> UnevenCpu(const Figures& figures, const RoleFigures& role) {
  Spreading use;
  double peak_of_others = 0;
  for (const journal::TaskView* task : role.tasks) {
    const auto cores = figures.Series(*task, "cpu_cores");
    if (!cores) return std::nullopt;
    use.Add(*task, cores->Mean());
  }
  for (const journal::TaskView* task : role.tasks) {
    if (task != use.task) peak_of_others = std::max(peak_of_others, figures.Series(*task, "cpu_cores")->Max());
  }
  const int enough = core::policy::EnoughCores(peak_of_others);
  if (use.tasks < 2 || use.highest <= kUneven * use.mean || enough >= role.spec->vcores) return std::nullopt;
  Finding finding{.severity = Severity::kLow, .role = role.spec->name, .task = NameOf(*use.task)};
  finding.text = finding.task + " used " + Number(use.highest) + " cores, " + Times(use.highest / use.mean) +
                 " times the average of its role, so that all tasks request too many";
  finding.evidence = {"second highest average: " + Number(use.second) + " cores"};
  finding.change.other =
      "divide the work evenly, or make the task a role of its own, and request `vcores: " + std::to_string(enough) +
      "` for the others";
  const double others = static_cast<double>(use.tasks - 1) / use.tasks;
  finding.saving = role.Vcores((role.spec->vcores - enough) * others);
  return finding;
}

// The average share of its vcores that a role uses.
std::optional<double> CoresShare(const Figures& figures, const RoleFigures& role) {
  double sum = 0;
  int tasks = 0;
  for (const journal::TaskView* task : role.tasks) {
    const auto cores = figures.Series(*task, "cpu_cores");
    if (!cores) continue;
    sum += cores->Mean() / role.spec->vcores;
    ++tasks;
  }
  return tasks == 0 ? std::nullopt : std::optional(sum / tasks);
}

// Returns the highest share of the network's speed that a task of the role uses, or 0 if the speed is not known.
double NetworkShare(const Figures& figures, const RoleFigures& role) {
  double share = 0;
  for (const journal::TaskView* task : role.tasks) {
    for (const char* series : {"net_rx", "net_tx"}) {
      const auto curve = figures.Series(*task, series);
      if (curve && curve->capacity && *curve->capacity > 0) share = std::max(share, curve->Mean() / *curve->capacity);
    }
  }
  return share;
}

bool IsParameterServer(const RoleFigures& role) {
  const std::string& name = role.spec->name;
  return role.spec->kind == jobspec::RoleKind::kService && (name == "ps" || name == "server");
}

// Returns the median steps per second of a role's tasks in the run.
std::optional<double> RateOf(const RunFacts& run, const std::string& role) {
  const auto found = run.roles.find(role);
  return found == run.roles.end() ? std::nullopt : found->second.steps_per_second;
}

}  // namespace

Findings Straggler(const Figures& figures) {
  constexpr double kSlower = 1.2;
  Duration window{};
  const std::vector<RankSteps> ranks = StepsOf(figures, &window);
  const auto medians = MediansOf(ranks);
  Findings findings;
  for (const RankSteps& rank : ranks) {
    const Slow slow = SlownessOf(rank, medians, window, kSlower);
    if (slow.windows <= 0) continue;
    Finding finding{.severity = slow.times >= core::policy::kMuchSlower ? Severity::kSevere : Severity::kModerate,
                    .role = rank.task->role,
                    .task = NameOf(*rank.task)};
    const double late = slow.windows * Hours(window);
    finding.text = finding.task + " (rank " + std::to_string(rank.rank) + ")" +
                   (rank.task->node.empty() ? "" : " on " + rank.task->node) + ": its steps took " + Times(slow.times) +
                   " times as long as those of the others for " +
                   FormatDuration(Duration(static_cast<int64_t>(late * 3.6e9)));
    finding.evidence = NodeEvidence(figures, *rank.task);
    finding.change.other =
        "restart the task on another node, or find what else runs on its node; without a cause there, "
        "it has more work than the others";
    const double ran = std::max(Hours(figures.ran()), 1e-9);
    finding.saving = figures.ShareOfHeld(slow.lost * Hours(window) / ran);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings Imbalance(const Figures& figures) {
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    if (auto memory = UnevenMemory(figures, role)) findings.push_back(std::move(*memory));
    if (auto cpu = UnevenCpu(figures, role)) findings.push_back(std::move(*cpu));
  }
  return findings;
}

Findings PsBound(const Figures& figures) {
  constexpr double kFull = 0.9, kLink = 0.8, kHalf = 0.5;
  Findings findings;
  for (const RoleFigures& server : figures.roles()) {
    if (!IsParameterServer(server)) continue;
    const auto cores = CoresShare(figures, server);
    const double network = NetworkShare(figures, server);
    const bool is_full = cores && *cores >= kFull, is_link = network >= kLink;
    const RoleFigures* const workers = figures.Find("worker");
    const auto busy = workers == nullptr ? std::nullopt : CoresShare(figures, *workers);
    if ((!is_full && !is_link) || !busy || *busy >= kHalf) continue;
    Finding finding{.severity = Severity::kModerate, .role = server.spec->name};
    finding.text = server.spec->name + ": the parameter servers use " +
                   (is_full ? Percent(*cores) + " of their vcores" : Percent(network) + " of their network") +
                   ", while the workers use only " + Percent(*busy) + " of theirs and wait for them";
    finding.evidence = {CountOf(static_cast<int64_t>(server.tasks.size()), "parameter server") + ", " +
                        CountOf(static_cast<int64_t>(workers->tasks.size()), "worker")};
    const auto now = static_cast<int>(server.tasks.size());
    const int added = std::max(1, now / 2);
    finding.change.keys = {{RoleKey(server, "instances"), std::to_string(now + added)}};
    finding.change.other = "or a framework with all-reduce, which needs no parameter servers";
    finding.saving = figures.Faster(kHalf * (1 - *busy / kHalf), Multiplied(server.Requested(), 1.0 * added / now));
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings Scaling(const Figures& figures) {
  constexpr double kWorse = 0.7;
  Findings findings;
  const RunFacts& own = figures.own();
  for (const RoleFigures& role : figures.roles()) {
    const auto rate = RateOf(own, role.spec->name);
    const int tasks = static_cast<int>(role.tasks.size());
    if (!rate || role.spec->kind != jobspec::RoleKind::kWorker) continue;
    std::map<int, double> best;  // highest rate by number of tasks
    best[tasks] = *rate;
    for (const RunFacts& run : figures.facts().earlier) {
      const auto other = RateOf(run, role.spec->name);
      if (!other) continue;
      double& known = best[run.roles.at(role.spec->name).tasks];
      known = std::max(known, *other);
    }
    const auto fastest = std::max_element(best.begin(), best.find(tasks),
                                          [](const auto& a, const auto& b) { return a.second < b.second; });
    if (fastest == best.find(tasks) || *rate > kWorse * fastest->second) continue;
    Finding finding{.severity = Severity::kModerate, .role = role.spec->name};
    finding.text = role.spec->name + ": with " + CountOf(tasks, "task") + " each makes " +
                   Percent(*rate / fastest->second) + " of the steps per second that it made with " +
                   std::to_string(fastest->first);
    for (const auto& [size, steps] : best) {
      char line[96];
      std::snprintf(line, sizeof line, ": %.3g steps per second each", steps);
      finding.evidence.push_back(CountOf(size, "task") + line);
    }
    finding.change.keys = {{RoleKey(role, "instances"), std::to_string(fastest->first)}};
    // Fewer tasks need less hardware for a step. They take less wall time only if they also make more steps per second.
    finding.saving = figures.ShareOfHeld(1 - *rate / fastest->second);
    const double times_faster = fastest->first * fastest->second / (tasks * *rate);
    finding.saving.hours = Hours(figures.ran()) * std::max(0.0, 1 - 1 / times_faster);
    findings.push_back(std::move(finding));
  }
  return findings;
}

Findings Spread(const Figures& figures) {
  constexpr double kSlower = 0.9;
  const RunFacts& own = figures.own();
  if (own.gpus < 2 || own.nodes < 2) return {};
  const RoleFigures* role = nullptr;
  const RunFacts* packed = nullptr;
  double share = 1;
  for (const RoleFigures& candidate : figures.roles()) {
    const auto rate = RateOf(own, candidate.spec->name);
    if (!rate || candidate.spec->gpus <= 0) continue;
    for (const RunFacts& run : figures.facts().earlier) {
      const auto other = RateOf(run, candidate.spec->name);
      const bool same_size = other && run.gpus == own.gpus &&
                             run.roles.at(candidate.spec->name).tasks == static_cast<int>(candidate.tasks.size());
      if (!same_size || run.nodes == 0 || run.nodes >= own.nodes || *rate / *other >= std::min(share, kSlower))
        continue;
      role = &candidate;
      packed = &run;
      share = *rate / *other;
    }
  }
  if (role == nullptr) return {};
  Finding finding{.severity = Severity::kModerate, .role = role->spec->name};
  finding.text = role->spec->name + ": " + CountOf(own.gpus, "GPU") + " on " + CountOf(own.nodes, "node") + " made " +
                 Percent(share) + " of the steps per second that they made on " + std::to_string(packed->nodes);
  finding.evidence = {"compared with " + packed->id};
  const int per_node = (static_cast<int>(role->tasks.size()) + packed->nodes - 1) / packed->nodes;
  if (role->spec->max_per_node && *role->spec->max_per_node < per_node) {
    finding.change.keys = {{RoleKey(*role, "max_per_node"), std::to_string(per_node)}};
  }
  finding.change.other = "fewer and larger tasks, or `locality: {racks: [...]}` for nodes that are near each other";
  finding.saving = figures.ShareOfHeld(1 - share);
  return {std::move(finding)};
}

Findings RemoteReads(const Figures& figures) {
  constexpr double kRemote = 0.8, kLink = 0.5;
  Findings findings;
  for (const RoleFigures& role : figures.roles()) {
    Finding finding{.severity = Severity::kModerate, .role = role.spec->name};
    double worst = 0;
    for (const journal::TaskView* task : role.tasks) {
      const auto remote = figures.Series(*task, "datanodes_remote"), local = figures.Series(*task, "datanodes_local");
      const auto received = figures.Series(*task, "net_rx");
      if (!remote || !local || !received || received->capacity.value_or(0) <= 0) continue;
      const double all = remote->Mean() + local->Mean(), link = received->Mean() / *received->capacity;
      const double share = all > 0 ? remote->Mean() / all : 0;
      if (share <= kRemote || link <= kLink || link <= worst) continue;
      worst = link;
      finding.task = NameOf(*task);
      finding.text = finding.task + " reads its data from other nodes: " + Percent(share) +
                     " of its connections to DataNodes, while " +
                     (received->of_node ? (task->node.empty() ? "its node" : task->node) : "the task") + " receives " +
                     Percent(link) + " of what the network can carry";
      finding.evidence = {"connections to DataNodes of other nodes: " + Number(remote->Mean()) +
                          ", of this node: " + Number(local->Mean())};
    }
    if (worst == 0) continue;
    finding.change.other = "copy the data to each node once (`files:`), or run where it is (`locality.nodes`)";
    findings.push_back(std::move(finding));
  }
  return findings;
}

}  // namespace howdah::advice
