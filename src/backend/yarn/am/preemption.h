// Finds the queue for which the scheduler preempts containers. YARN reports the preemption but not the queue, so the
// queue is inferred from the resources that each queue uses, requests and is guaranteed.
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

// A queue without children, as getQueueInfo reports it. ResourceManagers count used and pending containers in the
// default partition only.
struct LeafQueue {
  std::string name;
  std::string path;                  // "root.a.b"; empty if not reported (Hadoop 3.3)
  std::set<std::string> guarantees;  // node labels with guaranteed capacity; "" is the default partition
  double used_share = 0;             // used fraction of the guaranteed capacity, as the scheduler calculates it
  int64_t containers = 0;
  int64_t pending = 0;           // requested containers
  bool preempts_within = false;  // whether intra-queue preemption is enabled
};

// Returns all leaf queues below `root` for which the scheduler reports numbers (QueueStatistics).
std::vector<LeafQueue> LeafQueues(const ::hadoop::yarn::QueueInfoProto& root);

// Returns "queue a", "queue a or b" or "another application of the queue a". Returns an empty text if the numbers do
// not identify the queue with enough certainty. Pure. own: name or path of the job's queue. label: the node label of
// the preempted container's partition.
std::string PreemptingQueue(const std::vector<LeafQueue>& leaves, const std::string& own, const std::string& label);

// Finds the preempting queue for the job's containers. One query serves all containers that are preempted within a
// second. Used on the loop's thread only.
class PreemptorLookup {
 public:
  using OnFound = std::function<void(const std::string& preemptor)>;
  PreemptorLookup(boost::asio::io_context& loop, HadoopClient cluster, JobId job);

  // label: the node label of the container's partition. on_found is called once, possibly before Find returns, with the
  // result of PreemptingQueue. The text is empty if the ResourceManager does not answer within a second, or if the AM
  // may not query it (a cluster with Kerberos, no token). on_found is not called any more after this object has been
  // destroyed.
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
  boost::asio::steady_timer timeout_;  // limits how long the entries of waiting_ wait
  std::optional<Queues> cached_;       // the last answer; nullopt if it is too old
  boost::asio::steady_timer cache_end_;
};

}  // namespace howdah::backend::yarn::am
