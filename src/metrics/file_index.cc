#include "file_index.h"

#include <algorithm>
#include <limits>

#include "bytes.h"
#include "howdah/base/crc.h"
#include "howdah/base/epoch.h"

namespace howdah::metrics {
namespace {

constexpr std::string_view kMagic = "howdahMT";
constexpr uint32_t kVersion = 1;
constexpr uint64_t kBlocksMax = 1'000'000;
// Limits the time that all buckets cover, so that the end of the last bucket fits into an Instant.
constexpr int64_t kSpanMax = int64_t{1} << 60;

void WriteBlocks(ByteWriter& out, const std::vector<FileIndex::Block>& blocks) {
  out.Varint(blocks.size());
  for (const FileIndex::Block& block : blocks) {
    out.Varint(block.role);
    out.Signed(block.index);
    out.Varint(block.region.offset);
    out.Varint(block.region.size);
    out.Varint(block.region.raw_size);
    out.Fixed32(block.region.crc);
  }
}

Region ReadRegion(ByteReader& in) {
  Region region;
  region.offset = in.Varint(std::numeric_limits<int64_t>::max() / 2);
  region.size = static_cast<uint32_t>(in.Varint(kRegionMax));
  region.raw_size = static_cast<uint32_t>(in.Varint(kRawMax));
  region.crc = in.Fixed32();
  return region;
}

std::vector<FileIndex::Block> ReadBlocks(ByteReader& in, size_t roles) {
  std::vector<FileIndex::Block> blocks;
  const uint64_t count = in.Varint(kBlocksMax);
  for (uint64_t i = 0; i < count && !in.failed(); ++i) {
    FileIndex::Block block;
    block.role = static_cast<uint16_t>(in.Varint(roles == 0 ? 0 : roles - 1));
    block.index = static_cast<int32_t>(std::clamp<int64_t>(in.Signed(), INT32_MIN, INT32_MAX));
    block.region = ReadRegion(in);
    blocks.push_back(block);
  }
  return blocks;
}

bool IsSpan(Duration width, size_t buckets) {
  return width >= Duration(1) && width.count() <= kSpanMax / static_cast<int64_t>(buckets + 1);
}

// Reads the texts into `names`. Returns false if `names` rejects a text, or if a text occurs twice.
bool ReadNames(ByteReader& in, Names& names) {
  const uint64_t series = in.Varint(kSeriesMax);
  for (uint64_t i = 0; i < series; ++i) {
    const std::string name(in.Text(kNameMax)), unit(in.Text(kUnitMax));
    const Scope scope = in.Varint(1) == 1 ? Scope::kNode : Scope::kTask;
    if (in.failed() || names.Add({name, unit, scope}, std::numeric_limits<int>::max()) != i) return false;
  }
  const uint64_t roles = in.Varint(kRolesMax);
  for (uint64_t i = 0; i < roles; ++i) {
    const std::string role(in.Text(kRoleMax));
    if (in.failed() || names.AddRole(role) != i) return false;
  }
  const uint64_t reasons = in.Varint(kReasonsMax);
  for (uint64_t i = 0; i < reasons; ++i) {
    const std::string reason(in.Text(kReasonMax));
    if (in.failed() || names.AddReason(reason) != i) return false;
  }
  const uint64_t capacities = in.Varint(kCapacitiesMax - 1);
  for (uint64_t i = 0; i < capacities; ++i) {
    if (names.AddCapacity(in.Double()) != i + 1) return false;
  }
  return !in.failed();
}

}  // namespace

std::string EncodeHeader(const Region& index) {
  ByteWriter out;
  for (const char c : kMagic) out.Byte(static_cast<uint8_t>(c));
  out.Fixed32(kVersion);
  out.Fixed64(index.offset);
  out.Fixed32(index.size);
  out.Fixed32(index.raw_size);
  out.Fixed32(index.crc);
  std::string header = out.Take();
  ByteWriter crc;
  crc.Fixed32(CrcOf(Crc::kCrc32c, header));
  return header + crc.Take();
}

Result<Region> DecodeHeader(std::string_view bytes) {
  if (!bytes.starts_with(kMagic)) return Failed("it is not a metrics file of Howdah");
  if (bytes.size() < kHeaderSize) return Failed("it ends within its header");
  ByteReader in(bytes.substr(kMagic.size()));
  const uint32_t version = in.Fixed32();
  if (version != kVersion) {
    return Failed("it has version " + std::to_string(version) + " of the format, and this program reads version " +
                  std::to_string(kVersion));
  }
  Region index;
  index.offset = in.Fixed64();
  index.size = in.Fixed32();
  index.raw_size = in.Fixed32();
  index.crc = in.Fixed32();
  const uint32_t crc = in.Fixed32();
  if (crc != CrcOf(Crc::kCrc32c, bytes.substr(0, kHeaderSize - 4))) return Failed("its header is damaged");
  if (index.size > kRegionMax || index.raw_size > kRawMax || index.offset > INT64_MAX / 2) {
    return Failed("its header is invalid");
  }
  return index;
}

std::string EncodeIndex(const FileIndex& index) {
  ByteWriter out;
  out.Signed(index.begun.time_since_epoch().count());
  out.Varint(static_cast<uint64_t>(index.width.count()));
  out.Varint(index.buckets);
  out.Varint(static_cast<uint64_t>(index.quantile_width.count()));
  out.Varint(index.quantile_buckets);
  out.Varint(index.names.series().size());
  for (const Series& series : index.names.series()) {
    out.Text(series.name);
    out.Text(series.unit);
    out.Varint(series.scope == Scope::kNode ? 1 : 0);
  }
  for (const auto* texts : {&index.names.roles(), &index.names.reasons()}) {
    out.Varint(texts->size());
    for (const std::string& text : *texts) out.Text(text);
  }
  out.Varint(index.names.capacities().size() - 1);
  for (size_t i = 1; i < index.names.capacities().size(); ++i) out.Double(index.names.capacities()[i]);
  WriteBlocks(out, index.tasks);
  WriteBlocks(out, index.roles);
  return out.Take();
}

Result<FileIndex> DecodeIndex(std::string_view bytes) {
  ByteReader in(bytes);
  FileIndex index;
  index.begun = FromMicros(in.Signed());
  index.width = Duration(static_cast<int64_t>(in.Varint(kSpanMax)));
  index.buckets = static_cast<size_t>(in.Varint(kBucketsMax));
  index.quantile_width = Duration(static_cast<int64_t>(in.Varint(kSpanMax)));
  index.quantile_buckets = static_cast<size_t>(in.Varint(kBucketsMax));
  if (!ReadNames(in, index.names)) return Failed("its index is damaged");
  index.tasks = ReadBlocks(in, index.names.roles().size());
  index.roles = ReadBlocks(in, index.names.roles().size());
  const bool has_roles = !index.names.roles().empty() || (index.tasks.empty() && index.roles.empty());
  const bool valid = IsSpan(index.width, index.buckets) && IsSpan(index.quantile_width, index.quantile_buckets);
  if (in.failed() || !in.at_end() || !has_roles || !valid) return Failed("its index is damaged");
  return index;
}

}  // namespace howdah::metrics
