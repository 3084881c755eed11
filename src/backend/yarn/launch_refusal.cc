#include "howdah/backend/yarn/launch_refusal.h"

#include <string_view>

namespace howdah::backend::yarn {
namespace {

struct Refusal {
  // Two parts of the line, in this order.
  std::string_view first, second;
  std::string_view remedy;
};

constexpr std::string_view kAccounts =
    "this cluster runs containers under the accounts of their users, so an administrator must create the account on "
    "every node";
constexpr std::string_view kTrusted = "see docker.trusted.registries in container-executor.cfg";
constexpr std::string_view kMounts =
    "see docker.allowed.ro-mounts and docker.allowed.rw-mounts in container-executor.cfg";

// A more specific row comes before a general one.
constexpr Refusal kRefusals[] = {
    {"User ", " not found", kAccounts},
    {"User ", " does not exist in host OS", kAccounts},
    {"Requested user ", "below the minimum allowed",
     "see min.user.id and allowed.system.users in container-executor.cfg of the node"},
    {"Requested user ", " is banned", "see banned.users in container-executor.cfg of the node"},
    {"Requested runtime not allowed", "",
     "the nodes run no docker containers; see yarn.nodemanager.runtime.linux.allowed-runtimes"},
    {"Feature disabled: docker", "", "see module.enabled in the section [docker] of container-executor.cfg"},
    {" is not in the set of allowed networks", "",
     "see yarn.nodemanager.runtime.linux.docker.allowed-container-networks and docker.allowed.networks in "
     "container-executor.cfg"},
    {"Privileged containers are disabled", "", "see docker.privileged-containers.enabled in container-executor.cfg"},
    {"Invalid docker read-only mount", "", kMounts},
    {"Configuration does not allow docker mount", "", kMounts},
    {"Could not determine real path of mount", "", "the folder must exist on every node that can run the task"},
    {"Unable to find permitted docker mounts on disk", "", kMounts},
    {"Invalid docker mount", "", kMounts},
    {"Host pid namespace is disabled", "", "see docker.host-pid-namespace.enabled in container-executor.cfg"},
    {"Disable cap-add for untrusted image", "", kTrusted},
    {"Disable devices for untrusted image", "", kTrusted},
    {"Docker image is not trusted", "", kTrusted},
    {"image: ", " is not trusted", kTrusted},
    {"Invalid param '", "' requested",
     "see docker.allowed.networks, docker.allowed.capabilities, docker.allowed.devices, docker.allowed.runtimes and "
     "docker.allowed.volume-drivers in container-executor.cfg"},
    {"Invalid docker image name", "", "write the image as NAME[:TAG] or REGISTRY/NAME[:TAG]"},
    {"Cannot connect to the Docker daemon", "", "docker does not run on the node"},
    {"executable file not found in $PATH", "", "the image must contain bash and GNU find, with which YARN starts it"},
    {"find: unrecognized: -ls", "", "the image must contain GNU find, with which YARN starts it"},
    {"Error response from daemon", "", "docker on the node could not run the image"},
};

// Removes text that Java puts before the node's words: "Shell error output: ", "... with output: ", a time in brackets.
std::string_view OwnWords(std::string_view line, size_t at) {
  constexpr std::string_view kOutput = "output: ";
  const size_t output = line.substr(0, at).rfind(kOutput);
  if (output != line.npos) return line.substr(output + kOutput.size());
  if (line.starts_with('[') && line.find(']') < at) return line.substr(line.find(']') + 1);
  return line;
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '.' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

}  // namespace

std::string DescribeLaunchRefusal(const std::string& diagnostics) {
  for (const Refusal& refusal : kRefusals) {
    const std::string_view text = diagnostics;
    for (size_t at = text.find(refusal.first); at != text.npos; at = text.find(refusal.first, at + 1)) {
      const size_t line_begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
      const std::string_view line = text.substr(line_begin, text.find('\n', at) - line_begin);
      const size_t in_line = at - line_begin;
      if (line.find(refusal.second, in_line + refusal.first.size()) == line.npos) continue;
      return std::string(Trimmed(OwnWords(line, in_line))) + "; " + std::string(refusal.remedy);
    }
  }
  return "";
}

}  // namespace howdah::backend::yarn
