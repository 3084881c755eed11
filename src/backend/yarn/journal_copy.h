// The AM's journal in the cluster's file system: what a later AM begins from and clients read when no AM can be asked.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "cluster.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/process/fd.h"

namespace howdah::yarnplace {

// Follows the journal's file on this machine and stores it when it has grown, at most once a second and, as a long
// journal is written whole each time, never for more than a tenth of the time. A thread of its own does it: a slow
// NameNode holds up no job. What cannot be stored is tried again when the journal has grown.
class JournalCopy {
 public:
  // path: of the journal here. Starts at once.
  JournalCopy(Cluster cluster, JobId id, std::string path);
  // Ends, after what it is storing at the moment.
  ~JournalCopy();
  JournalCopy(const JournalCopy&) = delete;
  JournalCopy& operator=(const JournalCopy&) = delete;

 private:
  void Run();
  // Waits until the file changes or the destructor runs; false: the latter.
  bool AwaitChange(int watch);

  Cluster cluster_;
  JobId id_;
  std::string path_;
  process::Fd stop_;
  std::thread thread_;
};

// The job's end: its journal and its job file go to the history, its staging directory goes away.
Status StoreHistory(Cluster& cluster, const JobId& id, const std::string& journal);

}  // namespace howdah::yarnplace
