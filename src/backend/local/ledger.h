// Who holds how much of this machine: the memory and GPUs of every job of one HOWDAH_HOME.
//
// Each job has one file in leases/, kept open and locked (flock) by its AM and the AM's guardian as long as either
// lives, so the kernel frees a crashed holder. It says what the job holds and what it waits for. Who wants to change
// something takes the file `lock`, reads all leases, decides, and writes its own. Who waits watches the directory:
// every write, and every close of a lease (also by death), is an event.
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

struct Lease {
  std::string container;
  int64_t memory_bytes = 0;
  int vcores = 0;
  std::vector<int> gpus;
};

// What one job holds and waits for, as its lease file says it.
struct Holding {
  std::string job;
  Instant submitted;
  std::vector<Lease> held;
  std::vector<Want> wanted;  // all of them or none
};

// Pure: may `mine` have what it wants now? `others` are the living holdings of all other jobs. The leases to add, or
// why not.
//
// The queue: who was submitted first is served first, and nobody overtakes, so that a big job is not starved by small
// ones. vcores neither refuse nor hold a job; each one wanted beyond those that are free moves the job back by 10 s in
// the order.
struct Decision {
  std::optional<std::vector<Lease>> granted;
  std::string waits_for;  // one sentence, if not granted
};
Decision Admit(const Capacity& capacity, const Holding& mine, const std::vector<Holding>& others);

// One job's lease. One thread.
class Ledger {
 public:
  // Creates and locks the job's lease file. The descriptor may be inherited by a child (the AM of a guardian): the
  // lease lasts until the last copy is closed.
  static Result<Ledger> Open(const std::string& directory, const JobId& job, Instant submitted);

  // Asks for all of wants at once, in place of whatever was asked before (empty: for nothing).
  Result<Decision> Ask(const Capacity& capacity, std::vector<Want> wants);
  Status GiveBack(const std::string& container);
  // What the job's lease says, where another process with this lease has asked meanwhile.
  Status Recall();
  // Removes the lease: nothing is held any more.
  Status Close();

  const Holding& holding() const { return mine_; }

 private:
  Ledger(std::string directory, std::string path, os::files::Fd file, Holding mine);
  Status Write() const;
  Result<std::vector<Holding>> ReadOthers() const;

  std::string directory_, path_;
  os::files::Fd file_;
  Holding mine_;
};

}  // namespace howdah::backend::local
