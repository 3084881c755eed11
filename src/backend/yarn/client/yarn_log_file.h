// One stream of a task's output, whose bytes are read in any order.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "howdah/backend/cluster.h"
#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "job_lookup.h"
#include "log_store.h"

namespace howdah::backend::yarn::client {

// Reads from the AM while the job runs, and otherwise what the container has left. Single-threaded.
class YarnLogFile final : public backend::LogFile {
 public:
  // cluster must live longer than this object.
  YarnLogFile(HadoopClient& cluster, JobId id, backend::LogSource source);

  Result<int64_t> Size() override;
  Result<std::string> Read(int64_t offset, int64_t size) override;

 private:
  // Reads what the container has left on its node, or what was collected from there.
  Status ReadStored(const Lookup& known, int64_t offset, const LogStore::OnBytes& on_bytes);

  HadoopClient& cluster_;
  JobId id_;
  backend::LogSource source_;
  std::optional<LogFileLocation> location_;
  std::unique_ptr<LogStore> store_;
  std::optional<int64_t> final_size_;
};

}  // namespace howdah::backend::yarn::client
