#include "staging.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "howdah/backend/yarn/am_start.h"
#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/hadoop/conf/services.h"
#include "howdah/jobspec/left_out.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/source_filter.h"

namespace howdah::backend::yarn::client {
namespace {

// Nodes download each file separately. If a tree has more files than this, its small files are packed into one file.
constexpr size_t kMaxSeparateFiles = 32;
// Copies do not get the set-user-id, set-group-id and sticky bits.
constexpr mode_t kPermissions = 0777;
// Smaller files are packed. Such a file may grow during staging, at most to kMaxPackedFile.
constexpr off_t kLargeFile = off_t{1} << 20;
constexpr size_t kMaxPackedFile = size_t{16} << 20;

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

// Collects the files of a job, uploads them, and builds the manifest.
class Stager {
 public:
  explicit Stager(const StagingOptions& options)
      : options_(options),
        cache_(options.files, options.layout, options.local_directory + "/hashes", options.on_staged) {}

  Result<StagedJob> Stage(const jobspec::JobSpec& spec) {
    HOWDAH_TRY_STATUS(Collect(spec));
    StagedJob job;
    job.manifest = Manifest();
    job.left_out = std::move(left_out_);
    std::optional<size_t> manifest;
    if (job.manifest.size() > kMaxEmbeddedSize) {
      HOWDAH_TRY(const auto number, cache_.AddBytes(std::exchange(job.manifest, ""), ".json"));
      manifest = number;
    }
    HOWDAH_TRY_STATUS(cache_.Upload());
    for (const std::string& path : packs_) {
      HOWDAH_TRY_STATUS(os::files::RemoveTree(path));
    }
    job.agent = {"howdah-agent", cache_.file(agent_), {}};
    job.configuration = std::move(configuration_);
    if (configuration_file_) job.configuration_file = Resource{kConfiguration, cache_.file(*configuration_file_), {}};
    if (manifest) job.files.push_back({kManifest, cache_.file(*manifest), {}});
    std::map<std::string, std::set<std::string>> only_for = OnlyFor();
    for (size_t i = 0; i < sources_.size(); ++i)
      job.files.push_back({"staging/" + NameOf(i), FileOf(sources_[i]), only_for[NameOf(i)]});
    if (python_) {
      job.python = Resource{"python.archive", FileOf(*python_), {}};
      if (EndsInOneOf(spec.python_archive, kUnpackedByYarn)) {
        job.python->name = "python";
        job.python->file.type = StagedFile::Type::kArchive;
      }
    }
    job.bytes_sent = cache_.bytes_sent();
    return job;
  }

 private:
  // Identifies a file: entry `number` of the upload cache or, if `remote` is set, a file of another file system.
  struct Source {
    size_t number = 0;
    std::optional<StagedFile> remote;
    friend bool operator==(const Source&, const Source&) = default;
  };

  const StagedFile& FileOf(const Source& source) const {
    return source.remote ? *source.remote : cache_.file(source.number);
  }
  static std::string NameOf(size_t number) { return "r" + std::to_string(number); }

  Status Collect(const jobspec::JobSpec& spec) {
    HOWDAH_TRY(const auto agent, cache_.Add(options_.agent, ""));
    agent_ = agent;
    configuration_ = hadoop::conf::WriteXml(options_.configuration);
    if (configuration_.size() > kMaxEmbeddedSize) {
      HOWDAH_TRY(const auto configuration, cache_.AddBytes(std::exchange(configuration_, ""), ".xml"));
      configuration_file_ = configuration;
    }
    if (!spec.source.empty()) {
      if (const Status added = AddSource(spec.source, !spec.tony_env); !added.ok())
        return added.error().While("staging source");
    }
    for (const auto& [file, role] : jobspec::AllFiles(spec)) {
      const size_t first = entries_.size();
      if (const Status added = AddFile(file); !added.ok()) return added.error().While("staging " + file.from);
      for (size_t i = first; i < entries_.size() && !role.empty(); ++i) entries_[i]["role"] = role;
    }
    if (spec.python_archive.empty()) return {};
    auto python = Locate(spec.python_archive);
    if (!python.ok()) return python.error().While("staging python archive " + spec.python_archive);
    python_ = std::move(python->source);
    return {};
  }

  struct Located {
    Source source;
    mode_t mode = 0644;
  };

  Result<Located> Locate(const std::string& from) {
    if (IsUri(from)) return LocateRemote(from);
    HOWDAH_TRY(const auto number, cache_.Add(from, SuffixOf(from)));
    return Located{{number, std::nullopt}, 0644};
  }

  Result<Located> LocateRemote(const std::string& from) {
    HOWDAH_TRY(const auto uri, hadoop::conf::ResolveUri(options_.configuration, from));
    HOWDAH_TRY(const auto files, hadoop::hdfs::Open(options_.configuration, uri, options_.open));
    const std::string path = hadoop::hdfs::PathOf(uri);
    HOWDAH_TRY(const auto found, files->Stat(path));
    StagedFile remote{files->uri() + path, found.length, found.modified_millis};
    if ((found.permission & 4) != 0 && IsWorldTraversable(*files, path.substr(0, path.rfind('/')))) {
      remote.visibility = StagedFile::Visibility::kPublic;
    }
    return Located{{0, std::move(remote)}, found.permission & 0777};
  }

  // Returns the name under which YARN localizes the source. The same content always has the same name, because a
  // NodeManager does not create two links to one file.
  std::string ResourceName(Source source) {
    const auto at = std::find(sources_.begin(), sources_.end(), source);
    const auto number = static_cast<size_t>(at - sources_.begin());
    if (at == sources_.end()) sources_.push_back(std::move(source));
    return NameOf(number);
  }

  // filtered: whether to leave out the files that the rules of os::files::SourceFilter exclude. Jobs for TonY are not
  // filtered, because TonY copies everything.
  Status AddSource(const std::string& source, bool filtered) {
    if (!IsUri(source)) {
      HOWDAH_TRY(auto tree, ListTree(source, filtered ? os::files::SkipsOfSource(source) : nullptr));
      if (tree.front().kind == TreeEntry::Kind::kDirectory) {
        if (filtered) {
          HOWDAH_TRY(auto survey, os::files::SurveySource(source));
          left_out_ = jobspec::LeftOut{std::move(survey.left_out), std::move(survey.rules_file)}.Encode();
        }
        return AddTree(source, "", tree);
      }
    }
    HOWDAH_TRY(auto located, Locate(source));
    entries_.push_back({{"path", "."}, {"resource", ResourceName(std::move(located.source))}, {"unpack", true}});
    return {};
  }

  Status AddFile(const jobspec::File& file) {
    if (!IsUri(file.from) && !file.unpack) {
      HOWDAH_TRY(auto tree, ListTree(file.from));
      return AddTree(file.from, file.to, tree);
    }
    HOWDAH_TRY(auto located, Locate(file.from));
    nlohmann::json entry = {{"path", file.to}, {"resource", ResourceName(std::move(located.source))}};
    if (file.unpack) {
      entry["unpack"] = true;
    } else {
      entry["mode"] = located.mode;
    }
    entries_.push_back(std::move(entry));
    return {};
  }

  static std::string Below(const std::string& to, const std::string& path) {
    if (to.empty() && path.empty()) return ".";
    return to.empty() || path.empty() ? to + path : to + "/" + path;
  }

  // Adds the entries of a tree: first the directories, then the packed files, then all other files.
  Status AddTree(const std::string& root, const std::string& to, const std::vector<TreeEntry>& tree) {
    const auto is_file = [](const TreeEntry& entry) { return entry.kind == TreeEntry::Kind::kFile; };
    const bool packed = std::count_if(tree.begin(), tree.end(), is_file) > static_cast<long>(kMaxSeparateFiles);
    for (const TreeEntry& entry : tree) {
      if (entry.kind != TreeEntry::Kind::kDirectory) continue;
      entries_.push_back({{"path", Below(to, entry.path)}, {"mode", entry.mode}, {"directory", true}});
    }
    if (packed) {
      HOWDAH_TRY_STATUS(AddPacked(root, to, tree));
    }
    for (const TreeEntry& entry : tree) {
      if (entry.kind == TreeEntry::Kind::kLink) {
        HOWDAH_TRY_STATUS(AddLink(root, to, entry));
      } else if (is_file(entry) && !(packed && entry.size < kLargeFile)) {
        const std::string from = entry.path.empty() ? root : root + "/" + entry.path;
        HOWDAH_TRY(const auto number, cache_.Add(from, ""));
        entries_.push_back({{"path", Below(to, entry.path)},
                            {"mode", entry.mode},
                            {"resource", ResourceName({number, std::nullopt})}});
      }
    }
    return {};
  }

  // Replaces a link that points out of the tree by a copy of its target, because nodes do not have the target. Keeps a
  // dangling link, because its target may exist on the nodes.
  Status AddLink(const std::string& root, const std::string& to, const TreeEntry& link) {
    const std::string from = root + "/" + link.path;
    if (!LeavesTree(link.path, link.target) || access(from.c_str(), F_OK) != 0) {
      entries_.push_back({{"path", Below(to, link.path)}, {"link", link.target}});
      return {};
    }
    auto target = ListTree(from);
    if (!target.ok()) return target.error().While("the link " + from + " points outside of " + root);
    if (target->front().kind != TreeEntry::Kind::kFile) {
      return Failed("the link " + from + " points outside of " + root + " to the directory " + link.target +
                    ", which nodes do not have; name it under `files:`");
    }
    HOWDAH_TRY(const auto number, cache_.Add(from, ""));
    entries_.push_back({{"path", Below(to, link.path)},
                        {"mode", target->front().mode},
                        {"resource", ResourceName({number, std::nullopt})}});
    return {};
  }

  // Concatenates the small files of a tree into one. The manifest has their offsets.
  Status AddPacked(const std::string& root, const std::string& to, const std::vector<TreeEntry>& tree) {
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(options_.local_directory, 0700));
    const std::string path = options_.local_directory + "/pack-" + HashOf(root).substr(0, 16) + "-" +
                             std::to_string(getpid()) + "-" + std::to_string(packs_.size());
    const os::files::Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
    if (!file.valid()) return os::files::SystemError("writing " + path);
    packs_.push_back(path);
    const size_t first = entries_.size();
    int64_t offset = 0;
    for (const TreeEntry& entry : tree) {
      if (entry.kind != TreeEntry::Kind::kFile || entry.size >= kLargeFile) continue;
      HOWDAH_TRY(const auto bytes, os::files::ReadFile(root + "/" + entry.path, kMaxPackedFile));
      HOWDAH_TRY_STATUS(os::files::WriteAll(file.get(), bytes, path));
      const auto size = static_cast<int64_t>(bytes.size());
      entries_.push_back({{"path", Below(to, entry.path)}, {"mode", entry.mode}, {"offset", offset}, {"size", size}});
      offset += size;
    }
    HOWDAH_TRY(const auto number, cache_.Add(path, ""));
    const std::string name = ResourceName({number, std::nullopt});
    for (size_t i = first; i < entries_.size(); ++i) entries_[i]["resource"] = name;
    return {};
  }

  // Returns, for each file that not all roles need, the roles that need it. The key is the file's name.
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
  std::vector<Source> sources_;
  std::optional<Source> python_;
  std::string left_out_;
  nlohmann::json entries_ = nlohmann::json::array();
  std::vector<std::string> packs_;
};

Status MakeDirectory(const std::string& uri, const StagingOptions& options, const std::string& key) {
  if (uri.empty()) return {};
  // Assume that a path without a scheme is a directory that this machine and all nodes share.
  const auto resolved = hadoop::conf::ResolveUri(options.configuration, IsUri(uri) ? uri : "file://" + uri);
  if (!resolved.ok()) return resolved.error().While("creating " + key);
  // Ignore other kinds of storage (s3a://...): the training framework must create its directories there.
  const auto files = hadoop::hdfs::Open(options.configuration, *resolved, options.open);
  if (!files.ok()) return {};
  const Status made = (*files)->MakeDirectories(hadoop::hdfs::PathOf(*resolved), 0755);
  return made.ok() ? made : Status(made.error().While("creating " + key));
}

Status Add(const std::string& root, const std::string& path, const os::files::Skips& skips,
           std::vector<TreeEntry>& entries) {
  const std::string full = path.empty() ? root : root + "/" + path;
  struct stat facts {};
  if ((path.empty() ? stat(full.c_str(), &facts) : lstat(full.c_str(), &facts)) != 0) {
    return os::files::SystemError("reading " + full);
  }
  if (!path.empty() && skips && skips(path, S_ISDIR(facts.st_mode))) return {};
  TreeEntry entry{TreeEntry::Kind::kFile, path, facts.st_mode & kPermissions, facts.st_size, ""};
  if (S_ISLNK(facts.st_mode)) {
    char target[PATH_MAX];
    const ssize_t size = readlink(full.c_str(), target, sizeof target);
    if (size < 0) return os::files::SystemError("reading the link " + full);
    entry.kind = TreeEntry::Kind::kLink;
    entry.target.assign(target, static_cast<size_t>(size));
  } else if (S_ISDIR(facts.st_mode)) {
    entry.kind = TreeEntry::Kind::kDirectory;
  } else if (!S_ISREG(facts.st_mode)) {
    return {};
  }
  const bool descend = entry.kind == TreeEntry::Kind::kDirectory;
  entries.push_back(std::move(entry));
  if (!descend) return {};
  HOWDAH_TRY(const auto names, os::files::ListDirectory(full));
  for (const std::string& name : names) {
    const std::string below = path.empty() ? name : path + "/" + name;
    HOWDAH_TRY_STATUS(Add(root, below, skips, entries));
  }
  return {};
}

}  // namespace

bool IsUri(const std::string& path) { return path.find("://") != std::string::npos || path.starts_with("hdfs:"); }

Result<StagedJob> StageJob(const jobspec::JobSpec& spec, const StagingOptions& options) {
  HOWDAH_TRY_STATUS(MakeDirectory(spec.checkpoint.dir, options, "checkpoint.dir"));
  HOWDAH_TRY_STATUS(MakeDirectory(spec.tensorboard_logdir, options, "tensorboard.logdir"));
  return Stager(options).Stage(spec);
}

Result<std::vector<TreeEntry>> ListTree(const std::string& root, const os::files::Skips& skips) {
  std::vector<TreeEntry> entries;
  HOWDAH_TRY_STATUS(Add(root, "", skips, entries));
  return entries;
}

bool LeavesTree(const std::string& path, const std::string& target) {
  if (target.starts_with('/')) return true;
  int depth = static_cast<int>(std::count(path.begin(), path.end(), '/'));
  for (size_t begin = 0; begin <= target.size();) {
    const size_t end = std::min(target.find('/', begin), target.size());
    const std::string_view part = std::string_view(target).substr(begin, end - begin);
    begin = end + 1;
    if (part == "..") --depth;
    if (!part.empty() && part != "." && part != "..") ++depth;
    if (depth < 0) return true;
  }
  return false;
}

}  // namespace howdah::backend::yarn::client
