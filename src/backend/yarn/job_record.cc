#include "howdah/backend/yarn/job_record.h"

#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/base/epoch.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/journal/job_end.h"
#include "howdah/os/process/clock.h"
#include "howdah/storage/history/write.h"

namespace howdah::backend::yarn {
namespace {

// The reason for tasks whose end the journal of an ended application lacks.
std::string WhyTaskEndIsMissing(const journal::JobView& view, const core::JobChanged& end, Instant finished,
                                const ::hadoop::yarn::ApplicationReportProto& report) {
  if (end.state == core::JobState::kKilled) return "the application was killed";
  // An application is FINISHED only if its AM has reported the end of the job.
  if (report.yarn_application_state() != ::hadoop::yarn::FINISHED) return "the application master died";
  const bool expired = view.tokens && view.tokens->until <= finished;
  return std::string("the application master could not store the last entries of the journal") +
         (expired ? ", because the job's tokens had expired" : "");
}

// Returns the journal of a dead AM, with the end of the job appended.
std::string WithEnd(std::string journal, core::JobChanged end, const ::hadoop::yarn::ApplicationReportProto& report) {
  if (!journal.empty() && journal.back() != '\n') journal += '\n';
  const journal::JobView view = FoldJournal(journal, Tasks::kIncluded);
  const Instant finished = report.finishtime() > 0 ? FromMillis(report.finishtime()) : os::process::Clock().Now();
  const std::string task_reason = WhyTaskEndIsMissing(view, end, finished, report);
  return journal + journal::EndLines(view, std::move(end), task_reason, finished);
}

std::string SubmissionOf(const ::hadoop::yarn::ApplicationReportProto& report) {
  const journal::JobView view = ViewFromReport(report);
  core::JobSubmitted submitted{view.id, view.name, "yarn", "", view.user, "", {}};
  return journal::EncodeEntry({view.submitted.value_or(Instant()), std::move(submitted)}) + "\n";
}

// Writes TonY's history without the address of the AM's container, which is not known after the AM's death.
Status FinishTonyHistoryOf(HadoopClient& cluster, const JobId& id, const std::string& journal) {
  const auto text = ReadJobFile(cluster, id);
  // Without a job file, nothing can have requested TonY's history.
  if (!text.ok() && text.error().code == ErrorCode::kNotFound) return {};
  if (!text.ok()) return text.error();
  HOWDAH_TRY(const auto spec, jobspec::ReadEffective(*text));
  return FinishTonyHistory(cluster, spec, journal, {});
}

Result<AmStart> ReadAmStart(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  HOWDAH_TRY(const auto text, cluster.ReadFile(layout.am_file(id)));
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
    const bool of_task = std::holds_alternative<core::TaskChanged>(entry.change) ||
                         std::holds_alternative<core::ContainerChanged>(entry.change);
    if (tasks == Tasks::kSkipped && of_task) continue;
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
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  auto running = cluster.ReadFile(layout.job_file(id));
  if (running.ok() || running.error().code != ErrorCode::kNotFound) return running;
  return cluster.ReadFile(layout.history_job_file(id));
}

Result<std::string> ReadHistoryJournal(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  return cluster.ReadFile(layout.history_journal(id));
}

Result<std::string> ReadRunningJournal(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  auto journal = cluster.ReadFile(layout.journal(id));
  if (journal.ok() || journal.error().code != ErrorCode::kNotFound) return journal;
  HOWDAH_TRY(const auto start, ReadAmStart(cluster, id));
  return start.submitted;
}

Status StoreHistory(HadoopClient& cluster, const JobId& id, const std::string& journal) {
  HOWDAH_TRY(const auto files, cluster.Files());
  HOWDAH_TRY(const auto layout, cluster.StagingLayout());
  HOWDAH_TRY_STATUS(files->MakeDirectories(layout.history(id), 0700));
  // A missing file is not an error: an earlier call may have moved it to the history.
  const std::pair<std::string, std::string> replaced[] = {{layout.job_file(id), layout.history_job_file(id)},
                                                          {layout.metrics(id), layout.history_metrics(id)}};
  for (const auto& [from, to] : replaced) {
    const Status moved = files->Rename(from, to, /*overwrite=*/true);
    if (!moved.ok() && moved.error().code != ErrorCode::kNotFound) return moved;
  }
  const std::pair<std::string, std::string> kept[] = {{layout.outputs(id), layout.history_outputs(id)},
                                                      {layout.results(id), layout.history_results(id)},
                                                      {layout.logs(id), layout.history_logs(id)}};
  for (const auto& [from, to] : kept) {
    const Status renamed = files->Rename(from, to, /*overwrite=*/false);
    if (!renamed.ok() && renamed.error().code != ErrorCode::kNotFound) return renamed;
  }
  HOWDAH_TRY_STATUS(cluster.WriteFile(layout.history_journal(id), journal, 0600));
  return files->Delete(layout.job(id), /*recursive=*/true);
}

Result<std::string> ReadEndedJournal(HadoopClient& cluster, const JobId& id,
                                     const ::hadoop::yarn::ApplicationReportProto& report) {
  auto recorded = ReadHistoryJournal(cluster, id);
  if (recorded.ok() && HasEndEntry(*recorded)) return recorded;
  if (!recorded.ok() && recorded.error().code != ErrorCode::kNotFound) return recorded;
  const auto left = ReadRunningJournal(cluster, id);
  const std::string before = left.ok() ? *left : SubmissionOf(report);
  core::JobChanged end = EndFromReport(report);
  std::string journal = WithEnd(before, end, report);
  if (!left.ok() || report.user() != cluster.user()) return journal;  // there are no files that this user can clean up
  if (const Status written = FinishTonyHistoryOf(cluster, id, journal); !written.ok()) {
    std::string& advice = end.advice.emplace(end.advice.value_or(""));
    advice += (advice.empty() ? "" : "; ") + written.error().message;
    journal = WithEnd(before, end, report);
  }
  HOWDAH_TRY_STATUS(StoreHistory(cluster, id, journal));
  return journal;
}

Status BeginTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                        const compat::tony::history::AmContainer& am, Instant now) {
  if (spec.tony_history.empty()) return {};
  HOWDAH_TRY(const auto files, cluster.OpenFiles(spec.tony_history));
  return storage::history::Begin(*files, {spec, DecodeJournal(journal), am}, now);
}

Status FinishTonyHistory(const HadoopClient& cluster, const jobspec::JobSpec& spec, const std::string& journal,
                         const compat::tony::history::AmContainer& am) {
  if (spec.tony_history.empty()) return {};
  HOWDAH_TRY(const auto files, cluster.OpenFiles(spec.tony_history));
  return storage::history::End(*files, {spec, DecodeJournal(journal), am});
}

}  // namespace howdah::backend::yarn
