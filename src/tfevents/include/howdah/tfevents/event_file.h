// Reads scalars from TensorBoard's event files, as TensorFlow (tensorflow/core/lib/io/record_writer.h, event.proto,
// summary.proto) and PyTorch's SummaryWriter write them. Pure: the caller provides the bytes.
//
// A file is a sequence of records: length (8 bytes, little-endian), masked CRC-32C of the length, the record, masked
// CRC-32C of the record. Each record is a protobuf message Event.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace howdah::tfevents {

struct Point {
  int64_t step = 0;
  double time = 0;   // seconds since 1970
  double value = 0;  // may be NaN or infinite
  friend bool operator==(const Point&, const Point&) = default;
};

// One event file, which may still grow. Not thread-safe. Its memory is bounded: a record of more than kLargestRecord
// bytes is skipped, and a file has at most kMostTags tags whose values are tensors.
class EventFile {
 public:
  static constexpr int64_t kLargestRecord = int64_t{4} << 20;
  static constexpr size_t kMostTags = 10'000, kLongestTag = 1024;
  using OnScalar = std::function<void(std::string_view tag, const Point& point)>;

  // Takes the next bytes of the file, and calls on_scalar for each scalar that is complete now, in the order of the
  // file. Accepts any bytes. An incomplete record at the end waits for more bytes.
  void Take(std::string_view bytes, const OnScalar& on_scalar);

  // The number of bytes that were taken, which is the offset of the next ones.
  int64_t size() const { return size_; }
  // Why the rest of the file is ignored; one sentence without the name of the file. Empty if all is well.
  const std::string& problem() const { return problem_; }
  // The number of records that are ignored, because their checksum is wrong or they are not an Event.
  int64_t damaged() const { return damaged_; }

 private:
  std::string_view TakeRecords(std::string_view bytes, const OnScalar& on_scalar);
  void TakeEvent(std::string_view record, const OnScalar& on_scalar);

  std::string rest_;      // the beginning of an incomplete record
  int64_t skipping_ = 0;  // bytes that are left of a record that is too large
  int64_t size_ = 0, damaged_ = 0;
  std::string problem_;
  std::map<std::string, bool, std::less<>> is_scalar_;  // tags of tensors; whether their plugin is that of scalars
};

}  // namespace howdah::tfevents
