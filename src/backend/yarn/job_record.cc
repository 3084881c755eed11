#include "howdah/backend/yarn/job_record.h"

#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/hdfs_files.h"
#include "howdah/backend/yarn/identities.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_end.h"
#include "howdah/os/process/clock.h"

namespace howdah::backend::yarn {
namespace {

// What an AM that did not live to the end has left of its journal, with the end.
std::string Ended(std::string journal, core::JobChanged end, const ::hadoop::yarn::ApplicationReportProto& report) {
  if (!journal.empty() && journal.back() != '\n') journal += '\n';
  const journal::JobView view = FoldJournal(journal, Tasks::kIncluded);
  const Instant finished =
      report.finishtime() > 0 ? Instant(std::chrono::milliseconds(report.finishtime())) : os::process::Clock().Now();
  const std::string task_reason =
      end.state == core::JobState::kKilled ? "the application was killed" : "the application master died";
  return journal + journal::EndLines(view, std::move(end), task_reason, finished);
}

std::string SubmissionOf(const ::hadoop::yarn::ApplicationReportProto& report) {
  const journal::JobView view = ViewFromReport(report);
  core::JobSubmitted submitted{view.id, view.name, "yarn", "", view.user, "", {}};
  return journal::EncodeEntry({view.submitted.value_or(Instant()), std::move(submitted)}) + "\n";
}

// Where the job file says; where its application master ran is known no more.
Status WriteHistory(HadoopClient& cluster, const JobId& id, const std::string& journal) {
  const auto text = ReadJobFile(cluster, id);
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return {};  // nothing is known of it, and none wanted
  if (!text.ok()) return text.error();
  HOWDAH_TRY(const auto spec, jobspec::ReadEffective(*text));
  return FinishTonyHistory(cluster, spec, journal, {});
}

Result<YarnAmStart> ReadAmStart(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  HOWDAH_TRY(const auto text, cluster.ReadFile(places.am_file(id)));
  return ParseAmStart(text);
}

}  // namespace

std::vector<core::JournalEntry> DecodeJournal(const std::string& text) {
  std::vector<core::JournalEntry> entries;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (auto entry = journal::DecodeEntry(std::string_view(text).substr(begin, end - begin))) {
      entries.push_back(std::move(*entry));
    }
    begin = end + 1;
  }
  return entries;
}

journal::JobView FoldJournal(const std::string& text, Tasks tasks) {
  journal::JobView view;
  for (const core::JournalEntry& entry : DecodeJournal(text)) {
    if (tasks == Tasks::kSkipped && std::holds_alternative<core::TaskChanged>(entry.change)) continue;
    view.Apply(entry);
  }
  return view;
}

bool HasEndEntry(const std::string& journal) {
  const size_t end = journal.find_last_not_of('\n');
  if (end == std::string::npos) return false;
  const size_t begin = journal.rfind('\n', end);
  const auto entry =
      journal::DecodeEntry(std::string_view(journal).substr(begin == std::string::npos ? 0 : begin + 1, end - begin));
  return entry && journal::EndsJob(*entry);
}

Result<rpc::Identity> ClientIdentity(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto start, ReadAmStart(cluster, id));
  return DecodeIdentity(start.client);
}

Result<std::string> ReadJobFile(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  auto running = cluster.ReadFile(places.job_file(id));
  if (running.ok() || running.error().code != ErrorCode::kNotFound) return running;
  return cluster.ReadFile(places.history_job_file(id));
}

Result<std::string> ReadHistoryJournal(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  return cluster.ReadFile(places.history_journal(id));
}

Result<std::string> ReadRunningJournal(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  auto journal = cluster.ReadFile(places.journal(id));
  if (journal.ok() || journal.error().code != ErrorCode::kNotFound) return journal;
  HOWDAH_TRY(const auto start, ReadAmStart(cluster, id));
  return start.submitted;
}

Result<std::optional<std::string>> ReadEventLog(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  auto events = cluster.ReadFile(places.event_log(id));
  if (events.ok()) return std::optional(std::move(*events));
  if (events.error().code == ErrorCode::kNotFound) return std::optional<std::string>();
  return events.error();
}

Status StoreHistory(HadoopClient& cluster, const JobId& id, const std::string& journal) {
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto places, cluster.StagingLayout());
  HOWDAH_TRY_STATUS(files->MakeDirectories(places.history(id), 0700));
  // The job file only moves: a later attempt to record the same end finds it in its place already.
  const Status moved = files->Rename(places.job_file(id), places.history_job_file(id), /*overwrite=*/true);
  if (!moved.ok() && moved.error().code != ErrorCode::kNotFound) return moved;
  HOWDAH_TRY_STATUS(cluster.WriteFile(places.history_journal(id), journal, 0600));
  return files->Delete(places.job(id), /*recursive=*/true);
}

Result<std::string> ReadEndedJournal(HadoopClient& cluster, const JobId& id,
                                     const ::hadoop::yarn::ApplicationReportProto& report) {
  auto recorded = ReadHistoryJournal(cluster, id);
  if (recorded.ok() && HasEndEntry(*recorded)) return recorded;
  if (!recorded.ok() && recorded.error().code != ErrorCode::kNotFound) return recorded;
  const auto left = ReadRunningJournal(cluster, id);
  const bool ours = left.ok();  // else there is nothing to tell from, and nothing to clean up
  const std::string before = ours ? *left : SubmissionOf(report);
  core::JobChanged end = EndFromReport(report);
  std::string journal = Ended(before, end, report);
  if (!ours || report.user() != cluster.user()) return journal;
  if (const Status written = WriteHistory(cluster, id, journal); !written.ok()) {
    std::string& advice = end.advice.emplace(end.advice.value_or(""));
    advice += (advice.empty() ? "" : "; ") + written.error().message;
    journal = Ended(before, end, report);
  }
  HOWDAH_TRY_STATUS(StoreHistory(cluster, id, journal));
  return journal;
}

}  // namespace howdah::backend::yarn
