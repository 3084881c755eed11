// Following the journal of a job alone.
#pragma once

#include <functional>
#include <optional>

#include "howdah/backend/cluster.h"

namespace howdah::cli {

// The status that the entries make; notes are told.
class JournalSink : public backend::FollowSink {
 public:
  void OnEntry(const core::JournalEntry& entry) override { view.Apply(entry); }
  void OnLog(const backend::LogSource&, std::string_view) override {}
  void OnNote(const std::string& line) override;
  journal::JobView view;
};

enum class Until { kEnd, kNow };

// Hands on every entry until the job's end, or those that are there now. The status they make; kTimeout: the limit ran
// out.
Result<journal::JobView> FollowJournal(backend::Cluster& place, const JobId& id, Until until,
                                       std::optional<Duration> limit,
                                       const std::function<void(const core::JournalEntry&)>& on_entry);

// Fills the sink until `enough` is true of its status, or the job has ended. false: Ctrl-C came first.
Result<bool> AwaitJob(backend::Cluster& place, const JobId& id, JournalSink& sink,
                      const std::function<bool(const journal::JobView&)>& enough);

}  // namespace howdah::cli
