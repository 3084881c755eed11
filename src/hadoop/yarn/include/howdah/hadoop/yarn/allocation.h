// The state of an application master's allocation: outstanding asks and held containers. The next allocate request is a
// function of this state, and the effects of a response are returned as values. Pure: no connection, no clock.
//
// Rules of the scheduler (ApplicationMasterService, AppSchedulingInfo):
// - The count of a row is absolute, and the scheduler lowers its own copy when it grants.
// - A lost response is sent again for the same response_id.
// - A restarted ResourceManager only knows what is sent to it again.
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

// The properties of the containers in a request.
struct Shape {
  Resource resource;
  std::string label;                      // node label; empty for the queue's default
  std::vector<std::string> nodes, racks;  // preferred locations; empty for any
  bool strict = false;                    // whether other locations are forbidden
  std::optional<int> max_per_node;        // maximum number of containers of this shape on one node at a time
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A node of the cluster. `name` is the scheduler's name of it.
struct KnownNode {
  std::string name, rack, label;
  Resource total;
  friend bool operator==(const KnownNode&, const KnownNode&) = default;
};

struct AllocationOptions {
  // yarn.scheduler.include-port-in-node-name: whether nodes are named "host:port".
  bool ports_in_names = false;
  // After this number of failed launches in a row a node is avoided for some time.
  int failures_until_avoided = 2;
  Duration avoided_for = std::chrono::minutes(10);
  // The maximum number of nodes named per shape. It keeps a request below a few 100 KiB in any cluster.
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
  // The effects of a response. Containers without an open ask are not included: Allocation releases them.
  struct Effects {
    std::vector<Granted> granted;
    std::vector<Completed> completed;  // granted containers, each reported once
    int surplus = 0;                   // number of containers that were released immediately
  };

  explicit Allocation(AllocationOptions options = {}) : options_(options) {}

  // Requests `count` more containers. `key` must be >= 0. The shape of a key may change only while it has no
  // outstanding ask.
  void Ask(int key, const Shape& shape, int count);
  void CancelAll();
  // Releases a granted container; its completion follows as an effect. Ignored if the container is not held.
  void Release(const ContainerId& id);
  // Removes a container without waiting for its completion. Use it if a restarted ResourceManager may not know the
  // container, and so may never report its end.
  void Forget(const ContainerId& id);

  // Adopt takes over a container that was granted to an earlier application master for the key. AdoptSurplus releases
  // such a container.
  void Adopt(int key, const Shape& shape, const ContainerId& id, const std::string& node);
  void AdoptSurplus(const ContainerId& id, const std::string& node);
  // Continues for an earlier process of the same attempt, which had received answers up to `response_id`. The scheduler
  // repeats the next answer, which that process may have missed.
  void Resume(int32_t response_id) { response_id_ = response_id; }
  bool holds(const ContainerId& id) const { return held_.contains(id); }

  // Sets the nodes that can run containers. A request lists the suitable ones in addition to "*" (any node): a
  // scheduler grants containers on listed nodes at once, but on an unlisted node only one per heartbeat of that node.
  void SetNodes(std::vector<KnownNode> nodes);
  const std::vector<KnownNode>& nodes() const { return nodes_; }
  // Record that a container launch on the node failed or succeeded. Nodes with repeated failures are put on the
  // blacklist for some time, but never more than half of the cluster.
  void NodeFailed(const std::string& node, Instant now);
  void NodeSucceeded(const std::string& node);
  // Puts the nodes of a host on the blacklist for `limit`; never more than half of the cluster.
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

  // The request to send. It stays the same until Apply, Rejected or Resync, because its answer may have been lost.
  const ::hadoop::yarn::AllocateRequestProto& Request(Instant now);
  // Handles the answer to Request().
  Effects Apply(const ::hadoop::yarn::AllocateResponseProto& response);
  // Call when the scheduler has rejected the whole request. Drops the asks in it; everything else is sent again.
  void Rejected();
  // Call when the ResourceManager has forgotten this attempt and the attempt has registered again. Sends everything
  // again.
  void Resync();

  // The scheduler's name of a node.
  std::string NameOf(const ::hadoop::yarn::NodeIdProto& node) const;

 private:
  struct Asked {
    Shape shape;
    int outstanding = 0;
    bool dirty = false;               // whether it must be sent to the scheduler
    std::set<std::string> rows;       // names of the rows sent since the registration
    std::map<std::string, int> held;  // number of containers by node
  };
  struct Held {
    int key = 0;
    std::string node;
    bool releasing = false;
    bool surplus = false;  // whether the owner was never given it
  };
  struct Failures {
    int in_a_row = 0;  // number of failed launches in a row
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
  std::set<ContainerId> seen_;      // all containers ever granted, because the scheduler may report one twice
  std::set<ContainerId> releases_;  // releases that have not been sent yet
  std::vector<KnownNode> nodes_;
  std::map<std::string, Failures> failures_;
  std::set<std::string> blacklist_;  // as last sent to the scheduler
  int cluster_nodes_ = 0;
  int32_t response_id_ = 0;
  std::optional<::hadoop::yarn::AllocateRequestProto> in_flight_;
};

}  // namespace howdah::hadoop::yarn
