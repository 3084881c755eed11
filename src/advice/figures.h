// The figures that several checks use, computed once from the facts of a job. All knowledge about the names of series
// and the fields of the journal that is needed in more than one check is here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/advice/advice.h"

namespace howdah::advice {

inline constexpr double kGiB = 1024.0 * 1024 * 1024;
inline constexpr int64_t kMiB = int64_t{1} << 20;

// A bucket of a series in which something was measured.
struct Value {
  Instant at;
  double mean = 0, max = 0;
  double seconds = 0;  // covered by samples
};

// One series of one task or rank.
struct Curve {
  std::vector<Value> values;  // ordered by time
  Duration width{};           // of a bucket
  std::optional<double> capacity;
  bool of_node = false;  // the series describes the node, not the task
  std::optional<int> rank;

  double Seconds() const;
  double Mean() const;
  double Max() const;
  double Quantile(double q) const;  // of the means, weighted by time
  // The share of the time in which the mean is above the limit.
  double ShareAbove(double limit) const;
  // The values from `from` on.
  Curve From(Instant from) const;
};

struct RoleFigures {
  const jobspec::RoleSpec* spec = nullptr;
  std::vector<const journal::TaskView*> tasks;
  Duration container_time{};  // of all its tasks together
  int64_t granted_bytes = 0;  // memory of a container; as requested, if it is not known
  int64_t peak_bytes = 0;     // of the task that used most; 0: not measured
  std::string peak_task;
  int64_t highest_peak_bytes = 0;  // in this and earlier runs

  // The amounts for a resource that each of its tasks holds.
  Amounts Memory(double bytes) const;
  Amounts Vcores(double vcores) const;
  Amounts Gpus(double gpus) const;
  Amounts Requested() const;
};

class Figures {
 public:
  // The facts must live longer than this object.
  Figures(const Facts& facts, Instant now);

  const Facts& facts() const { return *facts_; }
  Instant now() const { return now_; }  // the job's end, once it has ended
  Duration wall() const { return wall_; }
  Duration ran() const { return ran_; }
  const std::vector<RoleFigures>& roles() const { return roles_; }
  const RoleFigures* Find(const std::string& role) const;

  // The series of a task, if it has at least 30 samples.
  std::optional<Curve> Series(const journal::TaskView& task, std::string_view name,
                              std::optional<int> rank = std::nullopt) const;
  // The same for the GPUs of a task, by their number: "util" stands for gpu0_util, gpu1_util, ...
  std::map<int, Curve> GpuSeries(const journal::TaskView& task, std::string_view what) const;
  // Whether something was measured, whatever the number of samples.
  std::optional<Curve> AnySeries(const journal::TaskView& task, std::string_view name,
                                 std::optional<int> rank = std::nullopt) const;

  // This run, without its findings.
  const RunFacts& own() const { return own_; }

  // The hardware that the job held, and its wall time. If grants were not recorded: what its roles requested.
  const Amounts& held() const { return held_; }
  // The same for one bucket of the time breakdown.
  Amounts Held(journal::Bucket bucket) const;
  // The job's hardware and wall time for a part of its running time.
  Amounts ShareOfHeld(double share) const;
  // The size of the steps in which the cluster grants memory.
  int64_t MemoryStep(const RoleFigures& role) const;

 private:
  void AddRoles();
  void AddPeaks(RoleFigures& role) const;
  RunFacts MakeOwn() const;
  const std::vector<const metrics::Column*>* ColumnsOf(const journal::TaskView& task) const;

  const Facts* facts_;
  Instant now_;
  Duration wall_{}, ran_{};
  std::map<std::pair<std::string_view, int>, std::vector<const metrics::Column*>> columns_;  // by task
  std::vector<RoleFigures> roles_;
  Amounts held_;
  RunFacts own_;
};

// The smaller request that is safe after this peak, rounded up to the steps in which the cluster grants memory.
int64_t MemoryToRequest(const Figures& figures, const RoleFigures& role);

// --- text
std::string Percent(double share);                                   // "41 %"
std::string Number(double value);                                    // at most one decimal
std::string MemoryText(int64_t bytes);                               // for job files: "1536MiB"
std::string RoleKey(const RoleFigures& role, std::string_view key);  // "roles.worker.memory"
std::string NameOf(const journal::TaskView& task);
double Hours(Duration duration);

}  // namespace howdah::advice
