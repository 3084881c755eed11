// What of a job its containers find beside them: the agent, the user's files by content, and the list by which an
// executor puts them into the working directory.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "content_cache.h"
#include "howdah/base/result.h"
#include "howdah/hadoop/conf/configuration.h"
#include "howdah/hadoop/hdfs/open.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::backend::yarn::client {

// What the executor makes the working directory by (howdah/executor: manifest.h).
inline constexpr const char* kManifest = "staging/manifest.json";
// Where an AM finds the cluster's configuration.
inline constexpr const char* kConfiguration = "howdah/hadoop.xml";

// A file that YARN puts into a container's directory.
struct Resource {
  std::string link;  // its name there: "howdah-agent", "staging/r3"
  RemoteFile file;
  bool unpack = false;             // by YARN, once a node
  std::set<std::string> only_for;  // the roles whose containers alone need it; empty: all
};

struct StagedJob {
  Resource agent;
  // The cluster's configuration, for the AM, and the manifest: texts where they are small enough to be carried.
  std::string configuration;
  std::optional<Resource> configuration_file;  // where it is larger
  std::string manifest;
  std::vector<Resource> files;     // what the manifest names, and itself where it is larger
  std::optional<Resource> python;  // "python": unpacked by YARN; "python.archive": by the executor
  int64_t bytes_sent = 0;
};

struct StagingOptions {
  const hadoop::conf::Configuration& configuration;
  hadoop::hdfs::FileSystem& files;  // the default file system
  Layout layout;
  hadoop::hdfs::OpenOptions open;  // for other file systems that the job file names
  std::string agent;               // path of howdah-agent
  std::string local_directory;     // of ours on this machine: remembered hashes, and what is packed for the way
  std::function<void(int64_t done, int64_t total)> on_staged;
};

// Sends what is not in the cluster yet. Files of other file systems ("hdfs:///models/base.pt") are named as they are.
// checkpoint.dir and tensorboard.logdir are made.
Result<StagedJob> StageJob(const jobspec::JobSpec& spec, const StagingOptions& options);

// Whether a path of a job file is one of a file system other than this machine's: "hdfs:///x".
bool IsUri(const std::string& path);

}  // namespace howdah::backend::yarn::client
