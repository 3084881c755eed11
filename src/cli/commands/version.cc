#include "howdah/base/version.h"

#include "commands.h"
#include "terminal.h"

namespace howdah::cli {

int VersionCommand(Shell&, const Arguments&) {
  Print("howdah " + std::string(kVersion) + "\n");
  return kExitOk;
}

}  // namespace howdah::cli
