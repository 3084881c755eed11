// The output of a provider's `list` command. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "howdah/autoscale/provider.h"
#include "howdah/base/result.h"

namespace howdah::autoscale {

// The class of a provider's error, which decides how the autoscaler goes on.
enum class Failure {
  kTransient,  // the order is repeated
  kQuota,      // the group has no quota: the other group is used for some time
  kCapacity,   // the provider has no machines, or a node did not join: the same
  kFatal,      // the group is not used until `resume`
};
// "TRANSIENT", "QUOTA", "CAPACITY", "FATAL".
std::string_view ToText(Failure failure);

struct Machine {
  enum class State { kCreating, kRunning, kDeleting, kFailed };
  std::string id, host;
  Group group = Group::kPrimary;
  State state = State::kRunning;
  Failure failure = Failure::kTransient;  // of a failed machine
  std::string message;
};

inline constexpr size_t kMostMachines = 10'000;

// Parses JSON lines: {"id", "host", "group", "state", "error": {"class", "message"}}. Returns kUsage for anything else:
// invalid JSON, unknown groups, states and classes, hosts that do not match the expression of their group, duplicate
// hosts, more than kMostMachines. The message names the line. An empty output stands for no machines.
Result<std::vector<Machine>> ParseNodeList(std::string_view output, const Provider& provider);

// The error of a failed command: the last JSON object {"error": {"class", "message"}} in its output, otherwise
// kTransient with the first line of stderr.
struct CommandError {
  Failure failure = Failure::kTransient;
  std::string message;
};
CommandError ParseCommandError(std::string_view output, std::string_view errors);

}  // namespace howdah::autoscale
