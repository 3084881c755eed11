// Copies the AM's files to the cluster's file system, for a later AM, and for clients while no AM runs.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"

namespace howdah::backend::yarn::am {

// The paths of the local files. A feed's log may be replaced by a shorter one at any time.
struct JobFiles {
  std::string journal, event_log;
  std::vector<std::string> feed_logs;  // in the current directory; they are stored under the same names
};

// Stores the files when one of them has grown, at most once per second. Each copy writes the whole files, and the
// pauses between copies are long enough that copying takes at most a tenth of the time. A failed copy is repeated when
// a file has grown again. Uses its own thread, so that a slow NameNode does not delay the job.
class JournalCopy {
 public:
  // Starts immediately.
  JournalCopy(HadoopClient cluster, JobId id, JobFiles files);
  // Waits until a copy in progress is finished.
  ~JournalCopy();
  JournalCopy(const JournalCopy&) = delete;
  JournalCopy& operator=(const JournalCopy&) = delete;

 private:
  void Run();
  // Waits until a file changes or the destructor begins. Returns false for the destructor.
  bool AwaitChange(int watch);

  HadoopClient cluster_;
  JobId id_;
  JobFiles files_;
  os::files::Fd stop_;
  std::thread thread_;
};

// Stores the whole local files once. Blocks.
Status StoreJobFiles(HadoopClient& cluster, const JobId& id, const JobFiles& files);

// Copies a log that a job's AM stored last, the event log (am::EventLog) or the log of a feed (am::FeedLog), to a new
// local file. path: the local file, in the working directory. Returns false if none is stored yet.
Result<bool> FetchLog(HadoopClient& cluster, const JobId& id, const std::string& path);

// Copies the newer tokens that a client has stored (`howdah renew`) to this container. Returns false if there are none.
Result<bool> FetchNewerTokens(HadoopClient& cluster, const JobId& id);

// Copies the metrics file every five minutes, on its own thread, so that a slow NameNode does not delay the job. A
// failed copy is repeated five minutes later.
class MetricsCopy {
 public:
  // path: the local metrics file, which need not exist yet.
  MetricsCopy(HadoopClient cluster, JobId id, std::string path);
  // The destructor waits until a copy in progress is finished.

 private:
  void Run(const std::stop_token& stop);

  HadoopClient cluster_;
  JobId id_;
  std::string path_;
  std::jthread thread_;  // declared last, because the thread uses the other members
};

// Copies the local file to the job's directory in the cluster's file system. Does nothing if there is no local file.
Status StoreMetrics(HadoopClient& cluster, const JobId& id, const std::string& path);
// Copies the metrics file that an earlier AM has stored to a new local file. Does nothing if none is stored.
Status FetchMetrics(HadoopClient& cluster, const JobId& id, const std::string& path);

}  // namespace howdah::backend::yarn::am
