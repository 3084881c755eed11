// Output whose task is gone: where YARN keeps it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::yarn::client {

// One file of a container's log directory.
struct LogFileLocation {
  std::string container;  // container_...
  std::string node;       // host of the NodeManager
  std::string file;       // "attempt-0.stdout"
};

// The name of a source's file in its container's log directory, as executors write it (TaskOptions::flat_logs).
std::string LogFileName(const backend::LogSource& source, bool several_processes);

// One thread. While an application runs its NodeManagers serve what ended containers wrote; when it has ended the files
// are gathered in the cluster's file system, or stay on the nodes for a while where that is switched off. In between
// neither may have them for some seconds.
class LogStore {
 public:
  // user: whose application it is.
  LogStore(HadoopClient& cluster, JobId id, std::string user);
  ~LogStore();

  using OnBytes = std::function<void(std::string_view)>;
  // Hands on the file from `offset` to its end. kNotFound: nobody has it within the limit; a node that is lost is not
  // waited for. A file that is there and shorter than offset gives nothing.
  Status Read(const LogFileLocation& place, int64_t offset, const OnBytes& on_bytes, Duration limit);

 private:
  class Aggregated;
  Result<bool> ReadAggregated(const LogFileLocation& place, int64_t offset, const OnBytes& on_bytes);
  Result<bool> ReadFromNode(const LogFileLocation& place, int64_t offset, const OnBytes& on_bytes);

  HadoopClient& cluster_;
  JobId id_;
  std::string user_;
  std::map<std::string, std::unique_ptr<Aggregated>> opened_;  // by path
};

}  // namespace howdah::backend::yarn::client
