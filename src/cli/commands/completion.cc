#include <memory>

#include "howdah/cli/args/completion_script.h"
#include "howdah/cli/commands/commands.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"

namespace howdah::cli::commands {
namespace {

Result<int> PrintScript(client::Connection& connection, const std::string& shell) {
  args::GlobalFlags flags;
  const auto program = args::Grammar(AllCommands(connection), flags).Describe();
  if (shell == "bash") output::Print(args::BashScript(program));
  if (shell == "zsh") output::Print(args::ZshScript(program));
  if (shell == "fish") output::Print(args::FishScript(program));
  return client::kExitOk;
}

}  // namespace

args::Command CompletionCommand(client::Connection& connection) {
  return {"completion", "Print a shell completion script", "  source <(howdah completion bash)",
          [&connection](args::Syntax& syntax) -> args::Runner {
            const auto shell = std::make_shared<std::string>();
            syntax.Choice("shell", "SHELL", *shell, args::Presence::kRequired, {"bash", "zsh", "fish"},
                          "bash, zsh or fish");
            return [&connection, shell] { return PrintScript(connection, *shell); };
          }};
}

}  // namespace howdah::cli::commands
