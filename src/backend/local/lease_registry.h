// Leases of this machine's memory and GPUs, shared by all jobs of one HOWDAH_HOME.
//
// Each job has one file in leases/, which states what the job holds and requests. Its AM and the AM's guardian keep the
// file open and locked (flock), so the kernel releases the leases of a crashed job. To change something a job takes the
// file `lock`, reads all leases, decides, and writes its own. A job that waits watches the directory: every write and
// every close of a lease file, also by death, is an event.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::local {

// The lease of one container.
struct Lease {
  std::string container;
  int64_t memory_bytes = 0;
  int vcores = 0;
  std::vector<int> gpus;
};

// The content of a job's lease file.
struct JobLeases {
  std::string job;
  Instant submitted;
  std::vector<Lease> held;
  std::vector<ContainerRequest> requested;  // granted together
};

struct Admission {
  std::optional<std::vector<Lease>> granted;
  std::string waits_for;  // one sentence, if not granted
};
// Whether `mine` can have what it requests now. others: the leases of all other live jobs. Pure.
//
// Jobs are served in the order of submission without overtaking, so that large jobs are not starved by small ones.
// vcores never block a job, but each requested vcore that is not free moves the job back by 10 s in the order.
Admission Admit(const Capacity& capacity, const JobLeases& mine, const std::vector<JobLeases>& others);

// One job's access to the leases. One thread.
class LeaseRegistry {
 public:
  // Creates and locks the job's lease file. A child may inherit the descriptor (the AM from its guardian): the leases
  // last until the last copy is closed.
  static Result<LeaseRegistry> Open(const std::string& directory, const JobId& job, Instant submitted);

  // Requests all containers at once, in place of any earlier request; an empty list withdraws it.
  Result<Admission> Request(const Capacity& capacity, std::vector<ContainerRequest> requests);
  Status Release(const std::string& container);
  // Reads the lease file again, after another process of the job has changed it.
  Status Reload();
  // Deletes the lease file and thereby releases everything.
  Status Close();

  const JobLeases& job_leases() const { return mine_; }

 private:
  LeaseRegistry(std::string directory, std::string path, os::files::Fd file, JobLeases mine);
  Status Write() const;
  Result<std::vector<JobLeases>> ReadOthers() const;

  std::string directory_, path_;
  os::files::Fd file_;
  JobLeases mine_;
};

}  // namespace howdah::backend::local
