// Stages what a job's containers need: the agent, the user's files by content, and the manifest by which an executor
// assembles the working directory.
#pragma once

#include <sys/types.h>

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

// Paths in a container. The executor reads the manifest (executor/manifest.h), the AM the cluster's configuration.
inline constexpr const char* kManifest = "staging/manifest.json";
inline constexpr const char* kConfiguration = "howdah/hadoop.xml";

// A file that YARN localizes into a container's directory.
struct Resource {
  std::string name;  // in the directory: "howdah-agent", "staging/r3"
  StagedFile file;
  std::set<std::string> only_for;  // the roles that need it; empty: all
};

struct StagedJob {
  Resource agent;
  // The cluster's configuration, for the AM, and the manifest: as text if small enough to be embedded in credentials.
  std::string configuration;
  std::optional<Resource> configuration_file;  // otherwise
  std::string manifest;
  std::vector<Resource> files;     // named by the manifest; and the manifest itself if it is larger
  std::optional<Resource> python;  // "python": unpacked by YARN; "python.archive": unpacked by the executor
  int64_t bytes_sent = 0;
};

struct StagingOptions {
  const hadoop::conf::Configuration& configuration;
  hadoop::hdfs::FileSystem& files;  // the default file system
  Layout layout;
  hadoop::hdfs::OpenOptions open;  // for other file systems that the job file names
  std::string agent;               // path of howdah-agent
  std::string local_directory;     // on this machine, for remembered hashes and temporary packs
  ContentCache::OnProgress on_staged;
};

// Uploads the files that the cluster lacks and creates checkpoint.dir and tensorboard.logdir. Files of other file
// systems
// ("hdfs:///models/base.pt") are used where they are.
Result<StagedJob> StageJob(const jobspec::JobSpec& spec, const StagingOptions& options);

// Whether a path of a job file is in a file system other than this machine's: "hdfs:///x".
bool IsUri(const std::string& path);

// An entry of a local directory.
struct TreeEntry {
  enum class Kind { kDirectory, kFile, kLink } kind = Kind::kFile;
  std::string path;  // below the root; empty: the root itself
  mode_t mode = 0;
  off_t size = 0;
  std::string target;  // of a link
};

// Everything below `root`, parents before children, sorted by name; a root that is a file is one entry with an empty
// path. A link as root is followed. Sockets, pipes and devices are left out.
Result<std::vector<TreeEntry>> ListTree(const std::string& root);

// Whether a link at `path` of a tree points out of the tree, judged by its text alone.
bool LeavesTree(const std::string& path, const std::string& target);

}  // namespace howdah::backend::yarn::client
