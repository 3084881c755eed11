// Keeps the metrics of a running job in bounded memory. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/metrics/table.h"

namespace howdah::metrics {

class File;

struct Limits {
  int buckets = 720;                            // the maximum number of buckets per series
  Duration width = std::chrono::seconds(5);     // the initial width of a bucket
  Duration interval = std::chrono::seconds(5);  // the interval between the samples of a task
  int64_t file = int64_t{4} << 20;              // the maximum size of the encoded file, in bytes
  int64_t memory = int64_t{16} << 20;  // the maximum memory of the recorder and one encoded file together, in bytes
  int reported = 64;                   // the maximum number of different names of "metric.NAME"
};

// The measurements of one task in one interval.
struct Sample {
  struct Value {
    Series series;
    std::optional<int> rank;  // the local rank; set only for series of one rank
    double value = 0;
    std::optional<double> max;       // the highest value within the interval
    std::optional<int64_t> step;     // set only for "metric.NAME"
    std::optional<double> capacity;  // the highest possible value, if it is known
  };
  struct Absent {
    Series series;
    std::optional<int> rank;
    std::string why;  // one sentence
  };
  Instant at;  // the end of the interval
  std::vector<Value> values;
  std::vector<Absent> absent;  // series that cannot be read
};

// Every series has buckets of mean and maximum, of equal width for all tasks. When the buckets of a job are full, they
// are merged in pairs. If a job has so many series that Limits::buckets for each of them would need too much memory,
// each series gets fewer buckets. The recorder then also keeps the quantiles of each role, which have Limits::buckets
// buckets.
//
// Single-threaded. Every call is legal at any time with any value: samples may come in any order, with gaps and with
// wrong clocks. A sample from before `begun` counts in the first bucket. NaN and infinities are kept for "metric.NAME"
// and ignored for other series.
class Recorder {
 public:
  Recorder(Instant begun, Limits limits);
  // Continues a file. Parts of the file that cannot be read are missing in the result; `problem` then names them.
  static Recorder Continue(const File& file, Limits limits, std::string* problem);
  ~Recorder();
  Recorder(Recorder&&) noexcept;
  Recorder& operator=(Recorder&&) noexcept;

  void Add(const TaskKey& task, const Sample& sample);

  // Encodes the file. See docs/metrics.md for its format, and Encoder for encoding in steps.
  std::string Encode() const;
  Table Read(const Query& query) const;
  std::vector<TaskKey> tasks() const;  // ordered as in Table

  Instant begun() const;
  // An upper bound of the memory that the recorder uses, without an encoded file.
  int64_t memory() const;
  // The number of calls of Add. If it is unchanged, Encode returns the same bytes as before.
  uint64_t changes() const;

 private:
  friend class Encoder;
  class Impl;
  explicit Recorder(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Encodes a file in steps of a few milliseconds at most, so that a loop can do other work in between. The recorder may
// get samples between the steps.
class Encoder {
 public:
  // The recorder must live longer than the encoder.
  explicit Encoder(const Recorder& recorder);
  ~Encoder();
  // Encodes the next part. Returns false if the file is complete.
  bool Step();
  // The file. Call it once, after Step has returned false.
  std::string Take();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace howdah::metrics
