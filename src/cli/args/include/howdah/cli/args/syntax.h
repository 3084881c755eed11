// The grammar of the command line: commands, their arguments, help texts and examples.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/client/login_flags.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace howdah::cli::args {

// Runs a command with its parsed arguments. Returns the exit code of the process.
using Runner = std::function<Result<int>()>;

enum class Presence { kOptional, kRequired };

// The arguments of one command. Each method declares an argument and the variable that receives its value. The
// variables must live as long as the grammar. `type` is the placeholder in the help, such as "PORT".
class Syntax {
 public:
  explicit Syntax(CLI::App& app) : app_(&app) {}

  // Declares the job's id as a positional argument.
  void Id(std::string& id, Presence presence = Presence::kRequired);
  // Declares the ids of any number of jobs as positional arguments.
  void Ids(std::vector<std::string>& ids);
  void Positional(const std::string& name, const std::string& type, std::string& value, Presence presence,
                  const std::string& help);
  void Port(const std::string& name, int& value, Presence presence, const std::string& help);
  void Choice(const std::string& name, const std::string& type, std::string& value, Presence presence,
              const std::vector<std::string>& values, const std::string& help);
  void Flag(const std::string& name, bool& value, const std::string& help);
  void Json(bool& value, const std::string& help) { Flag("--json", value, help); }
  void Text(const std::string& name, const std::string& type, std::string& value, const std::string& help);
  void Number(const std::string& name, std::optional<int64_t>& value, int64_t min, const std::string& help);
  void Duration(const std::string& name, std::optional<howdah::Duration>& value, const std::string& help);
  // Declares an argument that is a date, a time in UTC, or a duration. A duration is subtracted from `now`.
  void Time(const std::string& name, std::optional<Instant>& value, Instant now, const std::string& help);
  // Calls `take` with the flag's value each time the flag is given. `take` returns an error message, or "" if the value
  // is valid.
  using Take = std::function<std::string(const std::string&)>;
  void Each(const std::string& name, const std::string& type, Take take, const std::string& help);

  // Declares the words after "--". Without this declaration, such words are an error. `type` is their placeholder in
  // the help.
  void WordsAfterDashes(std::vector<std::string>& words, const std::string& type) {
    after_dashes_ = &words;
    after_dashes_type_ = type;
  }
  // Declares that the command has its own grammar. It receives all words after its name unparsed.
  void RawWords(std::vector<std::string>& words) { raw_ = &words; }
  // Adds a subcommand, such as `list` in `howdah history list`. It is required if the command itself has no Runner.
  void Action(const std::string& name, const std::string& help, const std::string& examples,
              const std::function<Runner(Syntax&)>& declare);

 private:
  friend class Grammar;
  struct DeclaredAction {
    CLI::App* app;
    Runner run;
  };

  CLI::App* app_;
  std::vector<std::string>* after_dashes_ = nullptr;
  std::string after_dashes_type_;
  std::vector<std::string>* raw_ = nullptr;
  std::vector<DeclaredAction> actions_;
};

// One command. `declare` declares its arguments and returns the function that runs it.
struct Command {
  std::string name, help;
  std::string examples;  // each line starts with two spaces
  std::function<Runner(Syntax&)> declare;
};

// The flags that every command accepts.
struct GlobalFlags {
  std::string on;  // the value of --on, or ""
  client::LoginFlags login;
};

// The whole command line. `howdah help COMMAND` prints the same as `howdah COMMAND --help`. A word that other tools use
// for a command, such as `ps`, is an error that names our command.
class Grammar {
 public:
  // `flags` receives the values of the flags that every command accepts.
  Grammar(const std::vector<Command>& commands, GlobalFlags& flags);
  ~Grammar();

  // Returns the command to run, or an exit code if there is none to run: the help, the version or an error was printed.
  std::variant<Runner, int> Parse(int argc, char** argv);

  // The help of a flag, for completion scripts.
  struct FlagHelp {
    std::string name, help;
    bool takes_value = false;
  };
  struct CommandHelp {
    std::string name, help;
    std::vector<FlagHelp> flags;
    int ids = 0;                       // how many of its first arguments are ids of jobs
    std::vector<CommandHelp> actions;  // such as `list` of `history`
  };
  // Returns the help of the program; its actions are the commands.
  CommandHelp Describe() const;

 private:
  struct Declared {
    CLI::App* app;
    Syntax syntax;
    Runner run;
  };

  const Declared* FindRaw(const std::string& name) const;

  std::unique_ptr<CLI::App> app_;
  GlobalFlags& flags_;
  std::vector<std::unique_ptr<Declared>> commands_;
};

}  // namespace howdah::cli::args
