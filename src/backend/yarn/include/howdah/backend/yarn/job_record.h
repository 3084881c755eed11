// The record of a job in the cluster's file system, during the job and afterwards, and TonY's history of the job if the
// job file requests one.
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

// Returns the identity with which a client calls the job's AM, or kNotFound if the job has ended or belongs to another
// user.
Result<rpc::Identity> ClientIdentity(HadoopClient& cluster, const JobId& id);

// Returns the journal of an ended job. If all AMs died before they recorded the end, records it and deletes the job's
// remaining files, unless the job belongs to another user. report: the report of the ended application.
Result<std::string> ReadEndedJournal(HadoopClient& cluster, const JobId& id,
                                     const ::hadoop::yarn::ApplicationReportProto& report);
// Returns the effective job file of a running or recorded job, or kNotFound if the job is neither.
Result<std::string> ReadJobFile(HadoopClient& cluster, const JobId& id);
// Returns the journal in the history, or kNotFound if the job is not recorded there.
Result<std::string> ReadHistoryJournal(HadoopClient& cluster, const JobId& id);
// Returns the journal that the AM of a running job stored last. Before the AM has stored one, returns the line of the
// submission.
Result<std::string> ReadRunningJournal(HadoopClient& cluster, const JobId& id);

// To be called at the end of the job. Moves the job file to the history, writes the journal there and deletes the
// staging directory.
Status StoreHistory(HadoopClient& cluster, const JobId& id, const std::string& journal);

// Write TonY's history at the start and at the end of the job. Both do nothing if the job file does not request it.
// journal: its text so far.
Status BeginTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                        const compat::tony::history::AmContainer& am);
Status FinishTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                         const compat::tony::history::AmContainer& am);

}  // namespace howdah::backend::yarn
