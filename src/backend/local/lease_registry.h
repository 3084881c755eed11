// Leases of this machine's memory and GPUs, shared by all jobs of one HOWDAH_HOME.
//
// Each job has one file in leases/, which lists the leases that the job holds and requests. The job's AM and the AM's
// guardian keep the file open and locked (flock), so the kernel releases the leases of a crashed job. To request or
// release leases, a job locks the file `lock`, reads all lease files, decides, and writes its own. A waiting job
// watches the directory with inotify. Every write and every close of a lease file causes an event, including the close
// when a process dies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capacity.h"
#include "howdah/admission/queue.h"
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

// A job that shares the machine, as its lease file describes it.
struct LeaseOwner {
  std::string job, name;
  Instant submitted;
  int priority = 0;
  std::optional<Duration> run;  // timeouts.run
};

// The content of a job's lease file.
struct JobLeases : LeaseOwner {
  std::vector<Lease> held;
  std::vector<ContainerRequest> requested;  // all of them are granted together, or none
  Instant granted = {};                     // the time of the newest grant
};

struct Admission {
  std::optional<std::vector<Lease>> granted;
  std::string waits_for;  // if not granted: the reason, in one sentence
  bool queued = false;    // if not granted: other jobs are ahead
};
// Returns the queue of the machine (howdah/admission/queue.h). A job waits while it requests containers. Optional
// requests come last. vcores never block a job; instead, each requested vcore that is not free makes the job count as
// submitted 10 s later. Pure.
admission::Cluster QueueOf(const Capacity& capacity, const std::vector<JobLeases>& jobs);

// Decides whether the requests of `mine` can be granted now, according to the job's turn in the queue. others: the
// leases of all other running jobs. Pure.
Admission Admit(const Capacity& capacity, const JobLeases& mine, const std::vector<JobLeases>& others, Instant now);

// Changes the priority of a running job. Returns kNotFound if there is no such job.
Status SetPriority(const std::string& directory, const JobId& job, int priority);

// Returns the leases of all running jobs, by job, and changes nothing. Blocks while a job reads or writes leases.
Result<std::vector<JobLeases>> ReadLeases(const std::string& directory);

// One job's access to the leases. Single-threaded.
class LeaseRegistry {
 public:
  // Creates and locks the job's lease file. The leases last until the last copy of the file's descriptor is closed. A
  // child process may inherit a copy, as the AM does from its guardian.
  static Result<LeaseRegistry> Open(const std::string& directory, const LeaseOwner& owner);

  // Requests all these containers together. Replaces any earlier request; an empty list withdraws it.
  Result<Admission> Request(const Capacity& capacity, std::vector<ContainerRequest> requests, Instant now);
  Status Release(const std::string& container);
  // Reads the lease file again. Must be called after another process of the job has changed the file.
  Status Reload();
  // Deletes the lease file and thereby releases all leases.
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
