#include "cluster_history.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#include <limits>

#include "howdah/base/crc.h"

namespace howdah::portal {
namespace {

constexpr int64_t kUnknown = std::numeric_limits<int64_t>::min();

void PutNumber(std::string& bytes, int64_t value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof raw);
}

int64_t NumberAt(std::string_view bytes, size_t at) {
  int64_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

using Known = std::optional<int64_t>;

void AddTo(Known& sum, const Known& more) {
  int64_t total = 0;
  const bool known = sum && more && !__builtin_add_overflow(*sum, *more, &total);
  sum = known ? Known(total) : std::nullopt;
}

void AddTo(backend::Amounts& sum, const backend::Amounts& more) {
  AddTo(sum.memory_bytes, more.memory_bytes);
  AddTo(sum.vcores, more.vcores);
  AddTo(sum.gpus, more.gpus);
}

off_t OffsetOf(int64_t minute) {
  return static_cast<off_t>(minute % ClusterHistory::kMinutes) * static_cast<off_t>(kClusterSlotBytes);
}

}  // namespace

int64_t MinuteOf(Instant at) { return std::chrono::floor<std::chrono::minutes>(at).time_since_epoch().count(); }

ClusterTotals TotalsOf(const backend::ClusterInfo& info) {
  ClusterTotals totals{.used = {0, 0, 0}, .total = {0, 0, 0}};
  for (const backend::NodeInfo& node : info.nodes) {
    ++totals.nodes;
    if (!node.usable) continue;
    ++totals.usable_nodes;
    AddTo(totals.used, node.used);
    AddTo(totals.total, node.total);
  }
  return totals;
}

ClusterPoint PointOf(const backend::ClusterInfo& info, Instant at) {
  const ClusterTotals totals = TotalsOf(info);
  return {MinuteOf(at),
          {totals.nodes, totals.usable_nodes, totals.used.memory_bytes, totals.total.memory_bytes, totals.used.vcores,
           totals.total.vcores, totals.used.gpus, totals.total.gpus, info.pending.containers,
           info.pending.amounts.memory_bytes}};
}

std::string EncodePoint(const ClusterPoint& point) {
  std::string slot;
  PutNumber(slot, point.minute);
  for (const auto& value : point.values) PutNumber(slot, value.value_or(kUnknown));
  const uint32_t crc = CrcOf(Crc::kCrc32c, slot);
  char raw[sizeof crc];
  std::memcpy(raw, &crc, sizeof crc);
  return slot.append(raw, sizeof raw);
}

std::optional<ClusterPoint> DecodePoint(std::string_view slot) {
  if (slot.size() != kClusterSlotBytes) return std::nullopt;
  const std::string_view content = slot.substr(0, slot.size() - sizeof(uint32_t));
  uint32_t crc = 0;
  std::memcpy(&crc, slot.data() + content.size(), sizeof crc);
  if (crc != CrcOf(Crc::kCrc32c, content)) return std::nullopt;
  ClusterPoint point{.minute = NumberAt(content, 0)};
  if (point.minute <= 0) return std::nullopt;
  for (size_t i = 0; i < point.values.size(); ++i) {
    const int64_t value = NumberAt(content, 8 * (i + 1));
    if (value != kUnknown) point.values[i] = value;
  }
  return point;
}

ClusterHistory::ClusterHistory(const std::string& path, Instant now)
    : file_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600)) {
  if (!file_.valid()) {
    problem_ = os::files::SystemError("opening " + path).message;
    return;
  }
  std::string bytes(kClusterSlotBytes * kMinutes, '\0');
  const ssize_t size = pread(file_.get(), bytes.data(), bytes.size(), 0);
  if (size < 0) problem_ = os::files::SystemError("reading " + path).message;
  bytes.resize(static_cast<size_t>(std::max<ssize_t>(size, 0)));
  const int64_t newest = MinuteOf(now);
  for (size_t at = 0; at + kClusterSlotBytes <= bytes.size(); at += kClusterSlotBytes) {
    const auto point = DecodePoint(std::string_view(bytes).substr(at, kClusterSlotBytes));
    if (point && point->minute > newest - kMinutes && point->minute <= newest) points_[point->minute] = *point;
  }
}

void ClusterHistory::Add(const ClusterPoint& point) {
  points_[point.minute] = point;
  points_.erase(points_.begin(), points_.upper_bound(point.minute - kMinutes));
  if (!file_.valid()) return;
  const std::string slot = EncodePoint(point);
  const ssize_t written = pwrite(file_.get(), slot.data(), slot.size(), OffsetOf(point.minute));
  problem_ = written == static_cast<ssize_t>(slot.size())
                 ? ""
                 : os::files::SystemError("writing the history of the cluster").message;
}

}  // namespace howdah::portal
