// Reads files of aggregated logs, as NodeManagers of Hadoop 3.3 to 3.5 write them. Each node writes one or more files
// per application, with the logs of the containers that ran on the node. There are two formats: TFile
// (LogAggregationTFileController, AggregatedLogFormat, org.apache.hadoop.io.file.tfile) and IndexedFile
// (LogAggregationIndexedFileController).
//
// Pure: the caller provides the bytes. Memory is bounded, regardless of the size of a log. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::hadoop::yarnlogs {

// A file with random access.
struct Source {
  int64_t size = 0;  // bytes
  // Returns exactly `size` bytes at `offset`, or an error. The range is always within the file, and has at most 64 MiB
  // (an index) or 256 KiB (logs).
  std::function<Result<std::string>(int64_t offset, size_t size)> read;
};

// One log file of one container.
struct LogEntry {
  std::string container;  // "container_1795285645199_0001_01_000002"
  std::string name;       // file name in the container's log directory
  int64_t length = 0;     // bytes

  // The position of the log in the file. Only AggregatedLog::Read uses it.
  struct Position {
    int64_t block = 0;
    int64_t offset = 0;
    int64_t size = 0;
    bool last = false;
    friend bool operator==(const Position&, const Position&) = default;
  };
  Position position;
  friend bool operator==(const LogEntry&, const LogEntry&) = default;
};

// The bytes of one log file in order.
class LogStream {
 public:
  virtual ~LogStream() = default;
  // Returns the next bytes, at most about 256 KiB, or an empty string at the end. If a log shrank while it was
  // uploaded, the stream ends early.
  virtual Result<std::string> Next() = 0;
};

class AggregatedLog {
 public:
  virtual ~AggregatedLog() = default;
  // Lists the log files of `container`, or of all containers if `container` is empty. The entries are grouped by
  // container and sorted by name. A log that was uploaded in parts has one entry per part, in order. (In an IndexedFile
  // every later upload repeats the earlier parts, until the node deletes the log.) Listing a single container may need
  // only a small part of the file. Lists are cached: a second call with the same `container` does not read the file.
  virtual Result<std::vector<LogEntry>> List(std::string_view container) = 0;
  // Returns the bytes of a listed entry from offset `from` on, or none if the log is shorter. The AggregatedLog must
  // outlive the stream.
  virtual Result<std::unique_ptr<LogStream>> Read(const LogEntry& entry, int64_t from) = 0;
};

// Reads the index of a file in either format. An error states what is wrong with the file: truncated, damaged, or
// compressed with an unsupported method (lzo).
Result<std::unique_ptr<AggregatedLog>> OpenAggregatedLog(Source source);

}  // namespace howdah::hadoop::yarnlogs
