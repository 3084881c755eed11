// The machines on their way out: each is drained, decommissioned and removed without losing what its containers do.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/orders.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/state.h"

namespace howdah::autoscale {

// Changes state.leaving and state.excluded. Single-threaded.
class Drains {
 public:
  // All must live as long as this object.
  Drains(const Policy& policy, const Provider& provider, State& state);

  void Begin(const std::string& id, const KnownMachine& machine, Instant now);
  // Removes a machine that never registered, or is lost.
  void RemoveAtOnce(const std::string& id, const KnownMachine& machine, Instant now);
  // Takes back the drain of a host, if that is still possible.
  void Cancel(const std::string& host, Instant now);

  void OnGone(const std::string& id) { state_.leaving.erase(id); }
  void OnNodes(const std::vector<NodeReport>& nodes, Instant now);
  void OnChecked(const NodeChecked& checked, Instant now);
  // Return whether the token is that of a removal.
  bool OnDone(const std::string& token, Instant now);
  bool OnFailed(const std::string& token, const CommandError& error, Instant now);
  void OnExcludeDone();
  void OnExcludeFailed(Instant now);

  // The orders that are due.
  std::vector<Order> Due(Instant now);

  // The nodes whose applications or end have to be known for the next step.
  std::vector<CheckNode> Checks() const;

  // Whether the drain of the host can be taken back.
  bool CanCancel(const std::string& host) const;
  // The number of machines in each group that are being drained.
  Sizes draining() const;
  bool empty() const { return state_.leaving.empty(); }
  std::vector<std::string> TakeNotes() { return std::exchange(notes_, {}); }

 private:
  using Step = LeavingMachine::Step;

  std::map<std::string, Duration> Timeouts() const;
  std::optional<SetExcluded> DueExclude(Instant now);
  std::vector<RemoveMachines> DueCommands(Instant now);
  void Enter(LeavingMachine& machine, Step step, Instant now);
  void Advance(LeavingMachine& machine, const NodeReport* node, Instant now);
  LeavingMachine* Find(const std::string& host);

  const Policy& policy_;
  const Provider& provider_;
  State& state_;
  std::map<std::string, NodeReport> nodes_;                  // of the leaving machines, by host
  std::map<std::string, Instant> unseen_;                    // since when the ResourceManager does not know a host
  std::optional<std::map<std::string, Duration>> excluded_;  // what the ResourceManager has read
  std::optional<SetExcluded> excluding_;                     // that has been ordered
  int exclude_failures_ = 0;
  Instant exclude_retry_;
  std::vector<std::string> notes_;
};

}  // namespace howdah::autoscale
