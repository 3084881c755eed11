// `howdah history move` and `purge`: what TonY's portal did by itself, once.
#pragma once

#include "arguments.h"
#include "shell.h"

namespace howdah::cli {

int KeepHistory(Shell& shell, const Arguments& arguments);

}  // namespace howdah::cli
