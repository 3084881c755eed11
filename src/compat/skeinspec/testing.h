// For the tests of this library: a machine with a fixed set of files.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "howdah/compat/skeinspec/specification.h"

namespace howdah::compat::skeinspec::testing {

inline keyfile::Host Machine() {
  keyfile::Host host;
  host.file_name = "spec.yaml";
  host.directory = "/here";
  host.path_kind = [](const std::string& path) {
    static const std::set<std::string> files = {"/here/env.tar.gz", "/here/data.zip", "/here/run.py", "/here/tls.crt",
                                                "/opt/labels.csv"};
    return files.contains(path) ? keyfile::PathKind::kFile : keyfile::PathKind::kMissing;
  };
  return host;
}

inline keyfile::Contents<Specification> Read(std::string_view text) { return ReadSpecification(text, Machine()); }

// The smallest service, in the flow style of YAML.
inline std::string Minimal(const std::string& more = "") {
  return "{script: run, resources: {memory: 1 GiB, vcores: 1}" + (more.empty() ? "" : ", " + more) + "}";
}

}  // namespace howdah::compat::skeinspec::testing
