// The state of an application master's allocation: outstanding asks and held containers. The next allocate request is a
// function of this state, and the effects of a response are returned as values. Pure: no connection, no clock.
//
// Rules of the scheduler (ApplicationMasterService, AppSchedulingInfo): the count of a row is absolute, and the
// scheduler lowers its own copy as it grants; a lost response is sent again for the same response_id; a restarted
// ResourceManager only knows what is sent again.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/ids.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::hadoop::yarn {

// The properties of a container to ask for.
struct Shape {
  Resource resource;
  std::string label;                      // node label; empty: the queue's default
  std::vector<std::string> nodes, racks;  // preferred locations; empty: anywhere
  bool strict = false;                    // only at these locations
  std::optional<int> max_per_node;        // containers of this shape on one node at a time
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A node of the cluster under the scheduler's name.
struct KnownNode {
  std::string name, rack, label;
  Resource total;
  friend bool operator==(const KnownNode&, const KnownNode&) = default;
};

struct AllocationOptions {
  // yarn.scheduler.include-port-in-node-name: nodes are named "host:port".
  bool ports_in_names = false;
  // After so many failed launches in a row a node is avoided for a while.
  int failures_until_avoided = 2;
  Duration avoided_for = std::chrono::minutes(10);
  // The maximum number of nodes named per shape, which keeps a request below a few 100 KiB in any cluster.
  size_t most_named_nodes = 400;
};

class Allocation {
 public:
  struct Granted {
    int shape = 0;  // the key of the ask
    ::hadoop::yarn::ContainerProto container;
    std::string node;  // the scheduler's name of the node
  };
  struct Completed {
    int shape = 0;
    std::string node;
    ::hadoop::yarn::ContainerStatusProto status;
  };
  // The effects of a response. Containers without an open ask are not included: they are released.
  struct Effects {
    std::vector<Granted> granted;
    std::vector<Completed> completed;  // of granted containers, each once
    int surplus = 0;                   // number of containers released immediately
  };

  explicit Allocation(AllocationOptions options = {}) : options_(options) {}

  // Asks for `count` more containers. key >= 0; the shape of a key may change only while it has no outstanding ask.
  void Ask(int key, const Shape& shape, int count);
  void CancelAll();
  // Releases a granted container; its completion follows as an effect. Ignored if it is not held.
  void Release(const ContainerId& id);
  // Removes a container without waiting for its completion: a restarted ResourceManager may not know it and never
  // report its end.
  void Forget(const ContainerId& id);

  // Takes over a container that was granted to an earlier application master for the key. AdoptSurplus: releases it.
  void Adopt(int key, const Shape& shape, const ContainerId& id, const std::string& node);
  void AdoptSurplus(const ContainerId& id, const std::string& node);
  // Continues for an earlier process of the same attempt, which had received answers up to this one. The scheduler
  // repeats the answer that it may have missed.
  void Resume(int32_t response_id) { response_id_ = response_id; }
  bool holds(const ContainerId& id) const { return held_.contains(id); }

  // Sets the existing nodes without unusable ones. Asks name them besides "anywhere", because a scheduler grants named
  // nodes at once, but others one per node heartbeat.
  void SetNodes(std::vector<KnownNode> nodes);
  const std::vector<KnownNode>& nodes() const { return nodes_; }
  // A container launch on the node has failed; has succeeded. Nodes with repeated failures are put on the blacklist for
  // a while, but never more than half of the cluster.
  void NodeFailed(const std::string& node, Instant now);
  void NodeSucceeded(const std::string& node);
  // Puts the nodes of a host on the blacklist for a while, within the same bound.
  void Avoid(const std::string& host, Instant now, Duration limit);
  // When the next node leaves the blacklist.
  std::optional<Instant> NextBlacklistExpiry() const;
  std::set<std::string> avoided(Instant now) const;

  // Whether there are changes that the scheduler has not acknowledged.
  bool HasChanges(Instant now) const;
  // The number of containers asked for and not granted.
  int outstanding() const;
  int outstanding(int key) const;
  int held() const { return static_cast<int>(held_.size()); }

  // The request to send. Until Apply, Rejected or Resync it stays the same, because its answer may have been lost.
  const ::hadoop::yarn::AllocateRequestProto& Request(Instant now);
  // Handles the answer to Request().
  Effects Apply(const ::hadoop::yarn::AllocateResponseProto& response);
  // The scheduler has rejected the whole request. Drops its asks; everything else is sent again.
  void Rejected();
  // The ResourceManager has forgotten this attempt, which has registered again. Sends everything again.
  void Resync();

  // The scheduler's name of a node.
  std::string NameOf(const ::hadoop::yarn::NodeIdProto& node) const;

 private:
  struct Asked {
    Shape shape;
    int outstanding = 0;
    bool dirty = false;               // must be sent to the scheduler
    std::set<std::string> rows;       // names sent since the registration
    std::map<std::string, int> held;  // number by node
  };
  struct Held {
    int key = 0;
    std::string node;
    bool releasing = false;
    bool surplus = false;  // the owner does not know it
  };
  struct Failures {
    int in_a_row = 0;  // failed launches
    std::optional<Instant> avoided_until;
  };
  struct Row {
    int count = 0;
    bool relax = true;
  };

  // Has no effect if half of the cluster is avoided already.
  void AvoidUntil(const std::string& node, Instant now, Instant until);
  std::map<std::string, Row> RowsOf(const Asked& asked) const;
  void AddNamedRows(const Asked& asked, std::map<std::string, Row>& rows) const;
  int RoomOn(const Asked& asked, const std::string& node) const;
  void AddAsks(int key, Asked& asked);
  void Admit(const ::hadoop::yarn::ContainerProto& container, Effects& effects);
  bool Wanted(Asked& asked, const std::string& node);
  void Complete(const ::hadoop::yarn::ContainerStatusProto& status, Effects& effects);
  void GiveBack(const ContainerId& id);
  void Leave(const Held& held);

  AllocationOptions options_;
  std::map<int, Asked> asked_;
  std::map<ContainerId, Held> held_;
  std::set<ContainerId> seen_;      // all containers ever granted: the scheduler may report one twice
  std::set<ContainerId> releases_;  // to be sent
  std::vector<KnownNode> nodes_;
  std::map<std::string, Failures> failures_;
  std::set<std::string> blacklist_;  // as known to the scheduler
  int cluster_nodes_ = 0;
  int32_t response_id_ = 0;
  std::optional<::hadoop::yarn::AllocateRequestProto> in_flight_;
};

}  // namespace howdah::hadoop::yarn
