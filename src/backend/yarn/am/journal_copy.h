// The AM's journal and event log in the cluster's file system: what a later AM begins from, and clients read when no AM
// can be asked.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::yarn::am {

// Follows both files on this machine and stores them when one has grown, at most once a second and, as long files are
// written whole each time, never for more than a tenth of the time. A thread of its own does it: a slow NameNode holds
// up no job. What cannot be stored is tried again when a file has grown.
class JournalCopy {
 public:
  // Paths of the files here. Starts at once.
  JournalCopy(HadoopClient cluster, JobId id, std::string journal, std::string event_log);
  // Ends, after what it is storing at the moment.
  ~JournalCopy();
  JournalCopy(const JournalCopy&) = delete;
  JournalCopy& operator=(const JournalCopy&) = delete;

 private:
  void Run();
  Status Store();
  // Waits until the file changes or the destructor runs; false: the latter.
  bool AwaitChange(int watch);

  HadoopClient cluster_;
  JobId id_;
  std::string journal_, event_log_;
  os::files::Fd stop_;
  std::thread thread_;
};

}  // namespace howdah::backend::yarn::am
