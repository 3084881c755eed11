// Finds and reads the output of tasks when no AM can serve it any more. The journal records the container of each
// attempt, and YARN keeps the files of the container.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/hadoop/web/web_client.h"
#include "howdah/wire/control.pb.h"

namespace howdah::backend::yarn::client {

// One file of a container's log directory.
struct LogFileLocation {
  std::string container;  // container_...
  std::string node;       // host of the NodeManager
  std::string file;       // "attempt-0.stdout"
};

// Returns the name that executors give to the log file of a source (TaskOptions::flat_logs).
std::string LogFileName(const backend::LogSource& source, bool several_processes);

// Returns the locations of stdout and stderr of every process of every started attempt. The map is ordered by task,
// attempt and rank.
std::map<backend::LogSource, LogFileLocation> LogLocations(const std::vector<core::JournalEntry>& journal);

backend::LogSource FromWire(const wire::LogSource& source);
wire::LogSource ToWire(const backend::LogSource& source);

bool Matches(const backend::LogSelection& selection, const backend::LogSource& source);

// Reads log files of ended containers. While the application runs, NodeManagers serve the files. Afterwards YARN
// aggregates them in the cluster's file system or, without log aggregation, keeps them on the nodes for a while. A file
// may be unavailable for some seconds during aggregation. If a job outlives the tokens of its submission, or a task
// leaves a node that leaves the cluster, executors store the files with the job. Single-threaded.
class LogStore {
 public:
  // user: the owner of the application.
  LogStore(HadoopClient& cluster, JobId id, std::string user);
  ~LogStore();

  using OnBytes = std::function<bool(std::string_view)>;
  // Passes the bytes of the file from `offset` to its end to on_bytes, until that returns false. Passes none if the
  // file is shorter. Returns kNotFound if the file does not appear within the limit. Does not wait if the file's node
  // is lost.
  Status Read(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes, Duration limit);

 private:
  class Aggregated;
  // A directory with logs that executors have stored with the job.
  struct Stored {
    std::string directory;
    std::set<std::string> containers;  // each has a directory of its own
  };
  Status ListStored();
  Result<bool> ReadStored(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes);
  Result<bool> ReadAggregated(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes);
  // Reads the file through the web service of the container's NodeManager. Returns false if no NodeManager has it.
  Result<bool> ReadFromNode(const LogFileLocation& location, int64_t offset, const OnBytes& on_bytes);
  hadoop::web::WebClient& web();
  bool IsNodeLost(const std::string& node);

  HadoopClient& cluster_;
  JobId id_;
  std::string user_;
  std::unique_ptr<hadoop::web::WebClient> web_;                // null before its first use
  std::map<std::string, std::unique_ptr<Aggregated>> opened_;  // opened files by path
  std::optional<std::vector<Stored>> stored_;                  // nullopt: to be listed at the next read
};

}  // namespace howdah::backend::yarn::client
