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

// Paths in a container. The executor reads the manifest (executor/manifest.h). The AM reads the cluster's
// configuration.
inline constexpr const char* kManifest = "staging/manifest.json";
inline constexpr const char* kConfiguration = "howdah/hadoop.xml";

// A file that YARN localizes into a container's directory.
struct Resource {
  std::string name;  // path in the container's directory: "howdah-agent", "staging/r3"
  StagedFile file;
  std::set<std::string> only_for;  // the roles that need it; empty for all roles
};

struct StagedJob {
  Resource agent;
  // The cluster's configuration, for the AM, and the manifest. Each is a text here if it is small enough to be embedded
  // in the credentials.
  std::string configuration;
  std::optional<Resource> configuration_file;  // set if the configuration is too large
  std::string manifest;
  std::vector<Resource> files;     // the files that the manifest names, and the manifest itself if it is too large
  std::optional<Resource> python;  // "python": unpacked by YARN; "python.archive": unpacked by the executor
  int64_t bytes_sent = 0;
};

struct StagingOptions {
  const hadoop::conf::Configuration& configuration;
  hadoop::hdfs::FileSystem& files;  // the default file system
  Layout layout;
  hadoop::hdfs::OpenOptions open;  // for other file systems that the job file names
  std::string agent;               // path of howdah-agent
  std::string local_directory;     // on this machine, for the cache of hashes and temporary packs
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
  std::string target;  // of a link
};

// Returns everything below `root`, parents before children, sorted by name. If `root` is a file, the result is one
// entry with an empty path. If `root` is a link, it is followed. Sockets, pipes and devices are left out.
// Entries for which `skips` returns true are left out; it receives paths below the root.
Result<std::vector<TreeEntry>> ListTree(const std::string& root, const os::files::Skips& skips = {});

// Whether a link at `path` of a tree points out of the tree. Judged only by the text of the link.
bool LeavesTree(const std::string& path, const std::string& target);

}  // namespace howdah::backend::yarn::client
