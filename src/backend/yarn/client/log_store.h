// Output of tasks that no AM can serve any more: which container wrote it, and where YARN keeps it.
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

// The name of a source's file, as executors write it (TaskOptions::flat_logs).
std::string LogFileName(const backend::LogSource& source, bool several_processes);

// Both streams of every process of every started attempt, in the order of tasks, attempts and ranks.
std::map<backend::LogSource, LogFileLocation> LogLocations(const std::vector<core::JournalEntry>& journal);

backend::LogSource FromWire(const wire::LogSource& source);
wire::LogSource ToWire(const backend::LogSource& source);

bool Matches(const backend::LogSelection& selection, const backend::LogSource& source);

// Reads log files of ended containers. While the application runs its NodeManagers serve them. Afterwards they are
// aggregated in the cluster's file system or, without log aggregation, stay on the nodes for a while. Between the two
// neither may have a file for some seconds. One thread.
class LogStore {
 public:
  // user: the owner of the application.
  LogStore(HadoopClient& cluster, JobId id, std::string user);
  ~LogStore();

  using OnBytes = std::function<void(std::string_view)>;
  // Passes on the file from `offset` to its end; nothing if it is shorter. kNotFound: nobody has the file within the
  // limit. Does not wait for a lost node.
  Status Read(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes, Duration limit);

 private:
  class Aggregated;
  Result<bool> ReadAggregated(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes);
  // From the web service of its NodeManager; false: no NodeManager has the file.
  Result<bool> ReadFromNode(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes);
  bool IsNodeLost(const std::string& node);

  HadoopClient& cluster_;
  JobId id_;
  std::string user_;
  std::map<std::string, std::unique_ptr<Aggregated>> opened_;  // by path
};

}  // namespace howdah::backend::yarn::client
