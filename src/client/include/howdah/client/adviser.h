// Advice on jobs of one backend: collects the facts from the status, job file and journal of a job, and from earlier
// runs of its name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/advice/advice.h"
#include "howdah/backend/cluster.h"
#include "howdah/client/follow.h"
#include "howdah/metrics/table.h"

namespace howdah::client {

// The jobs to advise on. Empty fields match every job.
struct AdviceFilter {
  std::optional<Instant> since;  // ended at or after this time, or still running
  std::string user;
};

// Not thread-safe. The cluster must live longer than this object.
class Adviser {
 public:
  Adviser(backend::Cluster& cluster, NoteHandler on_note) : cluster_(cluster), on_note_(std::move(on_note)) {}

  // The findings about a job, compared with earlier runs of its name.
  Result<std::vector<advice::Finding>> Advise(const JobId& id, Instant now);
  // Completes `facts`, which lack metrics and earlier runs, and returns the findings that follow. Reads metrics only
  // for a job that ran long enough for them. Reads earlier runs only if there is a finding without them. So it reads
  // nothing for most short jobs.
  std::vector<advice::Finding> AdviseBriefly(advice::Facts facts, Instant now);
  // The facts about a job with this status, without metrics and earlier runs.
  Result<advice::Facts> FactsOf(const journal::JobView& status, Instant now);

  struct OfJob {
    journal::JobView view;  // without tasks
    std::vector<advice::Finding> findings;
  };
  // Returns the jobs that match the filter and have findings. Jobs that cannot be read are reported as notes.
  Result<std::vector<OfJob>> AdviseAll(const AdviceFilter& filter, Instant now);

 private:
  using Views = std::vector<journal::JobView>;

  Result<std::vector<advice::Finding>> AdviseAmong(const Views& all, const JobId& id, Instant now);
  // Adds the earlier runs of the job's name.
  void AddEarlier(const Views& all, advice::Facts& facts, Instant now);
  std::optional<metrics::Table> MetricsOf(const JobId& id);
  Result<advice::Facts> ReadFacts(const JobId& id, Instant now);
  const advice::RunFacts* Summary(const JobId& id, Instant now);
  void Note(const std::string& line) const;

  backend::Cluster& cluster_;
  NoteHandler on_note_;
  std::map<std::string, advice::RunFacts> summaries_;  // summaries of ended jobs, by job id
};

// Updates the facts about a job with an entry of its journal.
void TakeEntry(advice::Facts& facts, const core::JournalEntry& entry);

}  // namespace howdah::client
