#include "staging.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "howdah/backend/yarn/carried_files.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "source_tree.h"

namespace howdah::backend::yarn::client {
namespace {

// Each file of its own costs a node a download; so when there are many, the small ones travel together.
constexpr size_t kMostFilesAlone = 32;
constexpr off_t kLargeFile = off_t{1} << 20;
constexpr size_t kMostTogether = size_t{16} << 20;  // of a small file that has grown since it was looked at

constexpr std::string_view kUnpackedByYarn[] = {".tar.gz", ".tgz", ".tar"};
constexpr std::string_view kArchiveSuffixes[] = {".tar.gz", ".tgz", ".tar", ".tar.xz", ".tar.bz2", ".tar.zst", ".zip"};

bool EndsInOneOf(const std::string& name, auto const& suffixes) {
  return std::any_of(std::begin(suffixes), std::end(suffixes),
                     [&](std::string_view suffix) { return name.ends_with(suffix); });
}

std::string SuffixOf(const std::string& name) {
  for (const std::string_view suffix : kArchiveSuffixes) {
    if (name.ends_with(suffix)) return std::string(suffix);
  }
  return "";
}

// Collects what a job needs, sends it, and then says what it became.
class Stager {
 public:
  explicit Stager(const StagingOptions& options)
      : options_(options),
        cache_(options.files, options.layout, options.local_directory + "/hashes", options.on_staged) {}

  Result<StagedJob> Stage(const jobspec::JobSpec& spec) {
    HOWDAH_TRY_STATUS(Collect(spec));
    StagedJob job;
    job.manifest = Manifest();
    std::optional<size_t> manifest;
    if (job.manifest.size() > kMaxEmbeddedSize) {
      HOWDAH_TRY(const auto number, cache_.AddBytes(std::exchange(job.manifest, ""), ".json"));
      manifest = number;
    }
    HOWDAH_TRY_STATUS(cache_.Send());
    for (const std::string& path : temporary_) {
      HOWDAH_TRY_STATUS(os::files::RemoveTree(path));
    }
    job.agent = {"howdah-agent", cache_.sent(agent_), false};
    job.configuration = std::move(configuration_);
    if (configuration_file_)
      job.configuration_file = Resource{kConfiguration, cache_.sent(*configuration_file_), false};
    if (manifest) job.files.push_back({kManifest, cache_.sent(*manifest), false});
    std::map<std::string, std::set<std::string>> only_for = OnlyFor();
    for (size_t i = 0; i < staged_.size(); ++i)
      job.files.push_back({"staging/" + NameOf(i), FileOf(staged_[i]), false, only_for[NameOf(i)]});
    if (python_) {
      const bool by_yarn = EndsInOneOf(spec.python_archive, kUnpackedByYarn);
      job.python = Resource{by_yarn ? "python" : "python.archive", FileOf(*python_), by_yarn};
    }
    job.bytes_sent = cache_.bytes_sent();
    return job;
  }

 private:
  // Either a number in the cache, or a file of some file system.
  struct Staged {
    size_t number = 0;
    std::optional<RemoteFile> remote;
    friend bool operator==(const Staged&, const Staged&) = default;
  };

  const RemoteFile& FileOf(const Staged& staged) const {
    return staged.remote ? *staged.remote : cache_.sent(staged.number);
  }
  static std::string NameOf(size_t number) { return "r" + std::to_string(number); }

  Status Collect(const jobspec::JobSpec& spec) {
    HOWDAH_TRY(const auto agent, cache_.PendingContainers(options_.agent, ""));
    agent_ = agent;
    configuration_ = hadoop::conf::WriteXml(options_.configuration);
    if (configuration_.size() > kMaxEmbeddedSize) {
      HOWDAH_TRY(const auto configuration, cache_.AddBytes(std::exchange(configuration_, ""), ".xml"));
      configuration_file_ = configuration;
    }
    if (!spec.source.empty()) {
      if (const Status added = AddSource(spec.source); !added.ok()) return added.error().While("staging source");
    }
    for (const auto& [file, role] : jobspec::AllFiles(spec)) {
      const size_t first = entries_.size();
      if (const Status added = AddFile(file); !added.ok()) return added.error().While("staging " + file.from);
      for (size_t i = first; i < entries_.size() && !role.empty(); ++i) entries_[i]["role"] = role;
    }
    if (spec.python_archive.empty()) return {};
    auto python = Take(spec.python_archive);
    if (!python.ok()) return python.error().While("staging python archive " + spec.python_archive);
    python_ = std::move(python->staged);
    return {};
  }

  struct Taken {
    Staged staged;
    mode_t mode = 0644;
  };

  Result<Taken> Take(const std::string& from) {
    if (IsUri(from)) return TakeRemote(from);
    HOWDAH_TRY(const auto number, cache_.PendingContainers(from, SuffixOf(from)));
    return Taken{{number, std::nullopt}, 0644};
  }

  Result<Taken> TakeRemote(const std::string& from) {
    HOWDAH_TRY(const auto uri, hadoop::conf::ResolveUri(options_.configuration, from));
    HOWDAH_TRY(const auto files, hadoop::hdfs::Open(options_.configuration, uri, options_.open));
    const std::string path = hadoop::hdfs::PathOf(uri);
    HOWDAH_TRY(const auto found, files->Stat(path));
    RemoteFile remote{files->uri() + path, found.length, found.modified_millis, (found.permission & 4) != 0};
    remote.is_public = remote.is_public && IsWorldTraversable(*files, path.substr(0, path.rfind('/')));
    return Taken{{0, std::move(remote)}, found.permission & 0777};
  }

  // One name for one file, however often its content is wanted: a NodeManager makes no two links to it.
  std::string Keep(Staged staged) {
    const auto at = std::find(staged_.begin(), staged_.end(), staged);
    const auto number = static_cast<size_t>(at - staged_.begin());
    if (at == staged_.end()) staged_.push_back(std::move(staged));
    return NameOf(number);
  }

  Status AddSource(const std::string& source) {
    if (!IsUri(source)) {
      HOWDAH_TRY(auto tree, ListTree(source));
      if (tree.front().kind == TreeEntry::Kind::kDirectory) return AddTree(source, "", tree);
    }
    HOWDAH_TRY(auto taken, Take(source));
    entries_.push_back({{"path", "."}, {"resource", Keep(std::move(taken.staged))}, {"unpack", true}});
    return {};
  }

  Status AddFile(const jobspec::File& file) {
    if (!IsUri(file.from) && !file.unpack) {
      HOWDAH_TRY(auto tree, ListTree(file.from));
      return AddTree(file.from, file.to, tree);
    }
    HOWDAH_TRY(auto taken, Take(file.from));
    nlohmann::json entry = {{"path", file.to}, {"resource", Keep(std::move(taken.staged))}};
    if (file.unpack) {
      entry["unpack"] = true;
    } else {
      entry["mode"] = taken.mode;
    }
    entries_.push_back(std::move(entry));
    return {};
  }

  static std::string Below(const std::string& to, const std::string& path) {
    if (to.empty() && path.empty()) return ".";
    return to.empty() || path.empty() ? to + path : to + "/" + path;
  }

  // Directories first; then what travels together; then the rest.
  Status AddTree(const std::string& root, const std::string& to, const std::vector<TreeEntry>& tree) {
    const auto is_file = [](const TreeEntry& entry) { return entry.kind == TreeEntry::Kind::kFile; };
    const bool together = std::count_if(tree.begin(), tree.end(), is_file) > static_cast<long>(kMostFilesAlone);
    for (const TreeEntry& entry : tree) {
      if (entry.kind != TreeEntry::Kind::kDirectory) continue;
      entries_.push_back({{"path", Below(to, entry.path)}, {"mode", entry.mode}, {"directory", true}});
    }
    if (together) {
      HOWDAH_TRY_STATUS(AddTogether(root, to, tree));
    }
    for (const TreeEntry& entry : tree) {
      if (entry.kind == TreeEntry::Kind::kLink) {
        HOWDAH_TRY_STATUS(AddLink(root, to, entry));
      } else if (is_file(entry) && !(together && entry.size < kLargeFile)) {
        const std::string from = entry.path.empty() ? root : root + "/" + entry.path;
        HOWDAH_TRY(const auto number, cache_.PendingContainers(from, ""));
        entries_.push_back(
            {{"path", Below(to, entry.path)}, {"mode", entry.mode}, {"resource", Keep({number, std::nullopt})}});
      }
    }
    return {};
  }

  // Nodes do not have what lies outside of the tree: a link to a file there becomes the file. One to what is not here
  // either may be meant for the nodes.
  Status AddLink(const std::string& root, const std::string& to, const TreeEntry& link) {
    const std::string from = root + "/" + link.path;
    if (!LeavesTree(link.path, link.target) || access(from.c_str(), F_OK) != 0) {
      entries_.push_back({{"path", Below(to, link.path)}, {"link", link.target}});
      return {};
    }
    auto target = ListTree(from);
    if (!target.ok()) return target.error().While("the link " + from + " points out of " + root);
    if (target->front().kind != TreeEntry::Kind::kFile) {
      return Failed("the link " + from + " points out of " + root + " to the directory " + link.target +
                    ", which nodes do not have; name it under `files:`");
    }
    HOWDAH_TRY(const auto number, cache_.PendingContainers(from, ""));
    entries_.push_back(
        {{"path", Below(to, link.path)}, {"mode", target->front().mode}, {"resource", Keep({number, std::nullopt})}});
    return {};
  }

  // Small files one behind the other in one file; the manifest says where each begins.
  Status AddTogether(const std::string& root, const std::string& to, const std::vector<TreeEntry>& tree) {
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(options_.local_directory, 0700));
    const std::string path = options_.local_directory + "/together-" + HashOf(root).substr(0, 16) + "-" +
                             std::to_string(getpid()) + "-" + std::to_string(temporary_.size());
    const os::files::Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.valid()) return os::files::SystemError("writing " + path);
    temporary_.push_back(path);
    const size_t first = entries_.size();
    int64_t offset = 0;
    for (const TreeEntry& entry : tree) {
      if (entry.kind != TreeEntry::Kind::kFile || entry.size >= kLargeFile) continue;
      HOWDAH_TRY(const auto bytes, os::files::ReadFile(root + "/" + entry.path, kMostTogether));
      HOWDAH_TRY_STATUS(os::files::WriteAll(file.get(), bytes, path));
      const auto size = static_cast<int64_t>(bytes.size());
      entries_.push_back({{"path", Below(to, entry.path)}, {"mode", entry.mode}, {"offset", offset}, {"size", size}});
      offset += size;
    }
    HOWDAH_TRY(const auto number, cache_.PendingContainers(path, ""));
    const std::string name = Keep({number, std::nullopt});
    for (size_t i = first; i < entries_.size(); ++i) entries_[i]["resource"] = name;
    return {};
  }

  // Of the files that not all roles need, by name: those that do.
  std::map<std::string, std::set<std::string>> OnlyFor() const {
    std::map<std::string, std::set<std::string>> only_for;
    for (const nlohmann::json& entry : entries_) {
      if (entry.contains("resource") && entry.contains("role")) only_for[entry["resource"]].insert(entry["role"]);
    }
    for (const nlohmann::json& entry : entries_) {
      if (entry.contains("resource") && !entry.contains("role")) only_for.erase(entry["resource"]);
    }
    return only_for;
  }

  std::string Manifest() const {
    if (entries_.empty()) return "";
    return entries_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  const StagingOptions& options_;
  ContentCache cache_;
  size_t agent_ = 0;
  std::string configuration_;
  std::optional<size_t> configuration_file_;
  std::vector<Staged> staged_;
  std::optional<Staged> python_;
  nlohmann::json entries_ = nlohmann::json::array();
  std::vector<std::string> temporary_;
};

Status MakeDirectory(const std::string& uri, const StagingOptions& options, const std::string& key) {
  if (uri.empty()) return {};
  // A path is a directory that this machine and the nodes share.
  const auto resolved = hadoop::conf::ResolveUri(options.configuration, IsUri(uri) ? uri : "file://" + uri);
  if (!resolved.ok()) return resolved.error().While("creating " + key);
  // Of another kind of storage (s3a://...) the training framework is the one to know.
  const auto files = hadoop::hdfs::Open(options.configuration, *resolved, options.open);
  if (!files.ok()) return {};
  const Status made = (*files)->MakeDirectories(hadoop::hdfs::PathOf(*resolved), 0755);
  return made.ok() ? made : Status(made.error().While("creating " + key));
}

}  // namespace

bool IsUri(const std::string& path) { return path.find("://") != std::string::npos || path.starts_with("hdfs:"); }

Result<StagedJob> StageJob(const jobspec::JobSpec& spec, const StagingOptions& options) {
  HOWDAH_TRY_STATUS(MakeDirectory(spec.checkpoint.dir, options, "checkpoint.dir"));
  HOWDAH_TRY_STATUS(MakeDirectory(spec.tensorboard_logdir, options, "tensorboard.logdir"));
  return Stager(options).Stage(spec);
}

}  // namespace howdah::backend::yarn::client
