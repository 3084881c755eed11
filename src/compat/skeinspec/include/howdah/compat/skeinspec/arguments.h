// The command line of `howdah skein`, which has the words of Skein's own command line.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"

namespace howdah::compat::skeinspec {

struct Arguments {
  enum class Action { kHelp, kKeys, kSubmit };
  Action action = Action::kHelp;
  std::string file;  // the specification to submit
  std::string on;    // --on; empty if not given
  bool print_job = false, plan = false, json = false, keep = false;
};

// Parses the words after `howdah skein`. Flags are written with one dash or two, before or after the other words.
// Returns kUsage for an unknown word or flag, and for a command of Skein that another command of Howdah replaces, with
// that command.
Result<Arguments> ParseArguments(const std::vector<std::string>& words);

// The output of `howdah skein --help`.
std::string ArgumentsHelp();

}  // namespace howdah::compat::skeinspec
