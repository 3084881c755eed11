// Copies the AM's journal and event log to the cluster's file system, for a later AM, and for clients while no AM runs.
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

// Stores both files when one of them has grown, at most once per second. Each copy writes the whole files, and the
// pauses between copies are long enough that copying takes at most a tenth of the time. A failed copy is repeated when
// a file has grown again. Uses its own thread, so that a slow NameNode does not delay the job.
class JournalCopy {
 public:
  // journal, event_log: paths of the local files. Starts immediately.
  JournalCopy(HadoopClient cluster, JobId id, std::string journal, std::string event_log);
  // Waits until a copy in progress is finished.
  ~JournalCopy();
  JournalCopy(const JournalCopy&) = delete;
  JournalCopy& operator=(const JournalCopy&) = delete;

 private:
  void Run();
  Status Store();
  // Waits until a file changes or the destructor begins. Returns false for the destructor.
  bool AwaitChange(int watch);

  HadoopClient cluster_;
  JobId id_;
  std::string journal_, event_log_;
  os::files::Fd stop_;
  std::thread thread_;
};

// Copies the event log (am::EventLog) that a job's AM stored last to a new local file. Returns false if none is stored
// yet.
Result<bool> FetchEventLog(HadoopClient& cluster, const JobId& id, const std::string& path);

}  // namespace howdah::backend::yarn::am
