#include "local_site.h"

#include "capacity.h"
#include "doctor.h"
#include "howdah/admission/queue.h"
#include "howdah/autoscale/cluster_link.h"
#include "howdah/autoscale/publication.h"
#include "howdah/backend/queue_view.h"
#include "howdah/os/process/clock.h"
#include "howdah/os/process/machine.h"
#include "lease_registry.h"
#include "machine_info.h"

namespace howdah::backend::local {
namespace {

backend::QueuedJob RowOf(const admission::Cluster& queue, const std::vector<admission::Place>& places,
                         const admission::Job& job, const JobLeases& leases) {
  backend::QueuedJob row = backend::QueuedJobOf(queue, places, job);
  row.name = leases.name;
  row.priority = leases.priority;
  row.submitted = leases.submitted;
  admission::Resources held;
  for (const Lease& lease : leases.held) {
    held += admission::Resources{lease.memory_bytes >> 20, lease.vcores, std::ssize(lease.gpus), {}};
  }
  backend::SetHeld(row, held, std::ssize(leases.held));
  return row;
}

}  // namespace

const Capacity& LocalSite::MachineSize() {
  if (!capacity_) capacity_ = std::make_shared<const Capacity>(MachineCapacity(path_, /*with_gpus=*/true));
  return *capacity_;
}

Result<backend::ClusterInfo> LocalSite::Info() {
  HOWDAH_TRY(const auto leases, ReadLeases(layout_.leases()));
  return MachineInfo(os::process::NodeName(), MachineSize(), leases);
}

std::vector<backend::Finding> LocalSite::CheckSetup() { return local::CheckSetup(options_); }

Result<std::vector<backend::QueuedJob>> LocalSite::Jobs() {
  HOWDAH_TRY(const auto leases, ReadLeases(layout_.leases()));
  const admission::Cluster queue = QueueOf(MachineSize(), leases);
  const std::vector<admission::Place> places = admission::Order(queue, os::process::Clock().Now());
  std::vector<backend::QueuedJob> rows;
  for (const admission::Job& job : queue.jobs) {
    for (const JobLeases& of_job : leases) {
      if (of_job.job == job.id) rows.push_back(RowOf(queue, places, job, of_job));
    }
  }
  backend::SortQueue(rows);
  return rows;
}

howdah::Status LocalSite::SetPriority(const JobId& id, int priority) {
  return local::SetPriority(layout_.leases(), id, priority);
}

Result<std::unique_ptr<autoscale::Publication>> LocalSite::Autoscaler() {
  return std::unique_ptr<autoscale::Publication>();
}

Result<std::unique_ptr<autoscale::ClusterLink>> LocalSite::OpenLink(const autoscale::Provider&) {
  return Error{ErrorCode::kUsage, "this machine has a fixed size; write --on yarn to scale a cluster"};
}

howdah::Status LocalSite::MoveToQueue(const JobId& id, const std::string&) {
  return Error{ErrorCode::kUnavailable,
               id.text +
                   " runs on this machine, where all jobs are in one queue; change its place with `howdah queue "
                   "priority`"};
}

}  // namespace howdah::backend::local
