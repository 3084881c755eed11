// Translates a Yarnfile, the JSON of Hadoop's YARN services API (`yarn app -launch NAME FILE`), into a job file.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/compat/common/translation.h"
#include "howdah/keyfile/host.h"

namespace howdah::compat::yarnfile {

// The longest Yarnfile in bytes, and the most components.
inline constexpr size_t kLongestFile = size_t{1} << 20, kMostComponents = 1000;

// The facts about the user and the submitting machine, and the values of the command line.
struct Request {
  std::string file;                  // the name of the file, for messages
  std::string name;                  // instead of the name in the file; empty: the name in the file
  std::string queue;                 // instead of the queue in the file; empty: the queue in the file
  std::optional<Duration> lifetime;  // instead of the lifetime in the file
  // The largest numbers of containers of components, to which they can be flexed.
  std::vector<std::pair<std::string, int>> maxima;
  std::string user;                                                     // ${USER}
  std::string directory;                                                // absolute; relative paths start here
  std::function<keyfile::PathKind(const std::string& path)> path_kind;  // null: no path exists on this machine
  bool on_cluster = false;                                              // whether the containers run on nodes of Hadoop
};

struct TranslatedService {
  common::Translation translation;
  // Names and addresses for people. ResolveHosts replaces the hosts of tasks in them.
  std::vector<std::pair<std::string, std::string>> quicklinks;
};

// Pure, except for calls to `request`. Reports all problems at once; if there are any, the job is incomplete.
TranslatedService Translate(std::string_view text, const Request& request);

// Replaces the hosts of tasks in the address of a quick link. host(role, index) returns the host of a task, or "".
std::string ResolveHosts(const std::string& link,
                         const std::function<std::string(const std::string& role, int index)>& host);

}  // namespace howdah::compat::yarnfile
