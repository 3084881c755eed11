// Finds the job of a command: at the ResourceManager, or in the user's history.
#pragma once

#include <optional>
#include <string>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::client {

// The report of an application. The report is unset if the ResourceManager no longer has the application. In that case
// only the history may have the job.
struct Lookup {
  std::optional<::hadoop::yarn::ApplicationReportProto> report;
  bool has_ended() const;
};

Error NoSuchJob(const std::string& name, const std::string& why);

Result<Lookup> Find(HadoopClient& cluster, const JobId& id);
// Returns kUnavailable if the job belongs to another user. Only its owner can read the files of a job and use its AM.
Status CheckOwner(const HadoopClient& cluster, const JobId& id, const Lookup& known);
// Find and CheckOwner.
Result<Lookup> FindOwn(HadoopClient& cluster, const JobId& id);

// Returns the journal of a job that has ended.
Result<std::string> EndedJournal(HadoopClient& cluster, const JobId& id, const Lookup& known);

}  // namespace howdah::backend::yarn::client
