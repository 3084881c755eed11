// Follows a job's journal, and waits for states of a job.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "howdah/backend/cluster.h"

namespace howdah::client {

// Receives a line about the connection itself, such as a reconnection. May be empty.
using NoteHandler = std::function<void(const std::string& line)>;

// Computes the job's status from the journal's entries.
class JournalSink : public backend::FollowSink {
 public:
  explicit JournalSink(NoteHandler on_note) : on_note_(std::move(on_note)) {}
  void OnEntry(const core::JournalEntry& entry) override { view.Apply(entry); }
  void OnLog(const backend::LogSource&, std::string_view) override {}
  void OnNote(const std::string& line) override {
    if (on_note_) on_note_(line);
  }

  journal::JobView view;

 private:
  NoteHandler on_note_;
};

enum class Until { kEnd, kNow };
struct FollowOptions {
  Until until = Until::kEnd;
  std::optional<Duration> limit;
  std::function<void(const core::JournalEntry&)> on_entry;  // may be empty
  NoteHandler on_note;
};

// Reads all entries until the job has ended (Until::kEnd), or only the entries that exist now (Until::kNow). Returns
// the resulting status, or kTimeout after the limit.
Result<journal::JobView> FollowJournal(backend::Cluster& cluster, const JobId& id, const FollowOptions& options);

// The error for a Follow that ended although the job has no final state.
Error FollowStopped(const JobId& id);

// Passes entries to the sink until enough(status) is true or the job has ended. Returns false if interrupt_fd (-1 for
// none) becomes readable first.
Result<bool> AwaitJob(backend::Cluster& cluster, const JobId& id, JournalSink& sink, int interrupt_fd,
                      const std::function<bool(const journal::JobView&)>& enough);

// Blocks until the follow has something to read, interrupt_fd (-1 for none) is readable, or the limit has passed
// (nullopt for no limit). An interrupt takes precedence.
enum class Woke { kFollow, kInterrupt, kTime };
Woke WaitFor(const backend::Follow& follow, int interrupt_fd, std::optional<Duration> limit);

struct StopOptions {
  std::string by;                 // the result of Requester()
  std::optional<Duration> grace;  // nullopt for the job's own grace period
  NoteHandler on_note;
};
struct StoppedJob {
  journal::JobView view;
  bool had_ended = false;  // true: the job had ended before the call, and nothing was done
};
// Stops the job, and returns once all its processes have ended.
Result<StoppedJob> StopAndWait(backend::Cluster& cluster, const JobId& id, const StopOptions& options);

}  // namespace howdah::client
