// What an application master asks of the scheduler, and what it has: the next allocate request is a function of this
// state, and the effects of a response are values. Pure: no connection, no clock.
//
// The rules of the other side (ApplicationMasterService, AppSchedulingInfo): the count of a row is absolute, and the
// scheduler lowers its own copy as it grants; a response that got lost is answered again for the same response_id; a
// ResourceManager that was restarted knows nothing that is not sent again.
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

// A kind of container.
struct Shape {
  Resource resource;
  std::string label;                      // of nodes; empty: what the queue gives
  std::vector<std::string> nodes, racks;  // where they should be; empty: anywhere
  bool strict = false;                    // only there
  std::optional<int> max_per_node;        // of this shape, on one node at a time
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A node of the cluster as the scheduler names it.
struct KnownNode {
  std::string name, rack, label;
  Resource total;
  friend bool operator==(const KnownNode&, const KnownNode&) = default;
};

struct AllocationOptions {
  // yarn.scheduler.include-port-in-node-name: nodes are named "host:port".
  bool ports_in_names = false;
  // A node on which so many launches failed in a row is not used for a while.
  int failures_until_avoided = 2;
  Duration avoided_for = std::chrono::minutes(10);
  // Of a shape at most so many nodes are asked for by name: a request stays below a few 100 KiB in any cluster.
  size_t most_named_nodes = 400;
};

class Allocation {
 public:
  struct Granted {
    int shape = 0;  // the key it was asked with
    ::hadoop::yarn::ContainerProto container;
    std::string node;  // its name for the scheduler
  };
  struct Completed {
    int shape = 0;
    std::string node;
    ::hadoop::yarn::ContainerStatusProto status;
  };
  // What a response has changed. Containers that were not asked for (any more) are not here: they are given back.
  struct Effects {
    std::vector<Granted> granted;
    std::vector<Completed> completed;  // of containers that were granted; each once
    int surplus = 0;                   // containers that are given back at once
  };

  explicit Allocation(AllocationOptions options = {}) : options_(options) {}

  // Asks for so many more. key >= 0; the shape of a key may change only while nothing is asked for by it.
  void Ask(int key, const Shape& shape, int count);
  void CancelAll();
  // Gives a granted container back; its completion comes as an effect. Nothing happens if it is not held.
  void Release(const ContainerId& id);
  // Holds it no more, whatever becomes of it: a restarted ResourceManager may not know it, and never tells its end.
  void Forget(const ContainerId& id);

  // A container that an application master before this one was granted for the key. Wanted by nobody: it is given back.
  void Adopt(int key, const Shape& shape, const ContainerId& id, const std::string& node);
  void AdoptSurplus(const ContainerId& id, const std::string& node);
  // Goes on for a process of the same attempt that has died and had taken answers up to this one. The answer that it
  // may have missed is sent again.
  void GoOn(int32_t response_id) { response_id_ = response_id; }
  bool holds(const ContainerId& id) const { return held_.contains(id); }

  // Nodes that exist: where containers are asked for by name besides anywhere, because a scheduler grants named nodes
  // at once but others one a heartbeat. Those that are unusable are left out.
  void SetNodes(std::vector<KnownNode> nodes);
  const std::vector<KnownNode>& nodes() const { return nodes_; }
  // A container could not be started on it; it can. Nodes that fail again and again are put on the blacklist for a
  // while, but never more than half of the cluster.
  void NodeFailed(const std::string& node, Instant now);
  void NodeWorked(const std::string& node);
  // The owner wants no container on the nodes of a host for a while. Within the same bound.
  void Avoid(const std::string& host, Instant now, Duration limit);
  // When a node leaves the blacklist next.
  std::optional<Instant> NextForgiven() const;
  std::set<std::string> avoided(Instant now) const;

  // There is something the scheduler does not know yet, or may not know because no answer came.
  bool HasNews(Instant now) const;
  // Containers that are asked for and not granted.
  int outstanding() const;
  int outstanding(int key) const;
  int held() const { return static_cast<int>(held_.size()); }

  // What to send next. Until Apply, Rejected or Resync it is the same request again: the answer to it may be lost.
  const ::hadoop::yarn::AllocateRequestProto& Request(Instant now);
  // The answer to Request().
  Effects Apply(const ::hadoop::yarn::AllocateResponseProto& response);
  // The scheduler has rejected the request as a whole; nothing of it was applied. What it asked for is given up,
  // everything else is sent again.
  void Rejected();
  // The ResourceManager does not know this attempt any more, and it has been registered anew.
  void Resync();

  // The scheduler's name of a node.
  std::string NameOf(const ::hadoop::yarn::NodeIdProto& node) const;

 private:
  struct Asked {
    Shape shape;
    int outstanding = 0;
    bool dirty = false;               // the scheduler is to be told
    std::set<std::string> rows;       // names it has been told, since the registration
    std::map<std::string, int> held;  // by node
  };
  struct Held {
    int key = 0;
    std::string node;
    bool releasing = false;
    bool surplus = false;  // the owner has never heard of it
  };
  struct Failures {
    int in_a_row = 0;  // of launches
    std::optional<Instant> avoided_until;
  };
  struct Row {
    int count = 0;
    bool relax = true;
  };

  // Not if half of the cluster is avoided already.
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
  std::set<ContainerId> seen_;      // every container that ever was granted: the same one may be told twice
  std::set<ContainerId> releases_;  // to be told
  std::vector<KnownNode> nodes_;
  std::map<std::string, Failures> failures_;
  std::set<std::string> blacklist_;  // as the scheduler has it
  int cluster_nodes_ = 0;
  int32_t response_id_ = 0;
  std::optional<::hadoop::yarn::AllocateRequestProto> in_flight_;
};

}  // namespace howdah::hadoop::yarn
