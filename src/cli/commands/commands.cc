#include "howdah/cli/commands/commands.h"

namespace howdah::cli::commands {

// One row per command, in the order of the help. For a row NAME, the command's .cc file defines the function
// NAMECommand.
#define HOWDAH_COMMANDS(ROW) \
  ROW(Run)                   \
  ROW(Submit)                \
  ROW(Plan)                  \
  ROW(Status)                \
  ROW(Advise)                \
  ROW(List)                  \
  ROW(Queue)                 \
  ROW(Autoscale)             \
  ROW(Wait)                  \
  ROW(Logs)                  \
  ROW(Outputs)               \
  ROW(Result)                \
  ROW(Events)                \
  ROW(Feed)                  \
  ROW(TensorBoard)           \
  ROW(Open)                  \
  ROW(Exec)                  \
  ROW(Stacks)                \
  ROW(Notebook)              \
  ROW(Kill)                  \
  ROW(Scale)                 \
  ROW(Renew)                 \
  ROW(History)               \
  ROW(Goodput)               \
  ROW(Portal)                \
  ROW(Doctor)                \
  ROW(Init)                  \
  ROW(Schema)                \
  ROW(Completion)            \
  ROW(Tony)                  \
  ROW(Skein)                 \
  ROW(Slider)                \
  ROW(Ytensorflow)           \
  ROW(YarnApp)               \
  ROW(Version)

#define HOWDAH_DECLARE(NAME) args::Command NAME##Command(client::Connection& connection);
HOWDAH_COMMANDS(HOWDAH_DECLARE)

std::vector<args::Command> AllCommands(client::Connection& connection) {
#define HOWDAH_MAKE(NAME) NAME##Command(connection),
  return {HOWDAH_COMMANDS(HOWDAH_MAKE)};
}

}  // namespace howdah::cli::commands
