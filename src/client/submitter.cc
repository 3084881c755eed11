#include "howdah/client/submitter.h"

#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <sstream>

#include "howdah/base/text.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/spawn.h"

namespace howdah::client {
namespace {

// The first field of the line whose third field is the user's id; see passwd(5).
std::string NameInFile(uid_t user, const std::string& passwd_file) {
  const auto text = os::files::ReadFile(passwd_file);
  if (!text) return "";
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string name, password, id;
    std::getline(fields, name, ':') && std::getline(fields, password, ':') && std::getline(fields, id, ':');
    if (id == std::to_string(user)) return name;
  }
  return "";
}

// Returns the output of `id -un`, or "" if that fails. `id` can query LDAP and SSSD. A static program cannot do so,
// because it cannot load the modules for LDAP and SSSD.
std::string NameFromId(const std::string& path) {
  constexpr auto kLimit = std::chrono::seconds(10);
  const os::process::FoundCommand found = os::process::LookUpCommand("id", path, "/");
  if (found.error != 0) return "";
  os::process::SpawnRequest request;
  request.program = found.program;
  request.argv = {"id", "-un"};
  request.environment = {"PATH=" + path};
  const auto output = os::process::RunForOutput(request, kLimit);
  return output ? std::string(Trim(*output)) : "";
}

}  // namespace

std::optional<std::string> Variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::string UserNameOf(uid_t user, const std::string& passwd_file, const VariableLookup& variable) {
  if (std::string name = NameInFile(user, passwd_file); !name.empty()) return name;
  if (std::string name = NameFromId(variable("PATH").value_or("")); !name.empty()) return name;
  for (const char* name : {"USER", "LOGNAME"}) {
    if (const auto value = variable(name); value && !value->empty()) return *value;
  }
  return "user " + std::to_string(user);
}

std::string UserName() { return UserNameOf(geteuid(), "/etc/passwd", Variable); }

std::string Requester(const std::string& tool) {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return UserName() + " on " + host + " with " + tool;
}

}  // namespace howdah::client
