// Fuzzed input: the file `metrics` of a job. The checksums in the file would make almost every mutation of a whole file
// useless. So the first byte selects a whole file, or one of the parts that a checksum protects: an index, the block of
// a task, the block of a role.
#include <cstddef>
#include <cstdint>
#include <string>

#include "block.h"
#include "file_index.h"
#include "howdah/metrics/file.h"
#include "howdah/metrics/recorder.h"

namespace howdah::metrics {
namespace {

constexpr size_t kBuckets = 64;
constexpr int64_t kBudget = int64_t{64} << 20;

void ReadFile(const std::string& bytes) {
  const auto file = Open(BytesOf(bytes));
  if (!file.ok()) return;
  Query query;
  for (const Query::Of of : {Query::Of::kTask, Query::Of::kRank, Query::Of::kRole}) {
    query.of = of;
    query.points += 7;
    static_cast<void>(file->Read(query));
  }
  std::string problem;
  static_cast<void>(Recorder::Continue(*file, {}, &problem).Encode());
}

void ReadIndex(const std::string& bytes) {
  const auto index = DecodeIndex(bytes);
  if (index.ok() && !DecodeIndex(EncodeIndex(*index)).ok()) __builtin_trap();
}

BlockContext Context(int64_t& budget) {
  static const Series kSeries[] = {
      {"cpu_cores", "cores", Scope::kTask}, {"step", "", Scope::kTask}, {"metric.loss", "", Scope::kTask}};
  return {kSeries, 4, 4, kBuckets, &budget};
}

// Writes the tracks that were read. The written block must be readable, and must have the same content.
void ReadTask(const std::string& bytes) {
  int64_t budget = kBudget;
  const auto tracks = DecodeTracks(bytes, Context(budget));
  if (!tracks.ok()) return;
  const std::string written = EncodeTracks(*tracks, Context(budget));
  const auto again = DecodeTracks(written, Context(budget = kBudget));
  if (!again.ok() || EncodeTracks(*again, Context(budget)) != written) __builtin_trap();
}

void ReadRole(const std::string& bytes) {
  int64_t budget = kBudget;
  const auto tracks = DecodeQuantiles(bytes, Context(budget));
  if (!tracks.ok()) return;
  const std::string written = EncodeQuantiles(*tracks, Context(budget));
  const auto again = DecodeQuantiles(written, Context(budget = kBudget));
  if (!again.ok() || EncodeQuantiles(*again, Context(budget)) != written) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'f':
      ReadFile(bytes);
      break;
    case 'i':
      ReadIndex(bytes);
      break;
    case 't':
      ReadTask(bytes);
      break;
    case 'r':
      ReadRole(bytes);
      break;
    default:
      break;
  }
  return 0;
}

}  // namespace howdah::metrics
