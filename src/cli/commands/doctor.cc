#include <unistd.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "terminal.h"

namespace howdah::cli {
namespace {

using Level = backend::Cluster::Finding::Level;

const char* LevelText(Level level) {
  return level == Level::kOk ? "ok" : level == Level::kWarning ? "warning" : "problem";
}

std::string Mark(Level level, bool colour) {
  const char* mark = level == Level::kOk ? "ok      " : level == Level::kWarning ? "warning " : "PROBLEM ";
  const int code = level == Level::kOk ? 32 : level == Level::kWarning ? 33 : 31;
  return colour ? "\x1b[" + std::to_string(code) + "m" + mark + "\x1b[0m" : mark;
}

}  // namespace

int DoctorCommand(Shell& shell, const Arguments& arguments) {
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto findings = (*place)->Examine();
  if (arguments.json) {
    nlohmann::ordered_json json = nlohmann::ordered_json::array();
    for (const auto& finding : findings) {
      json.push_back({{"level", LevelText(finding.level)}, {"what", finding.what}, {"advice", finding.advice}});
    }
    Print(json.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
    return kExitOk;
  }
  const bool colour = WantsColour(STDOUT_FILENO);
  for (const auto& finding : findings) {
    Print(Mark(finding.level, colour) + finding.what + "\n");
    if (!finding.advice.empty()) Print("        -> " + finding.advice + "\n");
  }
  return kExitOk;
}

}  // namespace howdah::cli
