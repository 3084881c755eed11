#include "howdah/tfevents/event_file.h"

#include <algorithm>
#include <optional>

#include "howdah/base/crc.h"
#include "tensor.h"
#include "wire.h"

namespace howdah::tfevents {
namespace {

constexpr size_t kHead = 12, kFoot = 4;  // length and its checksum; checksum of the record
// A longer record is a damaged length whose checksum is right by chance.
constexpr uint64_t kLongestRecord = uint64_t{1} << 40;
constexpr std::string_view kScalars = "scalars";  // the plugin of scalars (tensorboard/plugins/scalar/metadata.py)

uint64_t MaskedCrc(std::string_view bytes) {
  const uint32_t crc = CrcOf(Crc::kCrc32c, bytes);
  return static_cast<uint32_t>((crc >> 15 | crc << 17) + 0xA282EAD8U);
}

// A Summary.Value.
struct Value {
  std::string_view tag;
  std::optional<double> simple;
  std::optional<std::string_view> tensor;
  std::optional<std::string_view> plugin;  // set if the value has metadata
};

std::string_view BytesOf(std::string_view message, uint64_t number) {
  std::string_view bytes;
  Fields fields(message);
  while (const auto field = fields.Next()) {
    if (field->number == number && field->type == Fields::Type::kBytes) bytes = field->bytes;
  }
  return bytes;
}

// SummaryMetadata.plugin_data.plugin_name
std::string_view PluginOf(std::string_view metadata) { return BytesOf(BytesOf(metadata, 1), 1); }

Value ReadValue(std::string_view message) {
  Value value;
  Fields fields(message);
  while (const auto field = fields.Next()) {
    const bool bytes = field->type == Fields::Type::kBytes;
    if (field->number == 1 && bytes) value.tag = field->bytes;
    if (field->number == 2 && field->type == Fields::Type::kFixed32) value.simple = field->AsFloat();
    if (field->number == 8 && bytes) value.tensor = field->bytes;
    if (field->number == 9 && bytes) value.plugin = PluginOf(field->bytes);
  }
  return value;
}

}  // namespace

void EventFile::Take(std::string_view bytes, const OnScalar& on_scalar) {
  size_ += static_cast<int64_t>(bytes.size());
  if (!problem_.empty()) return;
  if (rest_.empty()) {
    rest_ = TakeRecords(bytes, on_scalar);
    return;
  }
  rest_ += bytes;
  const size_t left = TakeRecords(rest_, on_scalar).size();
  rest_.erase(0, rest_.size() - left);
}

// Returns the bytes of the record at the end that is not complete.
std::string_view EventFile::TakeRecords(std::string_view bytes, const OnScalar& on_scalar) {
  for (;;) {
    const auto skipped = static_cast<size_t>(std::min<int64_t>(skipping_, static_cast<int64_t>(bytes.size())));
    bytes.remove_prefix(skipped);
    skipping_ -= static_cast<int64_t>(skipped);
    if (bytes.size() < kHead) return bytes;
    const std::string_view length_bytes = bytes.substr(0, 8);
    const uint64_t length = LittleEndian(length_bytes, 8);
    if (LittleEndian(bytes.substr(8), 4) != MaskedCrc(length_bytes) || length > kLongestRecord) {
      problem_ = "it is damaged at byte " + std::to_string(size_ - static_cast<int64_t>(bytes.size())) +
                 ", and the rest of it is ignored";
      return {};
    }
    if (length > static_cast<uint64_t>(kLargestRecord)) {
      skipping_ = static_cast<int64_t>(kHead + length + kFoot);
      continue;
    }
    if (bytes.size() < kHead + length + kFoot) return bytes;
    const std::string_view record = bytes.substr(kHead, length);
    if (LittleEndian(bytes.substr(kHead + length), 4) == MaskedCrc(record)) {
      TakeEvent(record, on_scalar);
    } else {
      ++damaged_;
    }
    bytes.remove_prefix(kHead + length + kFoot);
  }
}

void EventFile::TakeEvent(std::string_view record, const OnScalar& on_scalar) {
  constexpr uint64_t kTime = 1, kStep = 2, kSummary = 5, kValue = 1;
  Point point;
  std::string_view summary;
  Fields fields(record);
  while (const auto field = fields.Next()) {
    if (field->number == kTime && field->type == Fields::Type::kFixed64) point.time = field->AsDouble();
    if (field->number == kStep && field->type == Fields::Type::kVarint) point.step = static_cast<int64_t>(field->value);
    if (field->number == kSummary && field->type == Fields::Type::kBytes) summary = field->bytes;
  }
  if (fields.failed()) {
    ++damaged_;
    return;
  }
  Fields values(summary);
  while (const auto field = values.Next()) {
    if (field->number != kValue || field->type != Fields::Type::kBytes) continue;
    const Value value = ReadValue(field->bytes);
    if (value.tag.empty() || value.tag.size() > kLongestTag) continue;
    std::optional<double> number = value.simple;
    if (!number && value.tensor) {
      // Writers may name the plugin only in the first event of a tag.
      auto known = is_scalar_.find(value.tag);
      if (known == is_scalar_.end() && value.plugin && is_scalar_.size() < kMostTags)
        known = is_scalar_.emplace(value.tag, *value.plugin == kScalars).first;
      if (known != is_scalar_.end() && known->second) number = ScalarOfTensor(*value.tensor);
    }
    if (!number) continue;
    point.value = *number;
    on_scalar(value.tag, point);
  }
}

}  // namespace howdah::tfevents
