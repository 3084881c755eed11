// A Skein application specification (YAML or JSON), read strictly. The keys, types and defaults are those of Skein
// 0.8.2: the page "Specification" of its documentation, and the classes ApplicationSpec, Master, Service, Resources,
// File, ACLs and Security of its module model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/keyfile/host.h"
#include "howdah/keyfile/problem.h"

namespace howdah::compat::skeinspec {

// The largest number of services in a specification.
inline constexpr size_t kMostServices = 1'000;
// The value of Service::max_restarts without a limit.
inline constexpr int kAlwaysRestart = -1;

using Pairs = std::vector<std::pair<std::string, std::string>>;

struct Resources {
  int64_t memory_mib = 512;  // default of the master; required for a service
  int vcores = 1;
  int gpus = 0;
  int fpgas = 0;
  friend bool operator==(const Resources&, const Resources&) = default;
};

enum class FileType { kInferred, kFile, kArchive };

struct File {
  std::string name;    // in the working directory
  std::string source;  // an absolute path or a URI
  FileType type = FileType::kInferred;
  // These have no effect. nullopt: not set.
  std::optional<std::string> visibility;
  std::optional<int64_t> size, timestamp;
  // The type, which the name of the source determines if it is not set.
  bool IsArchive() const;
  friend bool operator==(const File&, const File&) = default;
};

struct Service {
  std::string name;
  Resources resources;
  std::string script;
  int instances = 1;
  std::vector<File> files;
  Pairs env;
  std::vector<std::string> depends;
  int max_restarts = 0;
  bool allow_failures = false;
  std::string node_label;
  std::vector<std::string> nodes, racks;
  bool relax_locality = false;
  friend bool operator==(const Service&, const Service&) = default;
};

struct Master {
  std::optional<Resources> resources;
  std::string script;  // empty: there is no application driver
  std::vector<File> files;
  Pairs env;
  std::vector<std::string> ignored;  // the keys without effect that are set: "log_level", "security.cert_file"
  friend bool operator==(const Master&, const Master&) = default;
};

struct Acls {
  bool enable = false;
  std::vector<std::string> view_users, view_groups, modify_users, modify_groups, ui_users;
  friend bool operator==(const Acls&, const Acls&) = default;
};

struct Specification {
  std::string name = "skein";
  std::string queue;  // empty: not set
  std::string user;
  std::string node_label;
  std::optional<int> max_attempts;
  std::vector<std::string> tags;
  std::vector<std::string> file_systems;
  Acls acls;
  Master master;
  std::vector<Service> services;  // in the order of the file
  friend bool operator==(const Specification&, const Specification&) = default;
};

// Reads a specification of at most 1 MiB and kMostServices services. All problems are reported at once. Nothing in a
// specification is a variable: '$' has no meaning. `host.path_kind` checks the files of this machine.
keyfile::Contents<Specification> ReadSpecification(std::string_view text, const keyfile::Host& host);

// The role that runs a service. Characters that a role's name cannot have become '-': "dask.worker" is "dask-worker".
std::string RoleName(std::string_view service);

}  // namespace howdah::compat::skeinspec
