#include "howdah/client/submitter.h"

#include <pwd.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>

namespace howdah::client {

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string UserName() {
  if (const auto user = Variable("USER"); user && !user->empty()) return *user;
  if (const passwd* entry = getpwuid(getuid()); entry != nullptr) return entry->pw_name;
  return "user " + std::to_string(getuid());
}

std::string CurrentDirectory() {
  char path[PATH_MAX];
  return getcwd(path, sizeof path) == nullptr ? "/" : path;
}

std::string Requester(const std::string& tool) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return UserName() + " on " + host + " with " + tool;
}

}  // namespace howdah::client
