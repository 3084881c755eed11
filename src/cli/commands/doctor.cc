#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"

namespace howdah::cli::commands {
namespace {

using Level = backend::Finding::Level;

const char* LevelText(Level level) {
  return level == Level::kOk ? "ok" : level == Level::kWarning ? "warning" : "problem";
}

std::string Mark(Level level, bool colour) {
  const char* mark = level == Level::kOk ? "ok      " : level == Level::kWarning ? "warning " : "PROBLEM ";
  const int code = level == Level::kOk ? 32 : level == Level::kWarning ? 33 : 31;
  return colour ? "\x1b[" + std::to_string(code) + "m" + mark + "\x1b[0m" : mark;
}

Result<int> Doctor(client::Connection& connection, bool as_json) {
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  const auto findings = cluster->site().CheckSetup();
  const bool problem = std::any_of(findings.begin(), findings.end(),
                                   [](const auto& finding) { return finding.level == Level::kProblem; });
  const int code = problem ? client::kExitUnavailable : client::kExitOk;
  if (as_json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const auto& finding : findings) {
      json.push_back({{"level", LevelText(finding.level)}, {"what", finding.what}, {"advice", finding.advice}});
    }
    output::Print(json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return code;
  }
  const bool colour = output::WantsColour(STDOUT_FILENO);
  for (const auto& finding : findings) {
    output::Print(Mark(finding.level, colour) + finding.what + "\n");
    if (!finding.advice.empty()) output::Print("        -> " + finding.advice + "\n");
  }
  return code;
}

}  // namespace

args::Command DoctorCommand(client::Connection& connection) {
  return {"doctor", "Check this machine or the cluster and suggest fixes", "  howdah doctor\n  howdah doctor --on yarn",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto json = std::make_shared<bool>(false);
            syntax.Json(*json, "Print one JSON array");
            return [&connection, json] { return Doctor(connection, *json); };
          }};
}

}  // namespace howdah::cli::commands
