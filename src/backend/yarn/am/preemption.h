// For which queue the scheduler preempts containers. YARN reports only that it does; the queue is inferred from what
// all queues use, request and are guaranteed.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "background_query.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/messages/yarn.pb.h"

namespace howdah::backend::yarn::am {

// A queue without children, from getQueueInfo. ResourceManagers count used and pending containers in the default
// partition only.
struct LeafQueue {
  std::string name;
  std::string path;                  // "root.a.b"; empty: not reported (Hadoop 3.3)
  std::set<std::string> guarantees;  // labels with a guaranteed capacity; "": default partition
  double used_share = 0;             // of the guaranteed capacity, as the scheduler calculates it
  int64_t containers = 0;
  int64_t pending = 0;           // requested containers
  bool preempts_within = false;  // intra-queue preemption is enabled
};

// All leaves of the tree. None if the scheduler reports no numbers (QueueStatistics).
std::vector<LeafQueue> LeafQueues(const ::hadoop::yarn::QueueInfoProto& root);

// "queue a", "queue a or b", "another application of the queue a"; empty: not certain enough. Pure. own: the queue of
// the job, by name or path; label: of the container's partition.
std::string PreemptingQueue(const std::vector<LeafQueue>& leaves, const std::string& own, const std::string& label);

// Runs one query for all containers that are preempted within a second. One thread: the loop's.
class PreemptorLookup {
 public:
  using OnFound = std::function<void(const std::string& preemptor)>;
  PreemptorLookup(boost::asio::io_context& loop, HadoopClient cluster, JobId job);

  // label: of the container's partition. on_found: called once, possibly before this returns, with the result of
  // PreemptingQueue; with an empty text if there is no answer within a second or the AM may not query (a cluster with
  // Kerberos, no token). Not called after this object has been destroyed.
  void Find(const std::string& label, OnFound on_found);

 private:
  struct Waiting {
    std::string label;
    OnFound on_found;
  };
  struct Queues {
    std::string own;
    std::vector<LeafQueue> leaves;
  };

  static Result<Queues> Query(HadoopClient& cluster, const JobId& job);
  void OnQueues(const Result<Queues>& queues);
  void AnswerAll(const Queues& queues);

  BackgroundQuery query_;
  JobId job_;
  std::vector<Waiting> waiting_;
  boost::asio::steady_timer timeout_;  // for those in waiting_
  Queues cached_;
  boost::asio::steady_timer::time_point cached_until_{};
};

}  // namespace howdah::backend::yarn::am
