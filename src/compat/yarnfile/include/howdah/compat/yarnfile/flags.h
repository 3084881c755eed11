// The command line of `howdah yarn-app`, which has the flags of `yarn app` (YARN's ApplicationCLI).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"

namespace howdah::compat::yarnfile {

enum class Action { kHelp, kKeys, kLaunch, kSave, kStart, kStop, kDestroy, kStatus, kFlex, kList };

struct Flags {
  Action action = Action::kHelp;
  std::string name, file;                               // the words after the action
  std::vector<std::pair<std::string, int>> components;  // -component NAME N
  std::vector<std::pair<std::string, int>> maxima;      // -max NAME=N
  std::string queue;                                    // -updateQueue
  std::optional<Duration> lifetime;                     // -updateLifetime
  std::string on;                                       // the backend; empty: not given
  bool print_job = false, plan = false, json = false;
};

// Parses the words after `howdah yarn-app`. A flag may begin with one or two dashes, and the first word may be an
// action without a dash. kUsage for anything else.
Result<Flags> ParseFlags(const std::vector<std::string>& words);
std::string FlagsHelp();

}  // namespace howdah::compat::yarnfile
