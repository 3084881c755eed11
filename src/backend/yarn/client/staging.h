// Stages the files that a job's containers need: the agent, the user's files by content hash, and the manifest from
// which an executor assembles the working directory.
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
#include "howdah/os/files/files.h"

namespace howdah::backend::yarn::client {

// Path in a container. The manifest is for the executor (executor/manifest.h).
inline constexpr const char* kManifest = "staging/manifest.json";
// Path in a container, for the diagnosis of failures (jobspec::kLeftOutFile).
inline constexpr const char* kLeftOut = "staging/left-out";

// A file that YARN localizes into a container's directory.
struct Resource {
  std::string name;  // path in the container's directory: "howdah-agent", "staging/r3"
  StagedFile file;
  std::set<std::string> only_for;  // the roles that need it; empty for all roles
};

struct StagedJob {
  Resource agent;
  // The texts of the cluster's configuration (for AM and executors) and of the manifest, to be embedded in the
  // credentials. A text that is too large for the credentials is empty here and becomes a file instead.
  std::string configuration;
  std::optional<Resource> configuration_file;  // set if the configuration is too large to be embedded
  std::string manifest;
  std::string left_out;            // jobspec::LeftOut::Encode, to be embedded as well
  std::vector<Resource> files;     // the files that the manifest names, and the manifest itself if it is a file
  std::optional<Resource> python;  // named "python" if YARN unpacks it, "python.archive" if the executor does
  int64_t bytes_sent = 0;
};

struct StagingOptions {
  const hadoop::conf::Configuration& configuration;
  hadoop::hdfs::FileSystem& files;  // the default file system
  Layout layout;
  hadoop::hdfs::OpenOptions open;  // options for opening other file systems that the job file names
  std::string agent;               // path of howdah-agent
  std::string local_directory;     // directory on this machine for the cache of hashes and temporary packs
  ContentCache::OnProgress on_staged;
};

// Uploads the files that the cluster lacks and creates checkpoint.dir and tensorboard.logdir. Files in other file
// systems ("hdfs:///models/base.pt") are not copied, because containers use them directly.
Result<StagedJob> StageJob(const jobspec::JobSpec& spec, const StagingOptions& options);

// Whether a path of a job file is in a file system other than this machine's: "hdfs:///x".
bool IsUri(const std::string& path);

// An entry of a local directory.
struct TreeEntry {
  enum class Kind { kDirectory, kFile, kLink } kind = Kind::kFile;
  std::string path;  // below the root; empty for the root itself
  mode_t mode = 0;
  off_t size = 0;
  std::string target;  // the target of a link
};

// Returns all entries below `root`, parents before children, sorted by name. Leaves out sockets, pipes, devices, and
// entries for which `skips` returns true. `skips` receives paths below the root. If `root` is a file, returns one entry
// with an empty path. If `root` is a link, lists its target.
Result<std::vector<TreeEntry>> ListTree(const std::string& root, const os::files::Skips& skips = {});

// Whether a link at `path` points out of its tree. Compares only the texts of path and target, and does not read the
// file system.
bool LeavesTree(const std::string& path, const std::string& target);

}  // namespace howdah::backend::yarn::client
