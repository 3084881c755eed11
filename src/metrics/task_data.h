// Keeps the tracks of one task in memory. A track holds one series, either of the whole task or of one of its ranks.
// The representation is compact, because a job may have hundreds of thousands of tracks.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "bucket.h"

namespace howdah::metrics {

struct Track {
  static constexpr uint16_t kNoRow = std::numeric_limits<uint16_t>::max();
  static constexpr int16_t kNoRank = -1;

  uint16_t series = 0;  // an index in Names::series
  int16_t rank = kNoRank;
  uint16_t row = kNoRow;  // the row of buckets; kNoRow until the track has a sample
  uint8_t reason = 0;     // an index in Names::reasons: why the series cannot be read at present
  uint8_t capacity = 0;   // an index in Names::capacities
  // The time of the newest sample, in eighths of a second since the beginning of the job; 0: there is no sample yet.
  // The value wraps around after two hours, which does no harm, because only short intervals between samples matter.
  uint16_t seen = 0;
};
inline constexpr size_t kTracksMax = 8192;  // the maximum number of tracks per task

// The additional data of a track of a "metric.NAME".
struct Reported {
  uint16_t row = 0;
  bool has_last_step = false;
  double last = 0;
  int64_t last_step = 0;
  std::vector<int64_t> step;  // the step of the newest value in each bucket
};

// The weighted mean of a task's samples in the present bucket of the quantiles, by row.
struct Fine {
  float weight = 0;
  float mean = 0;
};

class TaskData {
 public:
  TaskData(uint16_t role, int index) : role(role), index(index) {}

  uint16_t role;
  int32_t index;
  std::vector<Track> tracks;
  std::vector<Fine> fine;  // indexed by row; empty while no quantiles are kept

  // Returns the track, or null. Fast if the calls follow the order in which the tracks were added.
  Track* Find(uint16_t series, int16_t rank);
  // Returns null if the task has kTracksMax tracks.
  Track* AddTrack(uint16_t series, int16_t rank);
  // Adds a row to a track that has none. Returns false if the task has too many rows. has_fine: whether rows have
  // `fine`.
  bool AddRow(Track& track, bool is_reported, bool has_fine);

  // bucket must be less than capacity, the maximum number of buckets of a row.
  void Add(const Track& track, size_t bucket, size_t capacity, float weight, double value, double max);
  void Add(const Track& track, size_t bucket, size_t capacity, const Bucket& value);
  // For tracks of a "metric.NAME", after Add: the newest value and its step.
  void SetNewest(const Track& track, size_t bucket, double value, std::optional<int64_t> step);
  void SetStep(const Track& track, size_t bucket, int64_t step);

  // Merges each pair of neighbouring buckets.
  void MergePairs();
  // Frees the memory of the buckets from `capacity` on, which must be empty.
  void Trim(size_t capacity);
  // The buckets of a track; later ones are empty.
  std::span<const Bucket> Row(const Track& track) const;
  const Reported* reported(const Track& track) const;
  Reported* reported(const Track& track);

  size_t rows() const { return rows_; }
  int64_t memory() const;

 private:
  void SetStride(size_t stride);

  std::vector<Bucket> buckets_;  // rows_ * stride_ buckets
  std::vector<Reported> reported_;
  uint32_t rows_ = 0;
  uint32_t stride_ = 0;  // allocated buckets per row
  uint32_t hint_ = 0;    // the index of the track after the one that was found last
};

}  // namespace howdah::metrics
