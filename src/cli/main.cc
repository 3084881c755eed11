#include "howdah/cli/main.h"

#include <signal.h>

#include "howdah/cli/args/syntax.h"
#include "howdah/cli/commands/commands.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/exit_code.h"

namespace howdah::cli {

int Main(int argc, char** argv, const client::ClusterFactory& make_cluster) {
  signal(SIGPIPE, SIG_IGN);  // only a closed stdout may end the process; see output::Print
  client::Connection connection(make_cluster);
  args::GlobalFlags flags;
  args::Grammar grammar(commands::AllCommands(connection), flags);
  const auto parsed = grammar.Parse(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  connection.SetOn(flags.on);
  connection.SetLogin(flags.login);
  const Result<int> exit_code = std::get<args::Runner>(parsed)();
  if (exit_code.ok()) return *exit_code;
  output::PrintNote(exit_code.error().message);
  return client::ExitCodeOf(exit_code.error());
}

}  // namespace howdah::cli
