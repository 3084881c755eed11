#include "commands.h"

#include <utility>

#include "howdah/base/text.h"
#include "howdah/os/process/run_script.h"

namespace howdah::autoscale::runner {
Result<std::vector<Machine>> Commands::List() const {
  HOWDAH_TRY(
      const std::string output,
      os::process::RunScriptForOutput(
          "list", {.script = provider_.list, .directory = directory_, .limit = provider_.timeout, .stop = stop_}));
  return ParseNodeList(output, provider_);
}

std::optional<CommandError> Commands::Order(const std::string& what, const std::string& script,
                                            Variables variables) const {
  const os::process::ScriptRequest request{.script = script,
                                           .variables = std::move(variables),
                                           .directory = directory_,
                                           .limit = provider_.timeout,
                                           .stop = stop_};
  const auto result = os::process::RunScript(request);
  if (!result.ok()) return CommandError{Failure::kTransient, result.error().message};
  if (!result->timed_out && result->status.success()) return std::nullopt;
  CommandError error = ParseCommandError(result->output, result->errors);
  error.message = "the command `" + what + "` " + DescribeEnd(request, *result) + ": " + error.message;
  return error;
}

std::optional<CommandError> Commands::Add(const AddMachines& order) const {
  return Order("add", provider_.add,
               {{"HOWDAH_GROUP", std::string(ToText(order.group))},
                {"HOWDAH_COUNT", std::to_string(order.count)},
                {"HOWDAH_TOKEN", order.token}});
}

std::optional<CommandError> Commands::Remove(const RemoveMachines& order) const {
  std::vector<std::string> hosts, ids;
  for (const MachineId& machine : order.machines) {
    hosts.push_back(machine.host);
    ids.push_back(machine.id);
  }
  const bool prepares = order.step == RemoveMachines::Step::kPrepare;
  return Order(prepares ? "before_remove" : "remove", prepares ? provider_.before_remove : provider_.remove,
               {{"HOWDAH_GROUP", std::string(ToText(order.group))},
                {"HOWDAH_HOSTS", Join(hosts, " ")},
                {"HOWDAH_IDS", Join(ids, " ")},
                {"HOWDAH_TOKEN", order.token}});
}

}  // namespace howdah::autoscale::runner
