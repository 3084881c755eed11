// A job for tests: its journal as real entries, and its series as functions of time.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "howdah/advice/advice.h"

namespace howdah::advice {

using namespace std::chrono_literals;

inline constexpr double kGi = 1024.0 * 1024 * 1024;

// Returns the value at a time in seconds since the submission. NaN means that nothing was measured.
using Function = std::function<double(double)>;

// Times of a story, in seconds.
struct StoryTimes {
  double queued = 2, ran = 3600;  // seconds
  double incomplete = 0;          // time for which the gang lacks its last container
  double localized = 1;           // seconds from the grants until the executors are ready
  double after_end = 0;           // time for which the container of worker:0 is still held after the end of its process
};

// A healthy job: four workers with one GPU each, which run for an hour and report steps and checkpoints. Tests change
// the fields before they call Make.
struct Story : StoryTimes {
  struct Series {
    Function mean;
    Function max = nullptr;  // null: the mean
    std::string unit = {};
    metrics::Scope scope = metrics::Scope::kTask;
    std::optional<double> capacity = {};
  };
  struct SeriesKey {
    std::string role;
    int index = 0;
    std::string name;
    std::optional<int> rank = {};
    auto operator<=>(const SeriesKey&) const = default;
  };
  struct Extra {
    double at = 0;
    core::Change change;
  };

  Story();

  jobspec::RoleSpec& Role(const std::string& name = "worker");
  // Sets a series of every task of the role.
  void SetAll(const std::string& name, Series series, const std::string& role = "worker");
  void SetAll(const std::string& name, double value) {
    SetAll(name, {[value](double) { return value; }});
  }
  void Set(int index, const std::string& name, double value, const std::string& role = "worker") {
    series[{role, index, name}] = {[value](double) { return value; }};
  }
  // Adds healthy series for all tasks of a role.
  void AddSeries(const jobspec::RoleSpec& role);

  // Adds a failure of an attempt of worker:0, after which only this task restarts.
  void AddRestart(double at, const std::string& reason, ExitStatus exit = {.code = 1});
  // Adds a restart of all ranked tasks, which takes `recovering` seconds.
  void AddGeneration(double at, double recovering, const std::string& reason);
  void AddCheckpoint(double at, int64_t step, std::optional<core::CheckpointCost> cost = {});

  Facts Make();
  // The keys of the findings, sorted by name: "memory-over worker, tail".
  std::string Advised();
  std::vector<Finding> Findings();

  jobspec::JobSpec spec;
  bool ended = true;
  core::JobChanged end;       // the final entry
  int64_t granted_bytes = 0;  // memory of each container; 0: as requested
  bool reports_checkpoints = true, reports_steps = true;
  double rate = 4;        // steps per second
  std::string waits_for;  // the reason why the job is queued
  std::map<SeriesKey, Series> series;
  std::vector<Extra> extras;
  std::vector<RunFacts> earlier;
  ClusterFacts cluster;
  int width = 5;  // width of a bucket in seconds

 private:
  struct Placed {
    std::string role, container, node;
    int index = 0, rank = -1;
  };
  std::vector<Placed> Tasks() const;
  std::vector<core::JournalEntry> Entries() const;
  void AddProgress(double starts, std::vector<core::JournalEntry>& entries) const;
  metrics::Table MakeTable() const;

  std::shared_ptr<metrics::Table> table_;
  int attempt_ = 0, generation_ = 0;
};

inline Instant At(double seconds) {
  return Instant(std::chrono::hours(24 * 20'000)) + Duration(static_cast<int64_t>(seconds * 1e6));
}

// Returns an earlier run that is as long as the story and has the same peaks.
RunFacts RunLike(Story& story, const std::string& id);

}  // namespace howdah::advice
