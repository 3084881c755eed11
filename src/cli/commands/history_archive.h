// `howdah history move` and `purge`: what TonY's portal did by itself, once.
#pragma once

#include "syntax.h"
#include "connection.h"

namespace howdah::cli {

int KeepHistory(Shell& shell, const Arguments& arguments);

}  // namespace howdah::cli
