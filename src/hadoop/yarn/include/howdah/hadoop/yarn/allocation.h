// The state of an application master's allocation: outstanding asks, and the containers that it holds. The next
// allocate request is computed from this state, and the effects of a response are returned as values. Pure: no
// connection, no clock.
//
// Rules of the scheduler (ApplicationMasterService, AppSchedulingInfo):
// - The count in a row is absolute, not an increment. The scheduler lowers its own copy of the count when it grants.
// - If a request has the same response_id as the one before, the scheduler sends its last response again.
// - A restarted ResourceManager has lost the asks and the blacklist, which must be sent again.
// - The blacklist belongs to the application: later processes and attempts of the application master inherit it.
// - A released container is free at once, before the asks of the same request are considered.
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
#include "howdah/hadoop/yarn/known_nodes.h"
#include "howdah/hadoop/yarn/resource.h"

namespace howdah::hadoop::yarn {

struct AllocationOptions {
  // yarn.scheduler.include-port-in-node-name: whether the scheduler names nodes "host:port".
  bool ports_in_names = false;
  // A node is avoided for some time after this number of consecutive failed launches.
  int failures_until_avoided = 2;
  Duration avoided_for = std::chrono::minutes(10);
  // The maximum number of nodes that a request names per shape. It limits the size of a request to a few 100 KiB in any
  // cluster.
  size_t max_named_nodes = 400;
  // Whether an earlier application master of the application, in this attempt or before it, may have put nodes on the
  // blacklist. The scheduler keeps the list for later processes and attempts.
  bool inherits_blacklist = false;
};

class Allocation {
 public:
  struct Granted {
    int shape = 0;  // the key of the ask that the container satisfies; -1 for a surplus container
    ::hadoop::yarn::ContainerProto container;
    std::string node;  // the node's name in the scheduler
  };
  struct Completed {
    int shape = 0;
    std::string node;
    ::hadoop::yarn::ContainerStatusProto status;
  };
  // The effects of a response.
  struct Effects {
    std::vector<Granted> granted;
    std::vector<Completed> completed;  // granted containers that have ended; each is reported once
    std::vector<Granted> surplus;      // containers that satisfy no open ask; Allocation releases them
  };

  explicit Allocation(AllocationOptions options = {}) : options_(options) {}

  // Requests `count` more containers. If the ask was rejected, requests all of its containers again. `key` identifies
  // the shape and must be >= 0. The shape of a key may change only while the key has no outstanding ask.
  void Ask(int key, const Shape& shape, int count);
  void CancelAll();
  // Releases a granted container, and stops counting it on its node. Its completion follows as an effect, except if a
  // restarted ResourceManager does not know the container. Does nothing if the container is not held.
  void Release(const ContainerId& id);

  // Record a container that was granted to an earlier application master. Adopt keeps the container and counts it for
  // `key`. AdoptSurplus releases the container.
  void Adopt(int key, const Shape& shape, const ContainerId& id, const std::string& node);
  void AdoptSurplus(const ContainerId& id, const std::string& node);
  // Call this in a process that replaces an earlier one of the same attempt, which received answers up to
  // `response_id`. The earlier process may have missed the next answer. The scheduler then sends it again, and ignores
  // the content of the request. So the first request has no content.
  void Resume(int32_t response_id);
  bool holds(const ContainerId& id) const { return held_.contains(id); }

  // Sets the nodes that can run containers. A request lists those that are suitable in addition to "*" (any node):
  // schedulers grant containers on listed nodes at once, but on an unlisted node only one per heartbeat of the node.
  void SetNodes(std::vector<KnownNode> nodes);
  const KnownNodes& nodes() const { return nodes_; }
  // Record that the launch of a container on the node failed or succeeded. Nodes with repeated failures are put on the
  // blacklist for some time, but never more than half of the cluster.
  void NodeFailed(const std::string& node, Instant now);
  void NodeSucceeded(const std::string& node);
  // Puts the nodes of a host on the blacklist for `limit`, but never more than half of the cluster. If node names
  // include ports, only nodes that are known.
  void Avoid(const std::string& host, Instant now, Duration limit);
  // The time at which the next node leaves the blacklist.
  std::optional<Instant> NextBlacklistExpiry() const;
  std::set<std::string> avoided(Instant now) const;

  // Whether there are changes that the scheduler has neither acknowledged nor rejected.
  bool HasChanges(Instant now) const;
  // The number of containers that were requested and not granted yet.
  int outstanding() const;
  int outstanding(int key) const;
  int held() const { return static_cast<int>(held_.size()); }

  // The request to send next. Until Apply, Rejected or Resync is called, every call returns the same request, because
  // its answer may have been lost.
  const ::hadoop::yarn::AllocateRequestProto& Request(Instant now);
  // Handles the answer to Request().
  Effects Apply(const ::hadoop::yarn::AllocateResponseProto& response);
  // Call this when the scheduler has rejected the whole request. Returns the outstanding containers of the asks that
  // were in the request, by key. These asks are not sent again before the next Ask for them. But the scheduler may have
  // accepted an earlier ask for the same containers, so they remain outstanding. Everything else is sent again.
  std::map<int, int> Rejected();
  // Call this when a restarted ResourceManager did not know this attempt, and the attempt has registered again. Sends
  // all asks and the blacklist again.
  void Resync();

  // The scheduler's name for a node.
  std::string NameOf(const ::hadoop::yarn::NodeIdProto& node) const;

 private:
  struct Asked {
    Shape shape;
    int outstanding = 0;
    bool dirty = false;          // whether the scheduler must receive the ask (again)
    std::set<std::string> rows;  // names of the rows sent since the last registration
    bool rejected = false;       // not sent again, although it may be dirty
  };
  struct Held {
    int key = 0;
    std::string node;
    bool releasing = false;
    bool surplus = false;  // whether the container is released without a report to the owner
  };
  struct Failures {
    int in_a_row = 0;  // consecutive failed launches
    std::optional<Instant> avoided_until;
  };
  struct Row {
    int count = 0;
    bool relax = true;
  };

  // Does nothing if half of the cluster is avoided already.
  void AvoidUntil(const std::string& node, Instant now, Instant until);
  std::map<std::string, Row> RowsOf(int key, const Asked& asked) const;
  void AddNamedRows(int key, const Asked& asked, std::map<std::string, Row>& rows) const;
  // Call this after a container of the shape was granted or has ended: other nodes may now be allowed.
  void MarkAffected(int key);
  void AddAsks(int key, Asked& asked);
  void AddBlacklist(Instant now);
  void Admit(const ::hadoop::yarn::ContainerProto& container, Effects& effects);
  bool SatisfiesAsk(int key, Asked& asked, const std::string& node);
  void Complete(const ::hadoop::yarn::ContainerStatusProto& status, Effects& effects);
  void StartRelease(const ContainerId& id);
  void RemoveFromNode(const Held& held);

  AllocationOptions options_;
  std::map<int, Asked> asked_;
  std::map<ContainerId, Held> held_;
  std::set<ContainerId> seen_;      // all containers ever granted; the scheduler may report a grant twice
  std::set<ContainerId> releases_;  // releases that have not been sent yet
  KnownNodes nodes_;                // and the held containers, without surplus containers
  std::map<std::string, Failures> failures_;
  std::set<std::string> blacklist_;  // the nodes on the blacklist that the scheduler has received
  std::set<std::string> unclear_;    // nodes that an earlier application master may have put on the blacklist
  int cluster_nodes_ = 0;
  int32_t response_id_ = 0;
  bool resuming_ = false;  // the first request has not been made since Resume
  std::optional<::hadoop::yarn::AllocateRequestProto> in_flight_;
};

}  // namespace howdah::hadoop::yarn
