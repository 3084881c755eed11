// Compares the hardware that the journal of a job records with the containers that the simulated backend granted.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/ids.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/core/event.h"
#include "howdah/journal/ledger.h"

namespace howdah::testing::sim {

// The resources that the simulated backend grants with the job's container of this number. Some of them differ from the
// request, as on YARN.
core::Resources GrantedResources(int number);

// Returns the report about the container in which the AM of a job runs, or nullopt if the backend of the job runs its
// AM elsewhere. seed: the seed of the job. attempt: the number of the AM attempt.
std::optional<core::AmContainerReported> AmContainerOf(const std::string& job, uint64_t seed, int attempt, Instant now);

class HardwareCheck {
 public:
  HardwareCheck() : HardwareCheck(Instant()) {}
  explicit HardwareCheck(Instant submitted);

  // Call order in each step: Received before the core receives the event, then Recorded for each entry.
  void Received(const core::Event& event);
  void Recorded(const core::JournalEntry& entry);
  // Call it when the job has ended. Returns the first difference, or "" if there is none. clocks_agree: as in World.
  std::string Difference(bool clocks_agree) const;

 private:
  struct Container {
    core::Resources granted;
    Instant from;
  };
  void Take(const core::Event& event);
  void Hold(const std::string& id, const core::Resources& granted, Instant from);
  void Release(const std::string& id);
  journal::Held Expected() const;

  Instant submitted_, now_;          // now_: the time of the newest entry; it never decreases
  std::vector<core::Event> events_;  // events of this step; the entries that follow determine their time
  std::map<std::string, Container> held_;
  std::string am_container_;
  journal::Held gone_;  // the use by containers that are no longer held
  std::string given_up_;
  journal::Ledger ledger_;
};

}  // namespace howdah::testing::sim
