#include "howdah/cli/main.h"

#include <signal.h>

#include <cstdio>
#include <string_view>

#include "syntax.h"
#include "commands.h"
#include "connection.h"

namespace howdah::cli {
namespace {

struct Entry {
  std::string_view name;
  int (*run)(Shell&, const Arguments&);
};
constexpr Entry kCommands[] = {
    {"run", RunCommand},           {"submit", SubmitCommand}, {"status", StatusCommand},
    {"list", ListCommand},         {"wait", WaitCommand},     {"logs", LogsCommand},
    {"open", OpenCommand},         {"exec", ExecCommand},     {"tensorboard", TensorboardCommand},
    {"notebook", NotebookCommand}, {"kill", KillCommand},     {"scale", ScaleCommand},
    {"events", EventsCommand},     {"plan", PlanCommand},     {"doctor", DoctorCommand},
    {"init", InitCommand},         {"schema", SchemaCommand}, {"completion", CompletionCommand},
    {"history", HistoryCommand},   {"tony", TonyCommand},     {"version", VersionCommand}};

}  // namespace

int Main(int argc, char** argv, const PlaceFactory& make_place) {
  signal(SIGPIPE, SIG_IGN);  // Print tells a closed stdout apart from a closed connection
  Grammar grammar;
  const auto parsed = grammar.Parse(argc, argv);
  if (const int* code = std::get_if<int>(&parsed)) return *code;
  const Arguments& arguments = std::get<Arguments>(parsed);
  Shell shell(make_place, arguments.on);
  for (const Entry& entry : kCommands) {
    if (entry.name == arguments.command) return entry.run(shell, arguments);
  }
  return Report(Error{ErrorCode::kUsage, "there is no command '" + arguments.command + "'"});
}

}  // namespace howdah::cli
