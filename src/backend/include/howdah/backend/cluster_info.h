// The state of a backend as a whole: its nodes, its queues, and the applications that use or await them. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"

namespace howdah::backend {

// nullopt: the backend does not report the amount.
struct Amounts {
  std::optional<int64_t> memory_bytes, vcores, gpus;
  friend bool operator==(const Amounts&, const Amounts&) = default;
};

struct NodeInfo {
  std::string host;  // as in the status of jobs (TaskView::node)
  std::optional<int> port;
  std::string rack, label;  // empty: none
  std::string state;        // the backend's own word: "RUNNING", "UNHEALTHY", "LOST", ...
  bool usable = false;      // the node is offered to jobs
  std::string health;       // the reason if it is not usable; may be empty
  std::optional<int64_t> containers;
  Amounts total, used;  // `used`: granted to containers
  friend bool operator==(const NodeInfo&, const NodeInfo&) = default;
};

// An application of any kind and user that has not ended.
struct ApplicationInfo {
  std::string id;
  std::string type;         // the kind of application as its user submitted it: "HOWDAH", "SPARK", ...
  std::string name, user;   // empty: not known
  std::string queue;        // the path of its queue, or only the last part of it; empty: not known
  bool running = false;     // otherwise it waits for its first container
  std::string master_host;  // the node of its application master; empty: not known, or no container of its own
  std::optional<Instant> submitted;
  std::optional<int64_t> containers;  // granted
  Amounts used;
  friend bool operator==(const ApplicationInfo&, const ApplicationInfo&) = default;
};

// Requests for containers that have not been granted.
struct PendingInfo {
  std::optional<int64_t> containers;
  Amounts amounts;
  friend bool operator==(const PendingInfo&, const PendingInfo&) = default;
};

// Shares are fractions of the cluster, unless the comment says otherwise.
struct QueueInfo {
  std::string path;    // unique, and parts are separated by dots: "root.ml.train"
  std::string parent;  // the path of its parent; empty: none
  bool leaf = true;    // accepts jobs itself
  bool stopped = false;
  std::optional<double> used_share;      // fraction of its capacity; above 1 if it uses more than its capacity
  std::optional<double> capacity_share;  // guaranteed to the queue
  std::optional<double> maximum_share;
  std::optional<double> master_share;  // maximum fraction of the queue for application masters
  Amounts used, capacity, maximum;
  std::optional<int64_t> running, waiting;  // applications
  PendingInfo pending;
  friend bool operator==(const QueueInfo&, const QueueInfo&) = default;
};

struct ClusterInfo {
  std::vector<NodeInfo> nodes;  // in any state
  std::vector<ApplicationInfo> applications;
  std::vector<QueueInfo> queues;  // each after its parent; empty: the backend has no queues
  PendingInfo pending;            // of all applications
  friend bool operator==(const ClusterInfo&, const ClusterInfo&) = default;
};

}  // namespace howdah::backend
