// What a command line says, as values.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/jobspec/quick_job.h"

namespace CLI {
class App;
}

namespace howdah::cli {

// Which job is meant by run, submit and plan: a file, or a command without one.
struct JobArguments {
  std::string file;  // empty: `quick` is meant
  std::vector<std::string> sets;
  std::vector<std::string> words;  // behind --
  jobspec::QuickJob quick;
  std::vector<std::string> quick_flags;  // those that were given, for a message
};

// What `howdah history` is asked for.
struct HistoryArguments {
  std::string action;  // "list"
  std::string dir;     // empty: not said
  std::string user, name, status;
  std::optional<Instant> since, until;
  std::string other;  // the second job of diff; the first is Arguments::id
  std::optional<Duration> older_than;
  std::string time_zone;
  bool dry_run = false;
};

struct Arguments {
  std::string command;  // "run"
  std::string on;       // empty: not said
  bool json = false;
  JobArguments job;
  bool keep = false;
  std::string id;
  bool watch = false, all = false, follow = false;
  bool want_stdout = false, want_stderr = false;
  std::string task;  // ROLE or ROLE:INDEX
  std::optional<int> attempt;
  int port = 0, listen = 0;  // of open; 0: any
  bool terminal = false;     // of exec
  std::string directory;     // of notebook
  std::optional<Duration> idle;
  std::optional<std::string> limit;
  std::optional<int64_t> tail;
  std::optional<Duration> timeout, grace;
  std::string scale;      // ROLE=N
  std::string framework;  // of init
  bool markdown = false;
  std::string shell;  // of completion
  HistoryArguments history;
  std::vector<std::string> words;  // of tony, which has a grammar of its own
};

// The grammar of the command line: every command, flag, help text and example. The one place where a flag is added.
class Grammar {
 public:
  Grammar();
  ~Grammar();
  // What was said; or, after --help or a mistake (which has been told), the exit code.
  std::variant<Arguments, int> Parse(int argc, char** argv);
  // For completion scripts.
  struct Flag {
    std::string name, help;
    bool takes_value = false;
  };
  struct Command {
    std::string name, help;
    std::vector<Flag> flags;
  };
  std::vector<Command> Commands() const;

 private:
  std::unique_ptr<Arguments> arguments_;
  std::unique_ptr<CLI::App> app_;
};

}  // namespace howdah::cli
