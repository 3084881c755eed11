// The grammar of `howdah history`.
#pragma once

#include "syntax.h"

namespace howdah::cli {

// now: from which `--since 7d` counts.
void AddHistory(CLI::App& app, Arguments& to, Instant now);

}  // namespace howdah::cli
