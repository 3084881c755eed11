// Copies the AM's files to the cluster's file system, for a later AM, and for clients while no AM runs.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "howdah/backend/yarn/hadoop_client.h"
#include "howdah/base/ids.h"
#include "howdah/base/result.h"

namespace howdah::backend::yarn::am {

// The paths of the local files. A feed's log may be replaced by a shorter one at any time.
struct JobFiles {
  std::string journal, event_log;
  std::vector<std::string> feed_logs;  // in the current directory; they are stored under the same names
};

// The inode, size and time of change of each file. They differ if a file has changed in the meantime.
struct FileState {
  uint64_t inode = 0;  // 0: there is no file
  int64_t size = 0, changed_nanos = 0;
  friend bool operator==(const FileState&, const FileState&) = default;
};
std::vector<FileState> StatesOf(const JobFiles& files);

// Stores the files when one of them has changed. Looks once per second, because all programs of a user share few
// instances of inotify. Each copy writes the whole files, and the pauses between copies are long enough that copying
// takes at most a tenth of the time. A failed copy is repeated after the pause. Uses its own thread, so that a slow
// NameNode does not delay the job.
class JournalCopy {
 public:
  // Starts immediately.
  JournalCopy(HadoopClient cluster, JobId id, JobFiles files);
  // The destructor waits until a copy in progress is finished.

 private:
  void Run(const std::stop_token& stop);

  HadoopClient cluster_;
  JobId id_;
  JobFiles files_;
  std::jthread thread_;  // declared last, because the thread uses the other members
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
