#include "howdah/cli/commands/commands.h"

#include <gtest/gtest.h>

#include <set>

#include "howdah/cli/args/completion_script.h"

namespace howdah::cli::commands {
namespace {

TEST(Commands, EveryCommandHasUniqueNameHelpAndExample) {
  client::Connection connection(nullptr);
  std::set<std::string> names;
  for (const args::Command& command : AllCommands(connection)) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_FALSE(command.help.empty()) << command.name;
    EXPECT_NE(command.examples.find("howdah "), std::string::npos) << command.name;
  }
}

TEST(Completion, ScriptsNameEveryCommand) {
  client::Connection connection(nullptr);
  args::GlobalFlags flags;
  const auto program = args::Grammar(AllCommands(connection), flags).Describe();
  EXPECT_EQ(program.actions.size(), 35u);
  for (const auto& command : program.actions) {
    for (const auto& script : {args::BashScript(program), args::ZshScript(program), args::FishScript(program)}) {
      EXPECT_NE(script.find(command.name), std::string::npos) << command.name;
    }
  }
}

}  // namespace
}  // namespace howdah::cli::commands
