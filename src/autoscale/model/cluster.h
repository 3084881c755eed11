// The simulated ResourceManager and its jobs, which start as the queue of gangs says.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "howdah/admission/queue.h"
#include "howdah/autoscale/facts.h"
#include "howdah/autoscale/model/workload.h"
#include "howdah/autoscale/orders.h"
#include "howdah/base/schedule.h"
#include "machines.h"

namespace howdah::autoscale::model {

class Cluster {
 public:
  // All must live as long as this object.
  Cluster(const Workload& workload, Machines& machines, Schedule& schedule);

  // A node has joined.
  void OnJoined() { Wake(); }
  ClusterSeen Observe() const;
  void Exclude(const SetExcluded& order);
  NodeChecked::Answer Check(const std::string& host) const;

  bool done() const { return ended_ == jobs_.size(); }
  Instant last_end() const { return last_end_; }  // of a job
  struct Result {
    int ended = 0, unfinished = 0;
    Duration waits{0}, longest_wait{0};  // of the jobs that have started
    int started = 0;
    Duration lost_work{0};  // of all tasks
  };
  Result result() const;

 private:
  struct Container {
    Node* node;
    admission::Resources size;
  };
  struct Job {
    const WorkJob* spec;
    enum class State { kAbsent, kWaiting, kRunning, kDone } state = State::kAbsent;
    Node* am = nullptr;
    bool am_ready = false;  // it has started
    int am_attempts = 0;
    Instant am_since;
    bool requests = false;  // its gang, while it waits
    std::vector<Container> containers;
    std::vector<admission::Tasks> missing;  // of a running job: tasks that have lost their containers
    Duration left{0};                       // work, at `resumed`
    Instant resumed;                        // since when all tasks run; later than now: they start
    int stretch = 0;                        // the number of times that it was resumed or interrupted
    std::optional<Instant> started;
  };
  // The nodes that may get containers, in one order.
  struct View {
    std::vector<Node*> nodes;
    std::vector<admission::Node> facts;
  };

  View Look() const;
  void Wake();
  // The work of the scheduler and the AMs: replaces lost tasks, starts gangs, lets AMs step aside, and starts AMs.
  void Serve();
  void ReplaceLost();
  // Returns whether an AM has stepped aside for a gang.
  bool StartGangs();
  void StartAms();
  void Submit(Job& job);
  void PlaceAm(Job& job, Node& node);
  void ReleaseAm(Job& job);
  void Resume(Job& job);
  void Interrupt(Job& job);
  void End(Job& job);
  // Takes the tasks of the job away from the node. Returns whether there were any.
  bool TakeTasks(Job& job, const Node& node);
  void Drain(Node& node);
  void Leave(const std::string& host);
  void Decommission(Node& node);

  const Workload& workload_;
  Machines& machines_;
  Schedule& schedule_;
  const Instant begin_;
  std::vector<Job> jobs_;  // in the order of submission
  size_t first_open_ = 0, ended_ = 0;
  bool woken_ = false;
  Instant last_end_;
  Duration lost_work_{0};
};

}  // namespace howdah::autoscale::model
