// The figures that several checks use, computed once from the facts of a job. Names of series and fields of the journal
// that more than one check needs are used only here.
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
  double seconds = 0;  // time that samples cover
};

// One series of one task or rank.
struct Curve {
  std::vector<Value> values;  // ordered by time
  Duration width{};           // width of a bucket
  std::optional<double> capacity;
  bool of_node = false;  // the series describes the node, not the task
  std::optional<int> rank;

  double Seconds() const;
  double Mean() const;
  double Max() const;
  double Quantile(double q) const;  // quantile of the means, weighted by time
  // The share of the time in which the mean is above the limit.
  double ShareAbove(double limit) const;
  // The values from `from` on.
  Curve From(Instant from) const;
};

struct RoleFigures {
  const jobspec::RoleSpec* spec = nullptr;
  std::vector<const journal::TaskView*> tasks;
  Duration container_time{};  // time for which its tasks had containers, added up
  int64_t granted_bytes = 0;  // memory of one container; the request if the grant is not known
  int64_t peak_bytes = 0;     // peak of the task that used most memory; 0: not measured
  std::string peak_task;
  int64_t highest_peak_bytes = 0;  // highest peak in this and earlier runs

  // Return the resource hours of all tasks together, if each task holds this amount while it has a container. Requested
  // uses the amounts of the job file, and the memory of the grant.
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
  // Returns the series of the GPUs of a task in the same way, by GPU number. what: "util" stands for gpu0_util,
  // gpu1_util, ...
  std::map<int, Curve> GpuSeries(const journal::TaskView& task, std::string_view what) const;
  // Returns the series of a task regardless of its number of samples, or nullopt if nothing was measured.
  std::optional<Curve> AnySeries(const journal::TaskView& task, std::string_view name,
                                 std::optional<int> rank = std::nullopt) const;

  // The facts about this run, without its findings.
  const RunFacts& own() const { return own_; }

  // The hardware that the job held, and its wall time. If grants were not recorded, the hardware is what its roles
  // requested.
  const Amounts& held() const { return held_; }
  // The hardware that the job held in one bucket, and the job's wall time in that bucket.
  Amounts Held(journal::Bucket bucket) const;
  // The job's hardware and wall time for a part of its running time.
  Amounts ShareOfHeld(double share) const;
  // The saving if the job takes this share less time, but holds more hardware. `more`: the additional hardware over the
  // job's present time. Hardware of which the job would hold more than now is not saved (0).
  Amounts Faster(double share, const Amounts& more) const;
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
  std::map<std::pair<std::string_view, int>, std::vector<const metrics::Column*>> columns_;  // series of each task
  std::vector<RoleFigures> roles_;
  Amounts held_;
  RunFacts own_;
};

// Returns the smallest memory request that is safe for the role's highest peak, rounded up to the steps in which the
// cluster grants memory.
int64_t MemoryToRequest(const Figures& figures, const RoleFigures& role);

// --- text
std::string Percent(double share);                                   // "41 %"
std::string Number(double value);                                    // with at most one decimal
std::string MemoryText(int64_t bytes);                               // a value for job files: "1536MiB"
std::string RoleKey(const RoleFigures& role, std::string_view key);  // "roles.worker.memory"
std::string NameOf(const journal::TaskView& task);
double Hours(Duration duration);
Amounts Multiplied(const Amounts& amounts, double factor);

}  // namespace howdah::advice
