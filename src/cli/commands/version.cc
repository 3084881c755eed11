#include "howdah/base/version.h"

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"

namespace howdah::cli::commands {

args::Command VersionCommand(client::Connection&) {
  return {"version", "Print the version", "  howdah version", [](args::Syntax&) -> args::Runner {
            return [] {
              output::Print("howdah " + std::string(kVersion) + "\n");
              return client::kExitOk;
            };
          }};
}

}  // namespace howdah::cli::commands
