#include "block.h"

#include <zlib.h>

#include <algorithm>
#include <utility>

#include "bytes.h"

namespace howdah::metrics {
namespace {

constexpr int kWeightBits = 8;
constexpr uint64_t kFlagLast = 1, kFlagLastStep = 2;

// Returns the number of mantissa bits that are kept of the values of a series. Measured values have a relative error
// below 0.1 %. Reported values keep about five digits. Counters, which users compare with log files and steps, keep the
// full precision of a float.
int BitsOf(const Series& series) {
  if (IsReported(series.name)) return 16;
  if (series.name == "step" || series.name == "stdout_bytes" || series.name == "stderr_bytes") return 23;
  return 10;
}

// A sample covers a tenth of a second or more, and a number of tasks is at least 1. No job covers 1e15 seconds. So a
// weight outside these bounds comes from a damaged file.
bool IsWeight(float value) { return value >= 1e-3F && value <= 1e15F; }

Error Damaged() { return Failed("the data are damaged"); }

// --- which buckets have samples ---

// Writes the lengths of the runs of buckets without and with samples, alternating, from the first bucket to the last
// bucket with samples.
template <typename Present>
void WritePresence(ByteWriter& out, size_t buckets, const Present& present) {
  std::vector<size_t> runs;
  bool value = false;
  size_t begin = 0;
  for (size_t i = 0; i < buckets; ++i) {
    if (present(i) == value) continue;
    runs.push_back(i - begin);
    begin = i;
    value = !value;
  }
  if (value) runs.push_back(buckets - begin);
  out.Varint(runs.size());
  for (const size_t run : runs) out.Varint(run);
}

// Returns the positions of the buckets that have samples.
std::vector<uint32_t> ReadPresence(ByteReader& in, size_t buckets) {
  std::vector<uint32_t> positions;
  size_t position = 0;
  const uint64_t runs = in.Varint(buckets + 1);
  for (uint64_t i = 0; i < runs && !in.failed(); ++i) {
    const auto length = static_cast<size_t>(in.Varint(buckets - position));
    for (size_t n = 0; i % 2 == 1 && n < length; ++n) positions.push_back(static_cast<uint32_t>(position + n));
    position += length;
  }
  return positions;
}

// --- columns of floats, as differences ---

class FloatWriter {
 public:
  FloatWriter(ByteWriter& out, int bits) : out_(out), bits_(bits) {}
  void Write(float value) {
    const int32_t rounded = Rounded(value, bits_);
    WriteFrom(before_, rounded);
    before_ = rounded;
  }
  // Writes `value` as a difference to `base`, another value of the same bucket.
  void WriteAbove(float value, float base) { WriteFrom(Rounded(base, bits_), Rounded(value, bits_)); }

 private:
  void WriteFrom(int64_t base, int64_t value) { out_.Signed(value - base); }
  ByteWriter& out_;
  int bits_;
  int32_t before_ = 0;
};

class FloatReader {
 public:
  FloatReader(ByteReader& in, int bits) : in_(in), bits_(bits) {}
  float Read() {
    before_ = Sum(before_, in_.Signed());
    return Unrounded(before_, bits_);
  }
  float ReadAbove(float base) { return Unrounded(Sum(Rounded(base, bits_), in_.Signed()), bits_); }

 private:
  static int64_t Sum(int64_t base, int64_t difference) {
    constexpr int64_t kMost = int64_t{1} << 33;
    return std::clamp(base, -kMost, kMost) + std::clamp(difference, -kMost, kMost);
  }
  ByteReader& in_;
  int bits_;
  int64_t before_ = 0;
};

bool HasStep(const BlockContext& context, const TrackBlock& track) {
  return IsReported(context.series[track.series].name);
}

}  // namespace

// --- tasks ---

// Writes columns of the same kind beside each other, because columns of different series are often similar.
std::string EncodeTracks(const std::vector<TrackBlock>& tracks, const BlockContext& context) {
  ByteWriter out;
  out.Varint(tracks.size());
  for (const TrackBlock& track : tracks) {
    out.Varint(track.series);
    out.Varint(static_cast<uint64_t>(track.rank + 1));
    out.Varint(track.reason);
    out.Varint(track.capacity);
    WritePresence(out, track.buckets.size(), [&](size_t i) { return track.buckets[i].weight > 0; });
    if (!HasStep(context, track)) continue;
    out.Varint((track.last ? kFlagLast : 0) | (track.last_step ? kFlagLastStep : 0));
    if (track.last) out.Double(*track.last);
    if (track.last_step) out.Signed(*track.last_step);
  }
  const auto for_each = [&](const auto& begin, const auto& write) {
    for (const TrackBlock& track : tracks) {
      auto column = begin(track);
      for (const Bucket& bucket : track.buckets) {
        if (bucket.weight > 0) write(column, bucket);
      }
    }
  };
  const auto values = [&](const TrackBlock& track) { return FloatWriter(out, BitsOf(context.series[track.series])); };
  for_each([&](const TrackBlock&) { return FloatWriter(out, kWeightBits); },
           [](FloatWriter& column, const Bucket& bucket) { column.Write(bucket.weight); });
  for_each(values, [](FloatWriter& column, const Bucket& bucket) { column.Write(bucket.mean); });
  for_each(values, [](FloatWriter& column, const Bucket& bucket) { column.WriteAbove(bucket.max, bucket.mean); });
  for (const TrackBlock& track : tracks) {
    int64_t before = 0;
    for (size_t i = 0; i < track.buckets.size() && HasStep(context, track); ++i) {
      if (track.buckets[i].weight == 0) continue;
      const int64_t step = i < track.step.size() ? track.step[i] : 0;
      // Unsigned arithmetic may wrap around, so the difference of any two numbers fits.
      out.Signed(static_cast<int64_t>(static_cast<uint64_t>(step) - static_cast<uint64_t>(before)));
      before = step;
    }
  }
  return out.Take();
}

Result<std::vector<TrackBlock>> DecodeTracks(std::string_view bytes, const BlockContext& context) {
  ByteReader in(bytes);
  std::vector<TrackBlock> tracks;
  std::vector<std::vector<uint32_t>> positions;
  const uint64_t count = in.Varint(std::min<uint64_t>(kTracksMax, in.left()));
  for (uint64_t i = 0; i < count && !in.failed(); ++i) {
    TrackBlock& track = tracks.emplace_back();
    const uint64_t series = in.Varint();
    if (series >= context.series.size()) return Damaged();
    track.series = static_cast<uint16_t>(series);
    track.rank = static_cast<int16_t>(static_cast<int>(in.Varint(INT16_MAX)) - 1);
    track.reason = static_cast<uint8_t>(in.Varint(context.reasons == 0 ? 0 : context.reasons - 1));
    track.capacity = static_cast<uint8_t>(in.Varint(context.capacities == 0 ? 0 : context.capacities - 1));
    positions.push_back(ReadPresence(in, context.buckets));
    const bool has_step = HasStep(context, track);
    const size_t buckets = positions.back().empty() ? 0 : context.buckets;
    *context.budget -= static_cast<int64_t>(sizeof track + buckets * (sizeof(Bucket) + (has_step ? 8 : 0)));
    if (*context.budget < 0) return Failed("it has more data than a job can have");
    track.buckets.resize(buckets);
    if (!has_step) continue;
    track.step.resize(buckets);
    const uint64_t flags = in.Varint();
    if ((flags & kFlagLast) != 0) track.last = in.Double();
    if ((flags & kFlagLastStep) != 0) track.last_step = in.Signed();
  }
  const auto for_each = [&](const auto& read) {
    for (size_t t = 0; t < tracks.size(); ++t) {
      FloatReader weights(in, kWeightBits), values(in, BitsOf(context.series[tracks[t].series]));
      for (const uint32_t position : positions[t]) read(tracks[t].buckets[position], weights, values);
    }
  };
  bool valid = true;
  for_each([&](Bucket& bucket, FloatReader& weights, FloatReader&) {
    bucket.weight = weights.Read();
    valid = valid && IsWeight(bucket.weight);
  });
  for_each([](Bucket& bucket, FloatReader&, FloatReader& values) { bucket.mean = values.Read(); });
  for_each([](Bucket& bucket, FloatReader&, FloatReader& values) { bucket.max = values.ReadAbove(bucket.mean); });
  for (size_t t = 0; t < tracks.size(); ++t) {
    uint64_t step = 0;
    for (size_t i = 0; i < positions[t].size() && HasStep(context, tracks[t]); ++i) {
      step += static_cast<uint64_t>(in.Signed());
      tracks[t].step[positions[t][i]] = static_cast<int64_t>(step);
    }
  }
  if (in.failed() || !in.at_end() || !valid) return Damaged();
  return tracks;
}

// --- roles ---

std::string EncodeQuantiles(const std::vector<QuantileTrack>& tracks, const BlockContext& context) {
  ByteWriter out;
  out.Varint(tracks.size());
  for (const QuantileTrack& track : tracks) {
    const int bits = BitsOf(context.series[track.series]);
    out.Varint(track.series);
    WritePresence(out, track.buckets.size(), [&](size_t i) { return track.buckets[i].count > 0; });
    FloatWriter counts(out, kWeightBits);
    for (const QuantileBucket& bucket : track.buckets) {
      if (bucket.count > 0) counts.Write(bucket.count);
    }
    for (size_t q = 0; q < kQuantiles.size(); ++q) {
      FloatWriter values(out, bits);
      for (const QuantileBucket& bucket : track.buckets) {
        if (bucket.count == 0) continue;
        if (q == 0) values.Write(bucket.value[0]);
        if (q > 0) values.WriteAbove(bucket.value[q], bucket.value[q - 1]);
      }
    }
  }
  return out.Take();
}

Result<std::vector<QuantileTrack>> DecodeQuantiles(std::string_view bytes, const BlockContext& context) {
  ByteReader in(bytes);
  std::vector<QuantileTrack> tracks;
  const uint64_t count = in.Varint(std::min<uint64_t>(kSeriesMax, in.left()));
  bool valid = true;
  for (uint64_t i = 0; i < count && !in.failed(); ++i) {
    QuantileTrack& track = tracks.emplace_back();
    const uint64_t series = in.Varint();
    if (series >= context.series.size()) return Damaged();
    track.series = static_cast<uint16_t>(series);
    const std::vector<uint32_t> positions = ReadPresence(in, context.buckets);
    *context.budget -= static_cast<int64_t>(sizeof track + context.buckets * sizeof(QuantileBucket));
    if (*context.budget < 0) return Failed("it has more data than a job can have");
    track.buckets.resize(positions.empty() ? 0 : context.buckets);
    FloatReader counts(in, kWeightBits);
    for (const uint32_t position : positions) {
      const float number = counts.Read();
      valid = valid && IsWeight(number);
      track.buckets[position].count = number;
    }
    for (size_t q = 0; q < kQuantiles.size(); ++q) {
      FloatReader values(in, BitsOf(context.series[track.series]));
      for (const uint32_t position : positions) {
        auto& value = track.buckets[position].value;
        value[q] = q == 0 ? values.Read() : values.ReadAbove(value[q - 1]);
      }
    }
  }
  if (in.failed() || !in.at_end() || !valid) return Damaged();
  return tracks;
}

// --- merging ---

void GroupBuckets(TrackBlock& track, size_t size) {
  const std::vector<Bucket> before = std::exchange(track.buckets, {});
  track.buckets.resize((before.size() + size - 1) / size);
  for (size_t i = 0; i < before.size(); ++i) {
    track.buckets[i / size].Add(before[i]);
    if (i < track.step.size() && before[i].weight > 0) track.step[i / size] = track.step[i];
  }
  track.step.resize(track.step.empty() ? 0 : track.buckets.size());
}

void GroupBuckets(QuantileTrack& track, size_t size) {
  const std::vector<QuantileBucket> before = std::exchange(track.buckets, {});
  track.buckets.resize((before.size() + size - 1) / size);
  for (size_t i = 0; i < before.size(); ++i) track.buckets[i / size].Add(before[i]);
}

// --- zlib ---

std::string Compress(std::string_view bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string out(size, '\0');
  // compress2 fails only if the output buffer is too small or memory is exhausted.
  if (compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), Z_DEFAULT_COMPRESSION) != Z_OK) {
    return "";
  }
  out.resize(size);
  return out;
}

Result<std::string> Decompress(std::string_view bytes, size_t size) {
  std::string out(size, '\0');
  auto out_size = static_cast<uLongf>(size);
  auto in_size = static_cast<uLong>(bytes.size());
  const int result = uncompress2(reinterpret_cast<Bytef*>(out.data()), &out_size,
                                 reinterpret_cast<const Bytef*>(bytes.data()), &in_size);
  if (result != Z_OK || out_size != size || in_size != bytes.size()) return Damaged();
  return out;
}

}  // namespace howdah::metrics
