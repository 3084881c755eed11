// What the cluster's file system holds of a job, while it runs and afterwards.
#pragma once

#include <string>
#include <vector>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/journal/job_view.h"
#include "howdah/rpc/identity.h"

namespace howdah::backend::yarn {

enum class Tasks { kIncluded, kSkipped };

// Every entry of a journal's text; what is torn is left out.
std::vector<core::JournalEntry> DecodeJournal(const std::string& text);
journal::JobView FoldJournal(const std::string& text, Tasks tasks);
// Whether its last entry is the job's end.
bool HasEndEntry(const std::string& journal);

// With which a client may call the job's AM. kNotFound: the job has ended, or is somebody else's.
Result<rpc::Identity> ClientIdentity(HadoopClient& cluster, const JobId& id);

// The journal of a job that has ended. If no AM has lived to record the end it is recorded now, and what the job left
// in the file system is removed. report: of the application, which has ended.
Result<std::string> ReadEndedJournal(HadoopClient& cluster, const JobId& id,
                                     const ::hadoop::yarn::ApplicationReportProto& report);
// The effective job of a job that runs, or is of the history; kNotFound: it is neither.
Result<std::string> ReadJobFile(HadoopClient& cluster, const JobId& id);
// The journal of a job of the history; kNotFound: there is none.
Result<std::string> ReadHistoryJournal(HadoopClient& cluster, const JobId& id);
// The journal of a job that has not ended as its AM last stored it; before that, of its submission alone.
Result<std::string> ReadRunningJournal(HadoopClient& cluster, const JobId& id);
// What its AM had been told by then, am::EventLog's file; nullopt: it has stored none.
Result<std::optional<std::string>> ReadEventLog(HadoopClient& cluster, const JobId& id);

// The job's end: its journal and its job file go to the history, its staging directory goes away.
Status StoreHistory(HadoopClient& cluster, const JobId& id, const std::string& journal);

}  // namespace howdah::backend::yarn
