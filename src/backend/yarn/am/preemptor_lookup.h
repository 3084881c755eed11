// Finds for which queue containers are taken from the job.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <string>
#include <vector>

#include "background_query.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "preempting_queue.h"

namespace howdah::backend::yarn::am {

// Asks the ResourceManager once for all containers that are taken within a second. One thread: the loop's.
class PreemptorLookup {
 public:
  PreemptorLookup(boost::asio::io_context& loop, HadoopClient cluster, JobId job);

  // label: of the partition of the container that is taken. tell: called once, maybe before this returns, with what
  // PreemptingQueue says; with nothing if there is no answer within a second, or no right to one (a cluster with
  // Kerberos, and no token for it). Not called once this object is gone.
  void Find(const std::string& label, std::function<void(const std::string& preemptor)> tell);

 private:
  struct Waiting {
    std::string label;
    std::function<void(const std::string& preemptor)> tell;
  };
  // As they were when the job was last asked about.
  struct Queues {
    std::string own;
    std::vector<LeafQueue> leaves;
  };

  static Result<Queues> Ask(HadoopClient& cluster, const JobId& job);
  void Take(const Result<Queues>& queues);
  void TellAll(const Queues& queues);

  BackgroundQuery rm_;
  JobId job_;
  std::vector<Waiting> waiting_;
  boost::asio::steady_timer patience_;  // of who waits
  Queues newest_;
  boost::asio::steady_timer::time_point newest_until_{};
};

}  // namespace howdah::backend::yarn::am
