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

// The resources that the simulated backend grants with a job's container of this number. Some differ from the request,
// as on YARN.
core::Resources GrantedResources(int number);

// The report of the container in which the AM of a job runs; nullopt if the backend of the job runs its AM elsewhere.
// seed: of the job. attempt: of the AM.
std::optional<core::AmContainerReported> AmContainerOf(const std::string& job, uint64_t seed, int attempt, Instant now);

class HardwareCheck {
 public:
  HardwareCheck() : HardwareCheck(Instant()) {}
  explicit HardwareCheck(Instant submitted);

  // Call order in each step: Received before the core gets the event, Recorded for each entry.
  void Received(const core::Event& event);
  void Recorded(const core::JournalEntry& entry);
  // Returns the first difference, for a job that has just ended. Empty if there is none. clocks_agree: as in World.
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
  std::vector<core::Event> events_;  // events of this step; the entries that follow have its time
  std::map<std::string, Container> held_;
  std::string am_container_;
  journal::Held gone_;  // of containers that are no longer held
  std::string given_up_;
  journal::Ledger ledger_;
};

}  // namespace howdah::testing::sim
