#include "recording.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "howdah/base/epoch.h"
#include "table_builder.h"

namespace howdah::metrics {
namespace {

constexpr char kTooMany[] = "the job has more series than can be kept";
constexpr Duration kJobMax = std::chrono::years(100);
constexpr int64_t kTickMicros = 125'000;  // the unit of Track::seen
constexpr float kTicksPerSecond = 8;
// The time that one sample can cover: the longest interval of executors.
constexpr float kCoverMin = 0.1F, kCoverMax = 60;

Limits Valid(Limits limits) {
  limits.buckets = std::clamp(limits.buckets, 1, 4096);
  limits.width = std::clamp<Duration>(limits.width, std::chrono::seconds(1), std::chrono::hours(24));
  return limits;
}

Instant Valid(Instant at) { return FromMicros(at.time_since_epoch().count()); }

int64_t QuantileBudget(const Limits& limits) { return std::max<int64_t>(0, limits.memory - limits.file) / 6; }

uint64_t KeyOf(uint16_t role, int index) { return uint64_t{role} << 32 | static_cast<uint32_t>(index); }

}  // namespace

Recording::Recording(Instant begun, Limits limits)
    : begun_(Valid(begun)),
      limits_(Valid(limits)),
      width_(limits_.width),
      capacity_(static_cast<size_t>(limits_.buckets)) {}

TaskData* Recording::FindTask(const TaskKey& key) {
  const auto role = names_.AddRole(key.role);
  if (!role) return nullptr;
  const auto found = by_key_.find(KeyOf(*role, key.index));
  if (found != by_key_.end()) return &tasks_[found->second];
  if (MemoryLeft(tasks_.size() + 1, tracks_, rows_, reported_) < 0) return nullptr;
  by_key_[KeyOf(*role, key.index)] = static_cast<uint32_t>(tasks_.size());
  return &tasks_.emplace_back(*role, key.index);
}

Track* Recording::FindTrack(TaskData& task, const Series& series, std::optional<int> rank) {
  if (rank && (*rank < 0 || *rank > INT16_MAX)) return nullptr;
  const auto id = names_.Add(series, limits_.reported);
  if (!id) return nullptr;
  const auto local_rank = static_cast<int16_t>(rank.value_or(Track::kNoRank));
  if (Track* found = task.Find(*id, local_rank)) return found;
  if (MemoryLeft(tasks_.size(), tracks_ + 1, rows_, reported_) < 0) return nullptr;
  Track* const added = task.AddTrack(*id, local_rank);
  if (added != nullptr) ++tracks_;
  return added;
}

// --- memory ---

// Returns the memory that is left for more buckets if every row already has one bucket.
int64_t Recording::MemoryLeft(size_t tasks, size_t tracks, size_t rows, size_t reported) const {
  constexpr size_t kPerTask = sizeof(TaskData) + 160;  // includes the entry of by_key_ and the overhead of the heap
  const size_t used = tasks * kPerTask + tracks * sizeof(Track) * 9 / 8 + rows * (sizeof(Bucket) + sizeof(Fine)) +
                      reported * (sizeof(Reported) + 3 * sizeof(int64_t));
  // The memory for the quantiles of all series of all roles, with the maximum number of buckets.
  const auto quantiles =
      static_cast<int64_t>(names_.series().size() * names_.roles().size() * 720 * sizeof(QuantileBucket));
  return limits_.memory - limits_.file - names_.memory() - static_cast<int64_t>(used) -
         std::min(quantiles, QuantileBudget(limits_));
}

bool Recording::AddRow(TaskData& task, Track& track) {
  const bool is_reported = IsReported(names_.series()[track.series].name);
  const size_t rows = rows_ + 1, reported = reported_ + (is_reported ? 1 : 0);
  // Keep a reserve for the reasons of series that have no row.
  const int64_t left = MemoryLeft(tasks_.size(), tracks_, rows, reported) - (limits_.memory - limits_.file) / 64;
  if (left < 0) return false;
  const auto most = 1 + static_cast<size_t>(left) / (rows * sizeof(Bucket) + reported * sizeof(int64_t));
  // Use 7/8 of the possible capacity. Otherwise, every further row would change the capacity and move all buckets.
  if (most < capacity_) Limit(most - most / 8);
  if (!task.AddRow(track, is_reported, quantiles_.has_value())) return false;
  ++rows_;
  if (is_reported) ++reported_;
  return true;
}

void Recording::Limit(size_t capacity) {
  if (!quantiles_) {
    quantiles_.emplace(width_, QuantileBudget(limits_));
    quantiles_->Begin(tasks_, used_, width_);
  }
  capacity_ = capacity;
  while (used_ > capacity_) MergeAll();
  for (TaskData& task : tasks_) task.Trim(capacity_);
}

void Recording::MergeAll() {
  for (TaskData& task : tasks_) task.MergePairs();
  used_ = (used_ + 1) / 2;
  width_ *= 2;
}

size_t Recording::BucketAt(Duration since) {
  while (since / width_ >= static_cast<int64_t>(capacity_)) MergeAll();
  const auto bucket = static_cast<size_t>(since / width_);
  used_ = std::max(used_, bucket + 1);
  return bucket;
}

int64_t Recording::memory() const {
  constexpr size_t kPerTask = 160;
  size_t size = tasks_.size() * kPerTask;
  for (const TaskData& task : tasks_) size += static_cast<size_t>(task.memory());
  return static_cast<int64_t>(size) + names_.memory() + (quantiles_ ? quantiles_->memory() : 0);
}

// --- samples ---

void Recording::Add(const TaskKey& key, const Sample& sample) {
  ++changes_;
  TaskData* const task = FindTask(key);
  if (task == nullptr) return;
  const Duration since = std::clamp<Duration>(Valid(sample.at) - begun_, Duration(0), kJobMax);
  if (quantiles_) quantiles_->OpenFor(since, tasks_);
  for (const Sample::Value& value : sample.values) Add(*task, value, since);
  for (const Sample::Absent& absent : sample.absent) {
    if (Track* track = FindTrack(*task, absent.series, absent.rank)) track->reason = names_.AddReason(absent.why);
  }
}

void Recording::Add(TaskData& task, const Sample::Value& value, Duration since) {
  const bool is_reported = IsReported(value.series.name);
  if (!is_reported && !std::isfinite(value.value)) return;
  Track* const track = FindTrack(task, value.series, value.rank);
  if (track == nullptr) return;
  if (track->row == Track::kNoRow && !AddRow(task, *track)) {
    track->reason = names_.AddReason(kTooMany);
    return;
  }
  track->reason = 0;
  if (value.capacity) track->capacity = names_.AddCapacity(*value.capacity);
  const size_t bucket = BucketAt(since);
  // Never 0, because 0 means that the track has no sample.
  const auto now = static_cast<uint16_t>(since.count() / kTickMicros | 1);
  float weight = 1;
  if (!is_reported) {
    const auto passed = static_cast<int16_t>(static_cast<uint16_t>(now - track->seen));
    weight = track->seen != 0 ? std::fabs(static_cast<float>(passed)) / kTicksPerSecond
                              : static_cast<float>(limits_.interval.count()) / 1e6F;
    weight = std::clamp(weight, kCoverMin, kCoverMax);
  }
  track->seen = now;
  const double max = value.max && !std::isnan(*value.max) ? std::fmax(*value.max, value.value) : value.value;
  task.Add(*track, bucket, capacity_, weight, value.value, is_reported || std::isfinite(max) ? max : value.value);
  if (is_reported) task.SetNewest(*track, bucket, value.value, value.step);
  if (!quantiles_) return;
  Fine& fine = task.fine[track->row];
  Bucket of_fine{fine.weight, fine.mean, fine.mean};
  of_fine.Add(weight, value.value, value.value);
  fine = {of_fine.weight, of_fine.mean};
}

// --- reading ---

std::vector<TrackBlock> Recording::TracksOf(const TaskData& task) const {
  std::vector<TrackBlock> blocks;
  blocks.reserve(task.tracks.size());
  for (const Track& track : task.tracks) {
    TrackBlock& block = blocks.emplace_back();
    block.series = track.series;
    block.rank = track.rank;
    block.reason = track.reason;
    block.capacity = track.capacity;
    const auto row = task.Row(track);
    block.buckets.assign(row.begin(), row.begin() + static_cast<ptrdiff_t>(std::min(row.size(), used_)));
    if (!row.empty()) block.buckets.resize(used_);
    const Reported* reported = task.reported(track);
    if (reported == nullptr) continue;
    block.step = reported->step;
    block.step.resize(block.buckets.size());
    block.last = reported->last;
    if (reported->has_last_step) block.last_step = reported->last_step;
  }
  return blocks;
}

std::optional<RoleQuantiles> Recording::Quantiles() const {
  if (!quantiles_) return std::nullopt;
  return quantiles_->Closed(tasks_);
}

// Finds a single task without a search through all tasks, because a client reads a large job one task at a time.
std::vector<const TaskData*> Recording::TasksOf(const Query& query) const {
  std::vector<const TaskData*> tasks;
  if (query.of != Query::Of::kRole && query.role && query.index) {
    const auto role = names_.FindRole(*query.role);
    const auto found = role ? by_key_.find(KeyOf(*role, *query.index)) : by_key_.end();
    if (found != by_key_.end()) tasks.push_back(&tasks_[found->second]);
    return tasks;
  }
  for (const TaskData& task : tasks_) {
    if (!query.role || *query.role == names_.roles()[task.role]) tasks.push_back(&task);
  }
  return tasks;
}

Table Recording::Read(const Query& query) const {
  if (quantiles_ && query.of == Query::Of::kRole) {
    const RoleQuantiles quantiles = quantiles_->Closed(tasks_);
    TableBuilder builder(query, names_, begun_, quantiles.width(), quantiles.used());
    for (const auto& [key, row] : quantiles.rows()) {
      if (builder.WantsRole(names_.roles()[key.first])) builder.AddQuantiles(key.first, key.second, row);
    }
    return builder.Take();
  }
  TableBuilder builder(query, names_, begun_, width_, used_);
  for (const TaskData* task : TasksOf(query)) {
    for (const Track& track : task->tracks) {
      TableBuilder::Part part{track.series, track.rank, track.reason, track.capacity, task->Row(track), {}, {}, {}};
      if (const Reported* reported = task->reported(track)) {
        part.step = reported->step;
        part.last = reported->last;
        if (reported->has_last_step) part.last_step = reported->last_step;
      }
      builder.Add(task->role, task->index, part);
    }
  }
  return builder.Take();
}

std::vector<TaskKey> Recording::TaskKeys() const {
  std::vector<std::pair<uint16_t, int>> order;
  for (const TaskData& task : tasks_) order.emplace_back(task.role, task.index);
  std::sort(order.begin(), order.end());
  std::vector<TaskKey> keys;
  for (const auto& [role, index] : order) keys.push_back({names_.roles()[role], index});
  return keys;
}

// --- continuing a file ---

void Recording::Load(const TaskKey& key, const std::vector<TrackBlock>& tracks, const Names& names, Duration width) {
  TaskData* const task = FindTask(key);
  if (task == nullptr) return;
  while (width_ < width) MergeAll();
  for (const TrackBlock& block : tracks) {
    const auto rank = block.rank == Track::kNoRank ? std::nullopt : std::optional<int>(block.rank);
    Track* const track = FindTrack(*task, names.series()[block.series], rank);
    if (track == nullptr) continue;
    track->reason = names_.AddReason(names.reasons()[block.reason]);
    track->capacity = names_.AddCapacity(names.capacities()[block.capacity]);
    const bool has_samples =
        std::any_of(block.buckets.begin(), block.buckets.end(), [](const Bucket& b) { return b.weight > 0; });
    if (!has_samples || (track->row == Track::kNoRow && !AddRow(*task, *track))) continue;
    for (size_t i = 0; i < block.buckets.size(); ++i) {
      if (block.buckets[i].weight == 0) continue;
      const size_t bucket = BucketAt(width * static_cast<int64_t>(i));
      task->Add(*track, bucket, capacity_, block.buckets[i]);
      if (i < block.step.size()) task->SetStep(*track, bucket, block.step[i]);
    }
    if (Reported* reported = task->reported(*track)) {
      reported->last = block.last.value_or(0);
      reported->has_last_step = block.last_step.has_value();
      reported->last_step = block.last_step.value_or(0);
    }
  }
}

void Recording::Load(const std::string& role, const std::vector<QuantileTrack>& tracks, const Names& names,
                     Duration width) {
  const auto id = names_.AddRole(role);
  if (!id) return;
  if (!quantiles_) {
    quantiles_.emplace(width, QuantileBudget(limits_));
    for (TaskData& task : tasks_) task.fine.assign(task.rows(), {});
  }
  for (const QuantileTrack& track : tracks) {
    const auto series = names_.Add(names.series()[track.series], limits_.reported);
    if (series) quantiles_->Load({*id, *series}, track.buckets, width);
  }
}

}  // namespace howdah::metrics
