#include <memory>

#include "howdah/base/number.h"
#include "howdah/base/text.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/find_job.h"
#include "howdah/client/submitter.h"
#include "scale_role.h"

namespace howdah::cli::commands {
namespace {

struct ScaleArguments {
  std::string id, role_and_instances;
};

Result<int> Scale(client::Connection& connection, const ScaleArguments& arguments) {
  const std::string& text = arguments.role_and_instances;
  const size_t equals = text.rfind('=');
  const bool has_role = equals != std::string::npos && equals > 0;
  const auto instances = has_role ? ParseNumber<int>(text.substr(equals + 1)) : std::nullopt;
  if (!instances || *instances < 0) {
    return Error{ErrorCode::kUsage, "scale: '" + text + "' is not ROLE=N; write for example worker=4"};
  }
  HOWDAH_TRY(const client::Job job, client::FindJobToChange(connection, arguments.id, output::PrintNote));
  const std::string role = text.substr(0, equals);
  HOWDAH_TRY_STATUS(ScaleRole(*job.cluster, job.id, role, *instances, "howdah scale"));
  return client::kExitOk;
}

}  // namespace

Status ScaleRole(backend::Cluster& cluster, const JobId& id, const std::string& role, int instances,
                 const std::string& command) {
  HOWDAH_TRY_STATUS(cluster.Scale(id, role, instances, client::Requester("`" + command + "`")));
  output::PrintMessage(id.text + ": scaling " + role + " to " + CountOf(instances, "task"));
  return {};
}

args::Command ScaleCommand(client::Connection& connection) {
  return {"scale", "Change the number of tasks of an elastic role", "  howdah scale last worker=4",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto arguments = std::make_shared<ScaleArguments>();
            syntax.Id(arguments->id);
            syntax.Positional("role", "ROLE=N", arguments->role_and_instances, args::Presence::kRequired,
                              "The role and its new number of tasks");
            return [&connection, arguments] { return Scale(connection, *arguments); };
          }};
}

}  // namespace howdah::cli::commands
