#include "commands.h"
#include "completion_script.h"
#include "terminal.h"

namespace howdah::cli {

int CompletionCommand(Shell&, const Arguments& arguments) {
  const auto commands = Grammar().Commands();
  if (arguments.shell == "bash") Print(BashScript(commands));
  if (arguments.shell == "zsh") Print(ZshScript(commands));
  if (arguments.shell == "fish") Print(FishScript(commands));
  return kExitOk;
}

}  // namespace howdah::cli
