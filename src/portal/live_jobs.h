// Publishes the changes of the jobs that are being viewed: the topics "jobs" and "job:ID".
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "howdah/journal/job_view.h"
#include "paced_action.h"
#include "services.h"

namespace howdah::portal {

inline constexpr std::string_view kJobsTopic = "jobs", kJobTopicPrefix = "job:";

// The changes of a burst become few events (PacedAction). Used on the loop's thread only.
class LiveJobs {
 public:
  explicit LiveJobs(Services& services);

  // A topic "job:ID" begins or ends.
  void Begin(const std::string& topic);
  void End(const std::string& topic);

  // Rows of the table have changed. The table already has the new ones.
  void OnRows(const std::vector<JobKey>& changed, const std::vector<JobKey>& removed);
  // As JobFeed::Events.
  void OnEntries(const JobId& id, const std::vector<core::JournalEntry>& entries, bool caught_up, bool restarted);
  void OnFollowFailed(const JobId& id, const Error& error);

 private:
  struct Viewed {
    journal::JobView view;
    int64_t entry_count = 0;
    bool caught_up = false;
    std::string problem;  // that was published; empty if the job can be followed
    // Since the last event.
    std::set<std::pair<std::string, int>> changed_tasks;
    std::vector<std::string> removed_tasks;
    std::vector<std::pair<int64_t, core::JournalEntry>> entries;
    std::unique_ptr<PacedAction> publish;
    std::string backend;  // whose feed follows the job
  };
  void TakeEntry(Viewed& viewed, const core::JournalEntry& entry);
  void PublishJob(const std::string& id);
  void PublishRows();

  Services& services_;
  std::map<std::string, Viewed> viewed_;  // by id
  std::set<JobKey> changed_rows_, removed_rows_;
  PacedAction publish_rows_;
};

// The event of a viewed job. Pure. view: with the changed tasks alone. extra_fields: as ExtraFieldsJson writes them.
std::string JobEventJson(const journal::JobView& view, const std::string& extra_fields,
                         const std::vector<std::string>& removed_tasks,
                         const std::vector<std::pair<int64_t, core::JournalEntry>>& entries);
// One event of GET jobs/ID/events.
std::string EntryJson(int64_t number, const core::JournalEntry& entry);

}  // namespace howdah::portal
