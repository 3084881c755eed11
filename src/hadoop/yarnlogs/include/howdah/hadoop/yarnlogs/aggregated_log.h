// Files of aggregated logs, as NodeManagers of Hadoop 3.3 to 3.5 write them: one or more a node and application, each
// with the log files of the containers that ran there. Two formats: TFile (LogAggregationTFileController,
// AggregatedLogFormat, org.apache.hadoop.io.file.tfile) and IndexedFile (LogAggregationIndexedFileController).
//
// Pure: bytes come from the caller, who reads them from wherever they lie. What is read at one time is bounded, however
// large a log is. One owner, one thread.
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

// A file that can be read at any place.
struct Source {
  int64_t size = 0;  // bytes
  // Exactly `size` bytes from `offset` on, or why not. Only asked for what lies within the file, at most 64 MiB of it
  // at one time (an index), for logs 256 KiB.
  std::function<Result<std::string>(int64_t offset, size_t size)> read;
};

// One log file of one container.
struct LogEntry {
  std::string container;  // "container_1795285645199_0001_01_000002"
  std::string name;       // of the file in the container's log directory
  int64_t length = 0;     // bytes

  // Where it lies in the file of the node; for AggregatedLog::Read alone.
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

// The bytes of one log file, from its beginning to its end.
class LogStream {
 public:
  virtual ~LogStream() = default;
  // The next bytes, some 256 KiB at most; empty: that was all. A log that had shrunk when it was uploaded ends early.
  virtual Result<std::string> Next() = 0;
};

class AggregatedLog {
 public:
  virtual ~AggregatedLog() = default;
  // The log files of the container, or of all if `container` is empty; those of one container stand together, sorted by
  // name. The same name may be there several times: it was uploaded in parts, which stand in their order (an
  // IndexedFile has a part again with every later upload until the file is gone from the node). Naming the container
  // may spare reading most of the file; the same list is not read twice.
  virtual Result<std::vector<LogEntry>> List(std::string_view container) = 0;
  // The bytes of an entry of List from `from` on; none if it is shorter. The stream must not outlive the log.
  virtual Result<std::unique_ptr<LogStream>> Read(const LogEntry& entry, int64_t from) = 0;
};

// Reads the file's own index; which of the two formats it is in shows in its first bytes. An error says what is wrong
// with the file: cut off, damaged, or compressed in a way that is not understood (lzo).
Result<std::unique_ptr<AggregatedLog>> OpenAggregatedLog(Source source);

}  // namespace howdah::hadoop::yarnlogs
