// The part of jobs' journals that concerns one node. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/advice/trail.h"
#include "howdah/journal/job_view.h"

namespace howdah::portal {

// The tasks of this portal's jobs on one node, and their failures there.
struct NodeJobs {
  static constexpr size_t kMostFailures = 100;

  struct Task {
    std::string job, name, role;
    int index = 0, attempt = 0;
    core::TaskState state = core::TaskState::kPending;
    std::optional<Instant> started;
  };
  struct Failure {
    std::string job, name;
    advice::Trail::Failure failure;
  };
  struct Avoidance {
    std::string job, name, reason;
    std::optional<Instant> until;
  };
  std::vector<Task> tasks;           // that have a container there now
  std::vector<Failure> failures;     // the newest first, at most kMostFailures
  std::vector<Avoidance> avoidance;  // by jobs that have not ended
  bool complete = true;              // false: some jobs could not be read in time
  std::vector<std::string> notes;    // the jobs that could not be read, and why
};

// Collects them from the entries of each job in turn.
class NodeJobsReader {
 public:
  // since: older failures are left out.
  NodeJobsReader(std::string node, Instant since, Instant now) : node_(std::move(node)), since_(since), now_(now) {}

  // The entries of one job, in their order, between Begin and End.
  void Begin();
  void Take(const core::JournalEntry& entry);
  void End();

  NodeJobs Result() &&;

 private:
  std::string node_;
  Instant since_, now_;
  journal::JobView view_;
  advice::Trail trail_;
  NodeJobs found_;
};

}  // namespace howdah::portal
