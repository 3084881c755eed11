#include "howdah/backend/yarn/launch_refusal.h"

#include <algorithm>
#include <string_view>

#include "howdah/base/text.h"

namespace howdah::backend::yarn {
namespace {

enum class Words {
  kLine,   // quote the line, without the text that Java puts before it
  kMatch,  // quote the line from `first` on
};

struct Refusal {
  // Two parts of the line, in this order.
  std::string_view first, second;
  std::string_view remedy;
  std::string_view also = {};  // a part of another line
  bool of_node = false;        // another node may run the container
  Words words = Words::kLine;
  std::string_view then = {};  // quote also the first line that contains this text, from there on
};

constexpr std::string_view kAccounts =
    "this cluster runs containers under the accounts of their users, so an administrator must create the account on "
    "every node";
constexpr std::string_view kTrusted = "see docker.trusted.registries in container-executor.cfg";
constexpr std::string_view kReadMounts = "see docker.allowed.ro-mounts in container-executor.cfg";
constexpr std::string_view kWriteMounts = "see docker.allowed.rw-mounts in container-executor.cfg";
constexpr std::string_view kMounts =
    "see docker.allowed.ro-mounts and docker.allowed.rw-mounts in container-executor.cfg";
constexpr std::string_view kNetworks =
    "see yarn.nodemanager.runtime.linux.docker.allowed-container-networks, and docker.allowed.networks in "
    "container-executor.cfg";
constexpr std::string_view kRuntimes =
    "see yarn.nodemanager.runtime.linux.docker.allowed-container-runtimes, and docker.allowed.runtimes in "
    "container-executor.cfg";
constexpr std::string_view kPrivileges =
    "see yarn.nodemanager.runtime.linux.docker.privileged-containers.allowed, and "
    "docker.privileged-containers.enabled in container-executor.cfg";
constexpr std::string_view kTools = "the image must contain bash and GNU find, with which YARN starts a container";
constexpr std::string_view kImage =
    "check the name of the image, and docker.client_config in the job file if its registry is private";
constexpr std::string_view kFolder = "the folder must exist on every node that can run the task";
constexpr std::string_view kBinary = "see docker.binary in container-executor.cfg";
constexpr std::string_view kDaemon = "Error response from daemon";
constexpr size_t kLongestWords = 170;  // a long path must not displace the remedy from the reason of a job

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
    // The container of an untrusted image starts without mounts, and so fails later.
    {"image: ", " is not trusted", kTrusted},
    {"Docker image is not trusted", "", kTrusted},
    {"Disallowed network", "", kNetworks},
    {" is not in the set of allowed networks", "", kNetworks},
    {"Disallowed runtime", "", kRuntimes},
    {"rivileged containers are not enabled on this cluster", "", kPrivileges},
    {"Cannot launch privileged container", " fails ACL check",
     "see yarn.nodemanager.runtime.linux.docker.privileged-containers.acl"},
    {"Privileged containers are disabled for non-entry-point mode", "",
     "these nodes give privileges only to the entry point of an image, whatever docker.privileged-containers.enabled "
     "in "
     "container-executor.cfg says; remove docker.privileged from the job file"},
    {"Privileged containers are disabled", "", "see docker.privileged-containers.enabled in container-executor.cfg"},
    {"Configuration does not allow ", "mount ", kReadMounts, "read-only mount"},
    {"Configuration does not allow ", "mount ", kWriteMounts, "read-write mount"},
    {"Configuration does not allow ", "mount ", kMounts},
    {"Attempting to mount a parent directory", " as read-write",
     "mount a folder that does not contain this file, or mount the folder with :ro"},
    {"Could not determine real path of mount", "",
     "docker.allowed.ro-mounts and docker.allowed.rw-mounts in container-executor.cfg may contain only folders that "
     "exist on the node",
     "mounts on disk", true},
    {"Could not determine real path of mount", "", kFolder, "", true},
    {"Invalid docker ro mount", "", kReadMounts},
    {"Invalid docker rw mount", "", kWriteMounts},
    {"Invalid docker mount", "", kMounts},
    {"Invalid mount ", "", kMounts},
    {"Host pid namespace is disabled", "", "see docker.host-pid-namespace.enabled in container-executor.cfg"},
    {"Invalid param '", "' requested", kNetworks, "network in allowed networks"},
    {"Invalid param '", "' requested", kRuntimes, "runtime in allowed runtimes"},
    {"Invalid param '", "' requested", "see docker.allowed.capabilities in container-executor.cfg",
     "docker capability requested"},
    {"Invalid param '", "' requested", "see docker.allowed.devices in container-executor.cfg",
     "docker device requested"},
    {"Invalid param '", "' requested", "see docker.allowed.volume-drivers in container-executor.cfg"},
    {"Invalid docker image name", "", "write the image as NAME[:TAG] or REGISTRY/NAME[:TAG]"},
    {"Image name '", "' doesn't match docker image name pattern",
     "write the image as NAME[:TAG] or REGISTRY/NAME[:TAG]"},
    {"id: ", " below threshold: ",
     "see yarn.nodemanager.runtime.linux.docker.userremapping-uid-threshold and …userremapping-gid-threshold"},
    {"failed to execute docker command", "", kBinary, "", true},
    {"Couldn't execute the container launch with args", "", kBinary, "", true},
    {"Cannot connect to the Docker daemon", "", "docker does not run on the node", "", true},
    {"exec: ", "executable file not found in $PATH", kTools, "", false, Words::kMatch},
    {"find: command not found", "", kTools, "", false, Words::kMatch},
    {"find: unrecognized: -ls", "", kTools, "", false, Words::kMatch},
    {"Unable to find image '", "' locally", kImage, "manifest unknown", false, Words::kLine, kDaemon},
    {"Unable to find image '", "' locally", kImage, "access denied", false, Words::kLine, kDaemon},
    {"Unable to find image '", "' locally", kImage, kDaemon, true, Words::kLine, kDaemon},
    {"manifest unknown", "", kImage},
    {"pull access denied", "", kImage},
    {kDaemon, "", "docker on the node could not run the image", "", true},
};

std::string_view LineAt(std::string_view text, size_t at) {
  const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
  return text.substr(begin, text.find('\n', at) - begin);
}

// Removes text that Java puts before the node's words: "Shell error output: ", "... with output: ", "Exception message:
// ", a time in brackets.
std::string_view OwnWords(std::string_view line, size_t at) {
  size_t begin = line.starts_with('[') && line.find(']') < at ? line.find(']') + 1 : 0;
  for (const std::string_view mark : {"output: ", "Exception message: ", "Exception: "}) {
    const size_t found = line.substr(0, at).rfind(mark);
    if (found != line.npos) begin = std::max(begin, found + mark.size());
  }
  return line.substr(begin);
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '.' || text.back() == '\r')) text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

// Returns the words of the refusal at this place of the text; empty if the text has another meaning.
std::string QuotedAt(std::string_view text, size_t at, const Refusal& refusal) {
  const std::string_view line = LineAt(text, at);
  const size_t in_line = at - static_cast<size_t>(line.data() - text.data());
  if (line.find(refusal.second, in_line + refusal.first.size()) == line.npos) return "";
  const std::string_view words = refusal.words == Words::kMatch ? line.substr(in_line) : OwnWords(line, in_line);
  std::string quoted(Trimmed(words));
  if (refusal.then.empty()) return quoted;
  const size_t then = text.find(refusal.then);
  if (then == text.npos) return quoted;
  return quoted + ": " + std::string(Trimmed(text.substr(then, text.find('\n', then) - then)));
}

}  // namespace

LaunchRefusal FindLaunchRefusal(const std::string& diagnostics) {
  for (const Refusal& refusal : kRefusals) {
    const std::string_view text = diagnostics;
    if (text.find(refusal.also) == text.npos) continue;
    for (size_t at = text.find(refusal.first); at != text.npos; at = text.find(refusal.first, at + 1)) {
      const std::string words = QuotedAt(text, at, refusal);
      if (words.empty()) continue;
      return {OneLine(words, kLongestWords) + "; " + std::string(refusal.remedy), !refusal.of_node};
    }
  }
  return {};
}

}  // namespace howdah::backend::yarn
