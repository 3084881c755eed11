#include <algorithm>
#include <utility>

#include "block.h"
#include "file_index.h"
#include "howdah/base/crc.h"
#include "howdah/metrics/recorder.h"
#include "recording.h"

namespace howdah::metrics {
namespace {

// The amount of uncompressed data per step: compressing it takes a few milliseconds.
constexpr size_t kStepBytes = size_t{64} << 10;

constexpr size_t GroupsOf(size_t buckets, size_t size) { return (buckets + size - 1) / size; }

}  // namespace

class Encoder::Impl {
 public:
  explicit Impl(const Recording& recording) : recording_(recording) { Begin(); }

  bool Step() {
    if (recording_.width() != width_) Begin();  // start again, because the blocks so far have buckets of another width
    for (size_t done = 0; done < kStepBytes && next_ < recording_.tasks().size();) {
      done += AddTask(recording_.tasks()[next_++]);
      if (Fits()) continue;
      Shrink();
      return true;
    }
    if (next_ < recording_.tasks().size()) return true;
    Finish();
    return false;
  }

  std::string Take() { return std::move(file_); }

 private:
  // Starts the file with the quantiles of roles. They take at most half of the file.
  void Begin() {
    next_ = 0;
    width_ = recording_.width();
    buckets_ = recording_.used();
    const auto quantiles = recording_.Quantiles();
    for (size_t size = 1;; size *= 2) {
      file_.assign(kHeaderSize, '\0');
      index_ = FileIndex();
      index_.begun = recording_.begun();
      index_.quantile_width = width_;
      if (!quantiles) break;
      index_.quantile_width = quantiles->width() * static_cast<int64_t>(size);
      index_.quantile_buckets = GroupsOf(quantiles->used(), size);
      AddRoles(*quantiles, size);
      if (static_cast<int64_t>(file_.size()) <= recording_.limits().file / 2 || index_.quantile_buckets <= 1) break;
    }
  }

  void AddRoles(const RoleQuantiles& quantiles, size_t size) {
    for (auto row = quantiles.rows().begin(); row != quantiles.rows().end();) {
      const uint16_t role = row->first.first;
      std::vector<QuantileTrack> tracks;
      for (; row != quantiles.rows().end() && row->first.first == role; ++row) {
        tracks.push_back({row->first.second, row->second});
        tracks.back().buckets.resize(quantiles.used());
        GroupBuckets(tracks.back(), size);
      }
      const BlockContext context{recording_.names().series(), recording_.names().reasons().size(),
                                 recording_.names().capacities().size(), index_.quantile_buckets, nullptr};
      index_.roles.push_back({role, 0, AddRegion(EncodeQuantiles(tracks, context))});
    }
  }

  // Returns the amount of data that was compressed.
  size_t AddTask(const TaskData& task) {
    std::vector<TrackBlock> tracks = recording_.TracksOf(task);
    for (TrackBlock& track : tracks) {
      if (track.buckets.empty()) continue;
      // Buckets that were added since Begin are part of the next file.
      track.buckets.resize(buckets_);
      if (!track.step.empty()) track.step.resize(buckets_);
      GroupBuckets(track, group_);
    }
    const BlockContext context{recording_.names().series(), recording_.names().reasons().size(),
                               recording_.names().capacities().size(), GroupsOf(buckets_, group_), nullptr};
    const std::string raw = EncodeTracks(tracks, context);
    index_.tasks.push_back({task.role, task.index, AddRegion(raw)});
    return raw.size() + 256;
  }

  Region AddRegion(const std::string& raw) {
    const std::string bytes = Compress(raw);
    const Region region{file_.size(), static_cast<uint32_t>(bytes.size()), static_cast<uint32_t>(raw.size()),
                        CrcOf(Crc::kCrc32c, bytes)};
    file_ += bytes;
    return region;
  }

  // Whether the blocks so far leave enough space for the index.
  bool Fits() const {
    constexpr size_t kPerBlock = 20, kPerText = 64;
    const Names& names = recording_.names();
    const size_t blocks = index_.tasks.size() + recording_.tasks().size() - next_ + index_.roles.size();
    const size_t texts = names.series().size() + names.roles().size() + names.reasons().size();
    return static_cast<int64_t>(file_.size() + blocks * kPerBlock + texts * kPerText) <= recording_.limits().file;
  }

  // Starts again with half as many buckets. If even one bucket per series is too much, the file has fewer tasks.
  void Shrink() {
    if (GroupsOf(buckets_, group_) > 1) {
      group_ *= 2;
      return Begin();
    }
    next_ = recording_.tasks().size();
    for (; !Fits() && !index_.tasks.empty(); index_.tasks.pop_back()) {
      file_.resize(static_cast<size_t>(index_.tasks.back().region.offset));
    }
  }

  void Finish() {
    index_.names = recording_.names();
    index_.width = width_ * static_cast<int64_t>(group_);
    index_.buckets = GroupsOf(buckets_, group_);
    const std::string header = EncodeHeader(AddRegion(EncodeIndex(index_)));
    file_.replace(0, kHeaderSize, header);
  }

  const Recording& recording_;
  std::string file_;
  FileIndex index_;
  size_t next_ = 0;   // the index of the next task
  size_t group_ = 1;  // the number of buckets that are merged into one bucket of the file
  Duration width_{0};
  size_t buckets_ = 0;
};

Encoder::Encoder(const Recorder& recorder) : impl_(std::make_unique<Impl>(recorder.impl_->recording)) {}
Encoder::~Encoder() = default;
bool Encoder::Step() { return impl_->Step(); }
std::string Encoder::Take() { return impl_->Take(); }

}  // namespace howdah::metrics
