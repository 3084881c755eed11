// The files that record a job in the cluster's file system, while it runs and after it has ended. They include TonY's
// history if the job file requests it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/compat/tony/history/job.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/journal/job_view.h"
#include "howdah/rpc/identity.h"

namespace howdah::backend::yarn {

enum class Tasks { kIncluded, kSkipped };

// Returns all entries of a journal. Skips incomplete and invalid lines.
std::vector<core::JournalEntry> DecodeJournal(const std::string& text);
journal::JobView FoldJournal(const std::string& text, Tasks tasks);
// Whether the last entry records the end of the job.
bool HasEndEntry(const std::string& journal);

// Returns the identity with which clients call the job's AM, or kNotFound if the job has ended or belongs to another
// user.
Result<rpc::Identity> ClientIdentity(HadoopClient& cluster, const JobId& id);

// Returns the journal of an ended job. If all AMs died before recording the end, records it and deletes the job's
// remaining files, unless the job belongs to another user. report: the report of the ended application.
Result<std::string> ReadEndedJournal(HadoopClient& cluster, const JobId& id,
                                     const ::hadoop::yarn::ApplicationReportProto& report);
// Returns the effective job file of a running job or of a job in the history. Returns kNotFound if the job is neither.
Result<std::string> ReadJobFile(HadoopClient& cluster, const JobId& id);
// Returns the journal from the history, or kNotFound if the history does not have the job.
Result<std::string> ReadHistoryJournal(HadoopClient& cluster, const JobId& id);
// Returns the journal of a running job, as its AM last stored it. If the AM has not stored it yet, returns only the
// journal's first line, which records the submission.
Result<std::string> ReadRunningJournal(HadoopClient& cluster, const JobId& id);

// Call this at the end of the job. Moves job file, metrics, outputs and results to the history, writes the journal
// there and deletes the job's own directory.
Status StoreHistory(HadoopClient& cluster, const JobId& id, const std::string& journal);

// Write TonY's history at the start and at the end of the job. Both functions do nothing unless the job file requests
// that history. journal: the text of the journal so far.
Status BeginTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                        const compat::tony::history::AmContainer& am, Instant now);
Status FinishTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                         const compat::tony::history::AmContainer& am);

}  // namespace howdah::backend::yarn
