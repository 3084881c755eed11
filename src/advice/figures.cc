#include "figures.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "howdah/base/bytes.h"
#include "howdah/base/ids.h"
#include "howdah/core/policy/resources.h"

namespace howdah::advice {
namespace {

constexpr double kFewestSamples = 30;
// The shortest intervals between two samples. GPUs are sampled less often than the rest, because nvidia-smi is slow.
constexpr Duration kShortestInterval = std::chrono::seconds(1), kShortestGpuInterval = std::chrono::seconds(5);

double SecondsOf(Duration duration) { return std::chrono::duration<double>(duration).count(); }

Curve CurveOf(const metrics::Table& table, const metrics::Column& column) {
  Curve curve;
  curve.width = table.width;
  curve.of_node = column.series.scope == metrics::Scope::kNode;
  curve.rank = column.rank;
  curve.capacity = column.capacity;
  for (size_t i = 0; i < column.weight.size(); ++i) {
    if (!(column.weight[i] > 0)) continue;
    const double mean = static_cast<double>(column.mean[i]);
    const double max = i < column.max.size() ? static_cast<double>(column.max[i]) : mean;
    if (!std::isfinite(mean) || !std::isfinite(max)) continue;
    curve.values.push_back(
        {table.start + static_cast<int64_t>(i) * table.width, mean, max, static_cast<double>(column.weight[i])});
  }
  return curve;
}

Amounts AmountsOf(const journal::Held& held, Duration wall) {
  constexpr double kSecondsPerHour = 3600;
  return {.gpu_hours = journal::Seconds(held.gpus) / kSecondsPerHour,
          .memory_gib_hours = journal::GibSeconds(held.memory) / kSecondsPerHour,
          .vcore_hours = journal::Seconds(held.vcores) / kSecondsPerHour,
          .hours = Hours(wall)};
}

}  // namespace

double Curve::Seconds() const {
  double seconds = 0;
  for (const Value& value : values) seconds += value.seconds;
  return seconds;
}

double Curve::Mean() const {
  double sum = 0;
  for (const Value& value : values) sum += value.mean * value.seconds;
  return values.empty() ? 0 : sum / Seconds();
}

double Curve::Max() const {
  double max = 0;
  for (const Value& value : values) max = std::max(max, value.max);
  return max;
}

double Curve::Quantile(double q) const {
  std::vector<Value> sorted = values;
  std::sort(sorted.begin(), sorted.end(), [](const Value& a, const Value& b) { return a.mean < b.mean; });
  double left = q * Seconds();
  for (const Value& value : sorted) {
    left -= value.seconds;
    if (left <= 0) return value.mean;
  }
  return sorted.empty() ? 0 : sorted.back().mean;
}

double Curve::ShareAbove(double limit) const {
  double seconds = 0;
  for (const Value& value : values) seconds += value.mean > limit ? value.seconds : 0;
  return values.empty() ? 0 : seconds / Seconds();
}

Curve Curve::From(Instant from) const {
  Curve rest = *this;
  std::erase_if(rest.values, [&](const Value& value) { return value.at < from; });
  return rest;
}

Amounts RoleFigures::Memory(double bytes) const { return {.memory_gib_hours = bytes / kGiB * Hours(container_time)}; }
Amounts RoleFigures::Vcores(double vcores) const { return {.vcore_hours = vcores * Hours(container_time)}; }
Amounts RoleFigures::Gpus(double gpus) const { return {.gpu_hours = gpus * Hours(container_time)}; }
Amounts RoleFigures::Requested() const {
  return {.gpu_hours = Gpus(spec->gpus).gpu_hours,
          .memory_gib_hours = Memory(static_cast<double>(granted_bytes)).memory_gib_hours,
          .vcore_hours = Vcores(spec->vcores).vcore_hours};
}

Figures::Figures(const Facts& facts, Instant now) : facts_(&facts), now_(facts.job.finished.value_or(now)) {
  const journal::JobView& job = facts.job;
  if (job.submitted) wall_ = std::max(Duration::zero(), now_ - *job.submitted);
  if (job.started) ran_ = std::max(Duration::zero(), now_ - *job.started);
  if (facts.metrics != nullptr) {
    for (const metrics::Column& column : facts.metrics->columns) {
      if (column.index) columns_[{column.role, *column.index}].push_back(&column);
    }
  }
  AddRoles();
  own_ = MakeOwn();
  if (facts.ledger.known()) {
    held_ = AmountsOf(facts.ledger.Total(), wall_);
    return;
  }
  held_.hours = Hours(wall_);
  for (const RoleFigures& role : roles_) {
    const Amounts requested = role.Requested();
    held_.gpu_hours += requested.gpu_hours;
    held_.memory_gib_hours += requested.memory_gib_hours;
    held_.vcore_hours += requested.vcore_hours;
  }
}

void Figures::AddRoles() {
  for (const jobspec::RoleSpec& spec : facts_->spec.roles) {
    RoleFigures role;
    role.spec = &spec;
    role.container_time = facts_->trail.ContainerTime(spec.name, now_);
    role.granted_bytes = facts_->trail.GrantedTo(spec.name).value_or(core::Resources()).memory_bytes;
    if (role.granted_bytes <= 0) role.granted_bytes = spec.memory_bytes;
    for (const journal::TaskView& task : facts_->job.tasks) {
      if (task.role == spec.name) role.tasks.push_back(&task);
    }
    AddPeaks(role);
    roles_.push_back(std::move(role));
  }
}

void Figures::AddPeaks(RoleFigures& role) const {
  for (const journal::TaskView* task : role.tasks) {
    int64_t peak = task->usage.memory_peak_bytes;
    if (const auto curve = AnySeries(*task, "memory_bytes")) peak = std::max(peak, static_cast<int64_t>(curve->Max()));
    if (peak <= role.peak_bytes) continue;
    role.peak_bytes = peak;
    role.peak_task = NameOf(*task);
  }
  role.highest_peak_bytes = role.peak_bytes;
  for (const RunFacts& run : facts_->earlier) {
    const auto found = run.roles.find(role.spec->name);
    if (found != run.roles.end())
      role.highest_peak_bytes = std::max(role.highest_peak_bytes, found->second.memory_peak_bytes);
  }
}

RunFacts Figures::MakeOwn() const {
  const Trail& trail = facts_->trail;
  RunFacts run{.id = facts_->job.id,
               .submitted = facts_->job.submitted.value_or(now_),
               .ran = ran_,
               .ended = facts_->job.finished.has_value(),
               .succeeded = facts_->job.state == core::JobState::kSucceeded,
               .nodes = static_cast<int>(trail.nodes().size()),
               .interruptions = trail.failure_count()};
  auto rates = trail.StepRates();
  for (const RoleFigures& role : roles_) {
    RunFacts::Role& own = run.roles[role.spec->name];
    own.tasks = static_cast<int>(role.tasks.size());
    own.memory_peak_bytes = role.peak_bytes;
    run.gpus += role.spec->gpus * own.tasks;
    for (const journal::TaskView* task : role.tasks) {
      if (const auto cores = AnySeries(*task, "cpu_cores")) own.cores_peak = std::max(own.cores_peak, cores->Max());
    }
    auto& all = rates[role.spec->name];
    if (all.empty()) continue;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    own.steps_per_second = *middle;
  }
  return run;
}

const RoleFigures* Figures::Find(const std::string& role) const {
  const auto found =
      std::find_if(roles_.begin(), roles_.end(), [&](const RoleFigures& r) { return r.spec->name == role; });
  return found == roles_.end() ? nullptr : &*found;
}

const std::vector<const metrics::Column*>* Figures::ColumnsOf(const journal::TaskView& task) const {
  const auto found = columns_.find({task.role, task.index});
  return found == columns_.end() ? nullptr : &found->second;
}

std::optional<Curve> Figures::AnySeries(const journal::TaskView& task, std::string_view name,
                                        std::optional<int> rank) const {
  const auto* const columns = ColumnsOf(task);
  if (columns == nullptr) return std::nullopt;
  const auto column = std::find_if(columns->begin(), columns->end(), [&](const metrics::Column* candidate) {
    return candidate->rank == rank && candidate->series.name == name;
  });
  if (column == columns->end()) return std::nullopt;
  Curve curve = CurveOf(*facts_->metrics, **column);
  return curve.values.empty() ? std::nullopt : std::optional(std::move(curve));
}

std::map<int, Curve> Figures::GpuSeries(const journal::TaskView& task, std::string_view what) const {
  constexpr std::string_view kGpu = "gpu";
  std::map<int, Curve> series;
  const auto* const columns = ColumnsOf(task);
  if (columns == nullptr) return series;
  for (const metrics::Column* column : *columns) {
    const std::string& name = column->series.name;
    int number = 0;
    if (!name.starts_with(kGpu)) continue;
    const auto [end, error] = std::from_chars(name.data() + kGpu.size(), name.data() + name.size(), number);
    if (error != std::errc() || *end != '_' || std::string_view(end + 1) != what) continue;
    if (auto curve = Series(task, name)) series.emplace(number, std::move(*curve));
  }
  return series;
}

std::optional<Curve> Figures::Series(const journal::TaskView& task, std::string_view name,
                                     std::optional<int> rank) const {
  auto curve = AnySeries(task, name, rank);
  const Duration shortest = name.starts_with("gpu") ? kShortestGpuInterval : kShortestInterval;
  const double fewest = kFewestSamples * SecondsOf(std::max(facts_->spec.metrics_interval, shortest));
  return curve && curve->Seconds() >= fewest ? std::move(curve) : std::nullopt;
}

Amounts Figures::Held(journal::Bucket bucket) const {
  return AmountsOf(facts_->ledger.Of(bucket), facts_->ledger.Wall(bucket));
}

Amounts Figures::ShareOfHeld(double share) const {
  const double part = std::clamp(share, 0.0, 1.0);
  return {.gpu_hours = held_.gpu_hours * part,
          .memory_gib_hours = held_.memory_gib_hours * part,
          .vcore_hours = held_.vcore_hours * part,
          .hours = Hours(ran_) * part};
}

Amounts Figures::Faster(double share, const Amounts& more) const {
  const double rest = 1 - std::clamp(share, 0.0, 1.0);
  Amounts saving = ShareOfHeld(share);
  saving.gpu_hours = std::max(0.0, saving.gpu_hours - rest * more.gpu_hours);
  saving.memory_gib_hours = std::max(0.0, saving.memory_gib_hours - rest * more.memory_gib_hours);
  saving.vcore_hours = std::max(0.0, saving.vcore_hours - rest * more.vcore_hours);
  return saving;
}

// If the cluster does not report the step, infers it from the grant. Rounding adds less than one step to a request, so
// the result is the smallest power of two that divides the grant and is larger than the added part, or the largest
// power of two that divides the grant if none is larger than that part.
int64_t Figures::MemoryStep(const RoleFigures& role) const {
  if (facts_->cluster.memory_step_bytes) return std::max(kMiB, *facts_->cluster.memory_step_bytes);
  const int64_t added = role.granted_bytes - role.spec->memory_bytes;
  if (added <= 0) return core::policy::kMemoryStep;
  int64_t step = kMiB;
  while (step <= added && role.granted_bytes % (2 * step) == 0) step *= 2;
  return std::max(step, core::policy::kMemoryStep);
}

int64_t MemoryToRequest(const Figures& figures, const RoleFigures& role) {
  return core::policy::EnoughMemory(role.highest_peak_bytes, figures.MemoryStep(role));
}

std::string Percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", share * 100);
  return text;
}

std::string Number(double value) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f", value);
  std::string number = text;
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return number;
}

std::string MemoryText(int64_t bytes) { return BytesToText(bytes); }

std::string RoleKey(const RoleFigures& role, std::string_view key) {
  return "roles." + role.spec->name + "." + std::string(key);
}

std::string NameOf(const journal::TaskView& task) { return TaskText(task.role, task.index); }

double Hours(Duration duration) { return SecondsOf(duration) / 3600; }

Amounts Multiplied(const Amounts& amounts, double factor) {
  return {amounts.gpu_hours * factor, amounts.memory_gib_hours * factor, amounts.vcore_hours * factor,
          amounts.hours * factor};
}

}  // namespace howdah::advice
