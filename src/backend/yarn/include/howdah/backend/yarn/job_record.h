// The record of a job in the cluster's file system, during the job and afterwards, and TonY's history of it, where the
// job file asks for one.
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

// All entries of a journal; torn lines are skipped.
std::vector<core::JournalEntry> DecodeJournal(const std::string& text);
journal::JobView FoldJournal(const std::string& text, Tasks tasks);
// Whether the last entry is the end of the job.
bool HasEndEntry(const std::string& journal);

// The identity with which a client calls the job's AM. kNotFound: the job has ended or belongs to another user.
Result<rpc::Identity> ClientIdentity(HadoopClient& cluster, const JobId& id);

// The journal of an ended job. If no AM lived to record the end, this records it and deletes what the job left in the
// file system. report: of the ended application.
Result<std::string> ReadEndedJournal(HadoopClient& cluster, const JobId& id,
                                     const ::hadoop::yarn::ApplicationReportProto& report);
// The effective job file of a running or recorded job. kNotFound: the job is neither.
Result<std::string> ReadJobFile(HadoopClient& cluster, const JobId& id);
// The journal in the history. kNotFound: the job is not recorded there.
Result<std::string> ReadHistoryJournal(HadoopClient& cluster, const JobId& id);
// The journal that the AM of a running job stored last; before the first time, the line of the submission.
Result<std::string> ReadRunningJournal(HadoopClient& cluster, const JobId& id);
// The event log (am::EventLog) that the AM stored last; nullopt: none yet.
Result<std::optional<std::string>> ReadEventLog(HadoopClient& cluster, const JobId& id);

// At the end of the job: moves journal and job file to the history and deletes the staging directory.
Status StoreHistory(HadoopClient& cluster, const JobId& id, const std::string& journal);

// TonY's history, at the start and at the end of the job; nothing if the job file does not ask for it. journal: its
// text up to then.
Status BeginTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                        const compat::tony::history::AmContainer& am);
Status FinishTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                         const compat::tony::history::AmContainer& am);

}  // namespace howdah::backend::yarn
