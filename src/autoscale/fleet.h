// The machines of both groups: those that exist, those that have been ordered, and whether more can be ordered.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/orders.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/state.h"

namespace howdah::autoscale {

// Changes state.machines, state.adds and state.health; reads state.leaving. Single-threaded.
class Fleet {
 public:
  // Both must live as long as this object.
  Fleet(const Provider& provider, State& state);

  // Assigns new machines to orders, and forgets machines that are gone. Returns the ids of those.
  std::vector<std::string> OnListed(std::vector<Machine> machines, Instant now);
  void OnNodes(const std::vector<NodeReport>& nodes, Instant now);
  // Return whether the token is that of an order for machines.
  bool OnDone(const std::string& token, Instant now);
  bool OnFailed(const std::string& token, const CommandError& error, Instant now);
  // Gives up orders and machines whose time is over, but no order that is under way. Returns the ids of machines that
  // are to be removed: they failed, or never joined, or are lost.
  std::vector<std::string> GiveUp(Instant now);
  void Resume();

  AddMachines Order(Group group, int count, Instant now);
  // The orders that are to be given again.
  std::vector<AddMachines> Retries(Instant now);
  // Forgets orders that have failed, are no longer needed, and are not being repeated.
  void DropFailing();

  // The machines that stay: neither leaving, nor failed, nor lost; with those that have been ordered.
  Sizes staying() const;
  // All machines, with those that have been ordered.
  Sizes existing() const;
  // Machines that will join, of orders that have not failed so far.
  Sizes joining() const;
  // When the first of these was ordered; `now` if there is none.
  Instant joining_since(Instant now) const;
  bool has_pending() const { return !state_.adds.empty() || joining().total() > 0; }
  bool IsUsable(Group group, Instant now) const;
  // The size of the nodes of a group: as configured, otherwise as learnt. nullopt if it is not known.
  std::optional<NodeShape> ShapeOf(Group group) const;
  // The id of the machine with this host that stays, or "".
  std::string IdOf(const std::string& host) const;
  // Events for the log since the last call: "2 nodes of the group primary did not join within 10m".
  std::vector<std::string> TakeNotes() { return std::exchange(notes_, {}); }

 private:
  void Fail(Group group, Failure failure, const std::string& message, Instant now);
  bool IsDead(const std::string& id, const KnownMachine& machine) const;
  bool WillJoin(const std::string& id, const KnownMachine& machine) const;
  bool IsLost(const KnownMachine& machine) const;
  void MapHosts();

  const Provider& provider_;
  State& state_;
  std::map<std::string, Machine> listed_;           // by id
  std::map<std::string, std::string> ids_;          // by host
  std::map<std::string, NodeReport::State> nodes_;  // by host
  std::map<std::string, Instant> not_running_;      // since when a machine that had joined does not run
  std::map<std::string, Instant> unlisted_;         // since when a known machine is not in the list
  std::map<std::string, Instant> gone_;             // since when a machine is gone
  std::map<Group, NodeShape> learnt_;
  std::vector<std::string> notes_;
};

}  // namespace howdah::autoscale
