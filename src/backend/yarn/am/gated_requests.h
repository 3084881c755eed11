// The container requests of the job. Those for its first gang reach the scheduler only when it is the job's turn in the
// queue of gangs; and while requests are pending, the job learns why.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gang_gate.h"
#include "howdah/backend/backend.h"
#include "howdah/backend/yarn/am_start.h"
#include "howdah/core/action.h"
#include "howdah/hadoop/messages/yarn_service.pb.h"
#include "howdah/hadoop/yarn/scheduler.h"
#include "howdah/jobspec/job_spec.h"
#include "howdah/os/process/clock.h"
#include "pending_monitor.h"
#include "rejected_requests.h"

namespace howdah::backend::yarn::am {

hadoop::yarn::Shape ShapeOf(const jobspec::JobSpec& spec, int role);

// Used on the AM's loop thread only.
class GatedRequests {
 public:
  struct Job {
    const AmStart& start;
    const jobspec::JobSpec& spec;
    GangGate::Options gate;
    std::function<HadoopClient()> open_cluster;
    std::function<bool()> step_aside;  // as GangGate::Callbacks::on_step_aside
  };
  // scheduler, sink, clock: must live as long as this object.
  GatedRequests(boost::asio::io_context& loop, hadoop::yarn::Scheduler& scheduler, backend::Sink& sink,
                const os::process::Clock& clock, Job job);

  void Ask(const core::RequestContainers& request);
  void CancelAll();
  // The first gang of the job is complete. From now on every request reaches the scheduler at once.
  void Complete();
  // Must be called after a change of the scheduler's outstanding requests.
  void Update();
  void OnRegistered(const ::hadoop::yarn::RegisterApplicationMasterResponseProto& response);
  void OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response);
  // containers: those of the rejected request, by role. Returns false if they can never be granted.
  bool OnRejected(const Error& error, const std::map<int, int>& containers);

 private:
  void OnTurn();
  // Reports why requests are pending: what the cluster lacks, and which jobs are ahead.
  void Report();
  void Ask(int role, int count);
  void AskScheduler(int role, int count);
  void OnFacts(const Result<ClusterFacts>& facts);
  // The number of containers of the role that are pending, also those that are withheld.
  int PendingOf(int role) const;
  std::vector<AllowedNodes> Placement() const;

  hadoop::yarn::Scheduler& scheduler_;
  backend::Sink& sink_;
  const jobspec::JobSpec& spec_;
  PendingMonitor monitor_;
  GangGate gate_;
  std::map<int, int> withheld_;  // containers, by role
  std::string lack_;             // the reason of the monitor
  core::RequestsDelayed reported_;
  RejectedRequests rejected_;
  bool together_ = false;  // the newest request that is not optional is that of a gang
};

}  // namespace howdah::backend::yarn::am
