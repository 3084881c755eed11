// For the tests of this library: a submitting machine with a fixed set of files, and short translations.
#pragma once

#include <string>
#include <string_view>

#include "howdah/compat/yarnfile/translate.h"

namespace howdah::compat::yarnfile::testing {

inline Request Machine() {
  Request request;
  request.file = "web.json";
  request.user = "Ann_B";
  request.directory = "/here";
  request.path_kind = [](const std::string& path) {
    return path == "/here/app.tar.gz" || path == "/here/t.in" ? keyfile::PathKind::kFile : keyfile::PathKind::kMissing;
  };
  return request;
}

// A service with one component, which has these further keys.
inline std::string OneComponent(const std::string& keys, const std::string& service_keys = "") {
  return R"({"name": "svc", "version": "1", )" + service_keys + (service_keys.empty() ? "" : ", ") +
         R"("components": [{"name": "web", "number_of_containers": 2, "resource": {"cpus": 1, "memory": "256"})" +
         (keys.empty() ? "" : ", ") + keys + "}]}";
}

}  // namespace howdah::compat::yarnfile::testing
