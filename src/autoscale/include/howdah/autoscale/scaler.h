// The autoscaler: decides how many nodes a cluster has, and gives orders to a provider and to the ResourceManager.
// Pure: a fact in, orders out. Every fact is legal in every state.
//
// It never orders more machines than the policy's maximum, never goes below the minimum by its own act, and never
// removes a node that YARN has not decommissioned. YARN decommissions a node when its containers have ended, or after
// gracefulDecommissionTimeout. A host is in the exclude file only while it drains or leaves.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "howdah/autoscale/decision.h"
#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/orders.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/publication.h"
#include "howdah/autoscale/state.h"

namespace howdah::autoscale {

class Fleet;
class Drains;

enum class Mode {
  kGangs,     // from the shapes of what waits, at once
  kDataproc,  // Dataproc's published rule
};

// Single-threaded.
class Scaler {
 public:
  Scaler(Policy policy, Provider provider, Mode mode, State state);
  ~Scaler();
  Scaler(const Scaler&) = delete;
  Scaler& operator=(const Scaler&) = delete;

  // state() must be stored before the returned orders are given. The orders may be given in any sequence.
  std::vector<Order> Step(const Fact& fact, Instant now);

  const Decision& last() const { return last_; }
  const State& state() const { return state_; }
  // The facts that clients of the cluster need.
  Publication Published(Instant now) const;
  // Returns a broken promise, or "".
  std::string BrokenInvariant() const;

 private:
  // The changes that a decision makes.
  struct Change {
    Sizes add;
    std::vector<std::string> remove;  // ids
    std::vector<std::string> cancel;  // hosts
    Decision decision;
    bool is_news = true;  // to be logged, if it differs from the last one
  };

  void OnSeen(const ClusterSeen& seen, Instant now);
  void OnListed(const std::vector<Machine>& machines, Instant now);
  void OnFault(std::string fault, Instant now);
  void SetPaused(bool paused, const std::string& wish, Instant now);
  Change DecideGangs(Instant now);
  Change DecideDataproc(Instant now);
  // Brings groups that are outside their bounds nearer to them, and writes them into the reason. Returns whether
  // anything can be changed: a group that cannot be used now may stay outside.
  bool CorrectBounds(Change& change, Instant now) const;
  void AddVictims(Group group, int count, Change& change) const;
  // Cancels the drains of at most `most` nodes of the group. Returns how many.
  int CancelDrains(Group group, int most, Change& change) const;
  void AddShrink(const GangPlan& plan, Change& change, Instant now);
  void Apply(Change change, Instant now);
  Decision NewDecision(Instant now) const;
  void Log(Decision decision);

  std::map<std::string, Partition> Partitions() const;
  std::vector<Offer> Offers(Instant now) const;
  Sizes RoomToGrow(Instant now) const;
  std::string GangReason(const GangPlan& plan, const Change& change, Instant now) const;

  const Policy policy_;
  const Provider provider_;
  const Mode mode_;
  State state_;
  std::unique_ptr<Fleet> fleet_;
  std::unique_ptr<Drains> drains_;
  bool listed_ = false;    // the last run of `list` has succeeded
  bool updating_ = false;  // Dataproc mode: machines join or leave
  ClusterSeen seen_;
  std::vector<Sample> window_;                 // Dataproc mode: the samples of the window
  std::map<std::string, Instant> idle_since_;  // by host
  Decision last_;
  std::vector<Order> orders_;  // of the present step
};

}  // namespace howdah::autoscale
