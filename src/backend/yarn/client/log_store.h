// Finds and reads output of tasks that no AM can serve any more: the container that wrote it, and the location where
// YARN keeps it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/wire/control.pb.h"

namespace howdah::backend::yarn::client {

// One file of a container's log directory.
struct LogFileLocation {
  std::string container;  // container_...
  std::string node;       // host of the NodeManager
  std::string file;       // "attempt-0.stdout"
};

// Returns the name of a source's file, as executors choose it (TaskOptions::flat_logs).
std::string LogFileName(const backend::LogSource& source, bool several_processes);

// Returns the locations of both streams of every process of every started attempt, in the order of tasks, attempts and
// ranks.
std::map<backend::LogSource, LogFileLocation> LogLocations(const std::vector<core::JournalEntry>& journal);

backend::LogSource FromWire(const wire::LogSource& source);
wire::LogSource ToWire(const backend::LogSource& source);

bool Matches(const backend::LogSelection& selection, const backend::LogSource& source);

// Reads log files of ended containers. While the application runs, the NodeManagers serve these files. Afterwards the
// files are aggregated in the cluster's file system. Without log aggregation, they stay on the nodes for a while.
// During aggregation a file may be unavailable for some seconds. Single-threaded.
class LogStore {
 public:
  // user: the owner of the application.
  LogStore(HadoopClient& cluster, JobId id, std::string user);
  ~LogStore();

  using OnBytes = std::function<void(std::string_view)>;
  // Passes the file on from `offset` to its end; passes no bytes if the file is shorter. Returns kNotFound if the file
  // is not found within the limit. Does not wait for a lost node.
  Status Read(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes, Duration limit);

 private:
  class Aggregated;
  Result<bool> ReadAggregated(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes);
  // Reads from the web service of the container's NodeManager. Returns false if no NodeManager has the file.
  Result<bool> ReadFromNode(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes);
  bool IsNodeLost(const std::string& node);

  HadoopClient& cluster_;
  JobId id_;
  std::string user_;
  std::map<std::string, std::unique_ptr<Aggregated>> opened_;  // by path
};

}  // namespace howdah::backend::yarn::client
