// Reads files of aggregated logs, as written by NodeManagers of Hadoop 3.3 to 3.5. There are one or more per node and
// application, each with the logs of the containers that ran on the node. There are two formats: TFile
// (LogAggregationTFileController, AggregatedLogFormat, org.apache.hadoop.io.file.tfile) and IndexedFile
// (LogAggregationIndexedFileController).
//
// Pure: the caller provides the bytes. The memory used is bounded, whatever the size of a log. Not thread-safe.
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
  // Returns exactly `size` bytes at `offset`, or an error. Called only for ranges within the file, of at most 64 MiB
  // (an index) or 256 KiB (logs).
  std::function<Result<std::string>(int64_t offset, size_t size)> read;
};

// One log file of one container.
struct LogEntry {
  std::string container;  // "container_1795285645199_0001_01_000002"
  std::string name;       // file name in the container's log directory
  int64_t length = 0;     // bytes

  // Position in the node's file. Only AggregatedLog::Read uses it.
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
  // Returns the next bytes, at most about 256 KiB, or an empty string at the end. A log that shrank during its upload
  // ends early.
  virtual Result<std::string> Next() = 0;
};

class AggregatedLog {
 public:
  virtual ~AggregatedLog() = default;
  // Lists the log files of the container, or of all containers if `container` is empty, grouped by container and sorted
  // by name. A name occurs several times if its log was uploaded in parts; the parts are in order. (An IndexedFile
  // repeats a part with every later upload until the file is deleted on the node.) If `container` is given, most of the
  // file may not have to be read. The same list is not read twice.
  virtual Result<std::vector<LogEntry>> List(std::string_view container) = 0;
  // Returns the bytes of an entry of List from offset `from` on; none if the log is shorter. The log must live longer
  // than the stream.
  virtual Result<std::unique_ptr<LogStream>> Read(const LogEntry& entry, int64_t from) = 0;
};

// Reads the index of a file of either format. The error names the defect of the file: truncated, damaged, or compressed
// with an unsupported method (lzo).
Result<std::unique_ptr<AggregatedLog>> OpenAggregatedLog(Source source);

}  // namespace howdah::hadoop::yarnlogs
