// The workloads `demo` and `fleet`.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

#include "hours.h"
#include "howdah/autoscale/model/workload.h"
#include "howdah/base/bytes.h"
#include "howdah/base/number.h"
#include "howdah/base/random.h"
#include "howdah/base/text.h"

namespace howdah::autoscale::model {
namespace {

using admission::Tasks;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr int64_t kGib = 1024;  // in MiB
constexpr int kLargestFleet = 10'000;

// --- demo ---

constexpr int kDemoJobs = 11;
constexpr Duration kDemoPause = seconds(2);
constexpr Duration kDemoRun = seconds(90);

// --- fleet ---

constexpr Duration kDay = hours(24), kLongestRun = hours(6);
constexpr double kLoad = 0.4, kSwing = 0.9, kBursts = 0.03, kSigma = 0.8;
constexpr int kBurstJobs = 8, kNodeGpus = 4;
constexpr int64_t kNodeMemory = 240 * kGib, kFleetMemory = 55 * kGib;

// A class of jobs.
struct Class {
  double share = 0;
  Tasks tasks;
  Duration median{0};

  // The nodes that one job takes, in fractions of a node.
  double NodesOf() const {
    const double memory = static_cast<double>(tasks.each.memory_mib) / static_cast<double>(kNodeMemory);
    const double gpus = static_cast<double>(tasks.each.gpus) / kNodeGpus;
    return static_cast<double>(tasks.count) * std::max(memory, gpus);
  }
  // The mean of a log-normal distribution.
  double MeanHours() const { return HoursOf(median) * std::exp(kSigma * kSigma / 2); }
};

std::vector<Class> ClassesOf(int nodes, int64_t memory_mib) {
  const auto large = static_cast<int64_t>(std::lround(16 * std::sqrt(nodes / 100.0)));
  return {{0.4, {2, {16 * kGib, 1, 0, {}}}, minutes(10)},
          {0.3, {1, {memory_mib, 1, 1, {}}}, minutes(25)},
          {0.2, {4, {4 * memory_mib, 1, kNodeGpus, {}}}, minutes(30)},
          {0.1, {std::max<int64_t>(large, 1), {4 * memory_mib, 1, kNodeGpus, {}}}, minutes(40)}};
}

// In (0, 1].
double Uniform(Random& random) { return (static_cast<double>(random.Next() >> 11) + 1) / 9007199254740992.0; }

// By Box and Muller.
double Normal(Random& random) {
  return std::sqrt(-2 * std::log(Uniform(random))) * std::cos(2 * std::numbers::pi * Uniform(random));
}

Duration Seconds(double count) { return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(count)); }

Duration DrawRun(const Class& some, Random& random) {
  const double median = std::chrono::duration<double>(some.median).count();
  return std::min(Seconds(median * std::exp(kSigma * Normal(random))), Duration(kLongestRun));
}

const Class& Draw(const std::vector<Class>& classes, Random& random) {
  double rest = Uniform(random);
  for (const Class& some : classes) {
    if ((rest -= some.share) <= 0) return some;
  }
  return classes.back();
}

Result<int> NumberOf(const std::string& text, int most) {
  const auto number = ParseNumber<int>(text);
  if (number && *number > 0 && *number <= most) return *number;
  return Error{ErrorCode::kUsage, "'" + text + "' is not a number of nodes from 1 to " + std::to_string(most)};
}

}  // namespace

Workload Demo(Duration run) {
  Workload workload{.node = {{12 * kGib, 4, 0, {}}, ""}};
  for (int i = 0; i < kDemoJobs; ++i) {
    workload.jobs.push_back({.id = "job-" + std::to_string(i + 1),
                             .at = kDemoPause * i,
                             .run = run,
                             .tasks = {{2, {4 * kGib, 1, 0, {}}}, {1, {2 * kGib, 1, 0, {}}}}});
  }
  return workload;
}

Workload Fleet(int nodes, int64_t memory_mib, uint64_t seed) {
  Workload workload{.node = {{kNodeMemory, 64, kNodeGpus, {}}, ""},
                    .bounds = std::pair(std::max(nodes / 50, 2), nodes)};
  const std::vector<Class> classes = ClassesOf(nodes, memory_mib);
  double node_hours = kBursts * (kBurstJobs - 1) * classes[1].NodesOf() * classes[1].MeanHours();
  for (const Class& some : classes) node_hours += some.share * some.NodesOf() * some.MeanHours();
  const double per_second = kLoad * nodes / node_hours / 3600;
  Random random(seed);
  const double day = std::chrono::duration<double>(kDay).count();
  const auto add = [&](double at, const Class& some) {
    workload.jobs.push_back({.id = "job-" + std::to_string(workload.jobs.size() + 1),
                             .at = Seconds(at),
                             .run = DrawRun(some, random),
                             .tasks = {some.tasks}});
  };
  // A Poisson process with a rate that changes: candidates at the highest rate, of which a part is taken.
  const double most = per_second * (1 + kSwing);
  for (double at = -std::log(Uniform(random)) / most; at < day; at -= std::log(Uniform(random)) / most) {
    const double rate = per_second * (1 + kSwing * std::sin(2 * std::numbers::pi * at / day));
    if (Uniform(random) * most > rate) continue;
    if (random.Chance(kBursts)) {
      for (int i = 0; i < kBurstJobs; ++i) add(at, classes[1]);
    } else {
      add(at, Draw(classes, random));
    }
  }
  return workload;
}

Result<std::optional<Workload>> ModelOf(const std::string& name, uint64_t seed) {
  const size_t colon = std::min(name.find(':'), name.size());
  const std::string model = name.substr(0, colon);
  const std::string rest = colon < name.size() ? name.substr(colon + 1) : "";
  if (model == "demo") {
    const auto run = rest.empty() ? std::optional(Duration(kDemoRun)) : ParseDuration(rest);
    if (!run || *run <= Duration(0)) {
      return Error{ErrorCode::kUsage, "'" + rest + "' is not a duration of the training; write for example demo:240s"};
    }
    return std::optional(Demo(*run));
  }
  if (model != "fleet") return std::optional<Workload>();
  const size_t second = std::min(rest.find(':'), rest.size());
  HOWDAH_TRY(const int nodes, NumberOf(rest.substr(0, second), kLargestFleet));
  int64_t memory = kFleetMemory;
  if (second < rest.size()) {
    const auto bytes = ParseBytes(rest.substr(second + 1));
    if (!bytes || *bytes >> 20 <= 0 || *bytes >> 20 > kFleetMemory) {
      return Error{ErrorCode::kUsage, "'" + rest.substr(second + 1) +
                                          "' is not the memory of a task with one GPU; write up to 55GiB, as in "
                                          "fleet:100:30GiB"};
    }
    memory = *bytes >> 20;
  }
  return std::optional(Fleet(nodes, memory, seed));
}

}  // namespace howdah::autoscale::model
