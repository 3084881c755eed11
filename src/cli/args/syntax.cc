#include "howdah/cli/args/syntax.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <sstream>

#include "howdah/base/version.h"
#include "howdah/client/exit_code.h"
#include "howdah/keyfile/nearest.h"

namespace howdah::cli::args {
namespace {

// Adds two things to CLI11's help of a command: the words after "--", and the flag --on, which every command accepts.
class CommandFormatter final : public CLI::Formatter {
 public:
  explicit CommandFormatter(std::string after_dashes) : after_dashes_(std::move(after_dashes)) {}

  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    if (after_dashes_.empty()) return usage;
    usage.erase(usage.find_last_not_of('\n') + 1);
    return usage + " [-- " + after_dashes_ + "]\n\n";
  }

  std::string make_footer(const CLI::App* app) const override {
    std::ostringstream on;
    CLI::detail::format_help(on, "  --on BACKEND", "The backend: local or yarn", get_column_width());
    return on.str() + "\n" + CLI::Formatter::make_footer(app);
  }

 private:
  std::string after_dashes_;
};

constexpr std::string_view kIdHelp = "Id or name of the job, a unique part of the id, or `last` for the newest job";

CLI::App* AddCommand(CLI::App& app, const std::string& name, const std::string& help, const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, help);
  command->footer("Example:\n" + examples);
  command->fallthrough();
  return command;
}

void SetPresence(CLI::Option* option, Presence presence) {
  if (presence == Presence::kRequired) option->required();
}

// Parses "7d" (7 days before `now`), a date (its beginning in UTC), or a time as `history list` prints it.
std::optional<Instant> ParseTime(const std::string& text, Instant now) {
  if (const auto ago = ParseDuration(text)) return now - *ago;
  for (const char* rest : {"", "Z", ".000Z", "T00:00:00.000Z"}) {
    if (const auto instant = ParseInstant(text + rest)) return instant;
  }
  return std::nullopt;
}

// One flag that every command accepts.
struct GlobalFlag {
  const char *name, *type, *help;
  std::string& (*value)(GlobalFlags&);
};

constexpr GlobalFlag kGlobalFlags[] = {
    {"--on", "BACKEND",
     "The backend, local or yarn; default: $HOWDAH_ON, then `on:` in the configuration file, then local",
     [](GlobalFlags& flags) -> std::string& { return flags.on; }},
    {"--principal", "PRINCIPAL", "The Kerberos principal to use; default: that of the ticket cache, or of the keytab",
     [](GlobalFlags& flags) -> std::string& { return flags.login.principal; }},
    {"--keytab", "FILE", "Log in to Kerberos with this keytab; default: $HOWDAH_KEYTAB, then the ticket cache",
     [](GlobalFlags& flags) -> std::string& { return flags.login.keytab; }},
    {"--as", "USER", "Act as this user on a cluster with Kerberos; default: $HADOOP_PROXY_USER",
     [](GlobalFlags& flags) -> std::string& { return flags.login.as; }},
};

// Returns the position of the command, which is the first word that is neither a flag nor the value of a global flag.
size_t CommandPosition(const std::vector<std::string>& words) {
  size_t at = 0;
  while (at < words.size() && words[at].starts_with('-')) {
    at += std::ranges::any_of(kGlobalFlags, [&](const GlobalFlag& flag) { return words[at] == flag.name; }) ? 2 : 1;
  }
  return std::min(at, words.size());
}

// Reads the global flags before a command whose words CLI11 does not parse. The last value of a flag counts.
void ReadGlobalFlags(const std::vector<std::string>& words, GlobalFlags& flags) {
  for (const GlobalFlag& flag : kGlobalFlags) {
    const std::string with_equals = std::string(flag.name) + "=";
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] == flag.name && i + 1 < words.size()) flag.value(flags) = words[i + 1];
      if (words[i].starts_with(with_equals)) flag.value(flags) = words[i].substr(with_equals.size());
    }
  }
}

bool IsCommand(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&](const CLI::App* command) { return command->get_name() == word; }).empty();
}

struct ForeignVerb {
  std::string_view word, command;
};

// Commands of kubectl, docker, SkyPilot, Slurm, Ray and git, each with the corresponding command of `howdah`.
constexpr ForeignVerb kForeignVerbs[] = {
    {"apply", "submit JOB.yaml"},
    {"attach", "logs ID -f"},
    {"cancel", "kill ID"},
    {"check", "doctor"},
    {"cp", "outputs ID [DIR]"},
    {"create", "submit JOB.yaml"},
    {"delete", "kill ID"},
    {"describe", "status ID"},
    {"down", "kill ID"},
    {"download", "outputs ID [DIR]"},
    {"follow", "logs ID -f"},
    {"get", "list"},
    {"info", "status ID"},
    {"inspect", "status ID"},
    {"jobs", "list"},
    {"launch", "run JOB.yaml"},
    {"log", "logs ID"},
    {"ls", "list"},
    {"port-forward", "open ID TASK"},
    {"ps", "list"},
    {"queue", "list"},
    {"results", "result ID ROLE:INDEX"},
    {"resize", "scale ID ROLE=N"},
    {"rm", "kill ID"},
    {"rsync", "outputs ID [DIR]"},
    {"sacct", "list --all"},
    {"sbatch", "submit JOB.yaml"},
    {"scancel", "kill ID"},
    {"scontrol", "status ID"},
    {"shell", "exec ID TASK"},
    {"show", "status ID"},
    {"sinfo", "doctor"},
    {"squeue", "queue"},
    {"srun", "run JOB.yaml"},
    {"ssh", "exec ID TASK"},
    {"start", "run JOB.yaml"},
    {"stop", "kill ID"},
    {"tail", "logs ID -f"},
    {"terminate", "kill ID"},
    {"top", "status ID --watch"},
    {"validate", "plan JOB.yaml"},
    {"watch", "status ID --watch"},
};

int ReportUnknownCommand(const CLI::App& app, const std::string& word) {
  const auto foreign = std::find_if(std::begin(kForeignVerbs), std::end(kForeignVerbs),
                                    [&](const ForeignVerb& verb) { return verb.word == word; });
  if (foreign != std::end(kForeignVerbs)) {
    std::fprintf(stderr, "howdah: unknown command '%s'; write `howdah %s`\n", word.c_str(),
                 std::string(foreign->command).c_str());
    return client::kExitUsage;
  }
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  std::vector<std::string> names;
  for (const CLI::App* command : commands) names.push_back(command->get_name());
  const std::string_view near = keyfile::Nearest(word, {names.begin(), names.end()});
  const std::string hint = near.empty() ? "" : "; did you mean '" + std::string(near) + "'?";
  std::fprintf(stderr, "howdah: unknown command '%s'%s `howdah --help` lists the commands\n", word.c_str(),
               hint.empty() ? ";" : hint.c_str());
  return client::kExitUsage;
}

int ReportParseError(const CLI::App& app, const CLI::ParseError& error, bool takes_command) {
  std::string name;  // the command with its parent commands: "history list"
  for (auto used = app.get_subcommands(); !used.empty(); used = used.front()->get_subcommands()) {
    name += (name.empty() ? "" : " ") + used.front()->get_name();
  }
  const bool extra_word = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !std::strstr(error.what(), " -");
  std::fprintf(stderr, "howdah: %s%s; %ssee `howdah %s--help`\n", name.empty() ? "" : (name + ": ").c_str(),
               error.what(),
               extra_word && takes_command ? "a command follows --, as in `howdah run -- python3 train.py`; " : "",
               name.empty() ? "" : (name + " ").c_str());
  return client::kExitUsage;
}

Grammar::CommandHelp HelpOf(const CLI::App& app) {
  Grammar::CommandHelp command{.name = app.get_name(), .help = app.get_description()};
  bool only_ids = true;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      command.flags.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
    }
    if (!option->get_positional()) continue;
    only_ids = only_ids && option->get_type_name().starts_with("ID");
    if (only_ids) command.ids += option->get_items_expected_max();
  }
  for (const GlobalFlag& flag : kGlobalFlags) {
    if (app.get_parent() != nullptr) command.flags.push_back({flag.name, flag.help, true});
  }
  for (const CLI::App* action : app.get_subcommands([](const CLI::App*) { return true; })) {
    command.actions.push_back(HelpOf(*action));
  }
  return command;
}

}  // namespace

void Syntax::Id(std::string& id, Presence presence) { Positional("id", "ID", id, presence, std::string(kIdHelp)); }

void Syntax::Ids(std::vector<std::string>& ids) { app_->add_option("id", ids, std::string(kIdHelp))->type_name("ID"); }

void Syntax::Positional(const std::string& name, const std::string& type, std::string& value, Presence presence,
                        const std::string& help) {
  SetPresence(app_->add_option(name, value, help)->type_name(type), presence);
}

void Syntax::Port(const std::string& name, int& value, Presence presence, const std::string& help) {
  constexpr int kPortMax = 65535;
  SetPresence(app_->add_option(name, value, help)->type_name("PORT")->check(CLI::Range(1, kPortMax)), presence);
}

void Syntax::Choice(const std::string& name, const std::string& type, std::string& value, Presence presence,
                    const std::vector<std::string>& values, const std::string& help) {
  SetPresence(app_->add_option(name, value, help)->type_name(type)->check(CLI::IsMember(values)), presence);
}

void Syntax::Flag(const std::string& name, bool& value, const std::string& help) { app_->add_flag(name, value, help); }

void Syntax::Text(const std::string& name, const std::string& type, std::string& value, const std::string& help) {
  app_->add_option(name, value, help)->type_name(type);
}

void Syntax::Number(const std::string& name, std::optional<int64_t>& value, int64_t min, const std::string& help) {
  app_->add_option(name, value, help)
      ->type_name("N")
      ->check(CLI::Range(min, static_cast<int64_t>(std::numeric_limits<int>::max())));
}

void Syntax::Duration(const std::string& name, std::optional<howdah::Duration>& value, const std::string& help) {
  Each(
      name, "DURATION",
      [&value](const std::string& text) {
        value = ParseDuration(text);
        return value ? "" : "invalid duration '" + text + "'; write for example 500ms, 10s, 5m, 2h or 1d";
      },
      help);
}

void Syntax::Time(const std::string& name, std::optional<Instant>& value, Instant now, const std::string& help) {
  Each(
      name, "TIME",
      [&value, now](const std::string& text) {
        value = ParseTime(text, now);
        return value ? ""
                     : "invalid time '" + text + "'; write 2026-11-21, 2026-11-21T06:45:12 (UTC) or 7d (7 days ago)";
      },
      help);
}

void Syntax::Each(const std::string& name, const std::string& type, Take take, const std::string& help) {
  app_->add_option_function<std::vector<std::string>>(
          name,
          [name, take = std::move(take)](const std::vector<std::string>& values) {
            for (const std::string& value : values) {
              if (const std::string error = take(value); !error.empty()) throw CLI::ValidationError(name, error);
            }
          },
          help)
      ->type_name(type)
      ->expected(1)
      ->allow_extra_args(false)  // the word after the flag's value may be a positional argument
      ->take_all();
}

void Syntax::Action(const std::string& name, const std::string& help, const std::string& examples,
                    const std::function<Runner(Syntax&)>& declare) {
  CLI::App* app = AddCommand(*app_, name, help, examples);
  Syntax syntax(*app);
  Runner run = declare(syntax);
  actions_.push_back({app, std::move(run)});
}

Grammar::Grammar(const std::vector<Command>& commands, GlobalFlags& flags)
    : app_(std::make_unique<CLI::App>(
          "Runs distributed TensorFlow, PyTorch, JAX, Horovod, MPI, XGBoost and other programs as jobs, on Hadoop YARN "
          "or on this machine.",
          "howdah")),
      flags_(flags) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", "howdah " + std::string(kVersion));
  app_->footer(
      "Example:\n  howdah init --framework pytorch > job.yaml\n  howdah run job.yaml\n"
      "`howdah COMMAND --help` describes a command.");
  for (const GlobalFlag& flag : kGlobalFlags) {
    app_->add_option(flag.name, flag.value(flags_), flag.help)->type_name(flag.type);
  }
  for (const Command& command : commands) {
    CLI::App* app = AddCommand(*app_, command.name, command.help, command.examples);
    commands_.push_back(std::make_unique<Declared>(Declared{app, Syntax(*app), nullptr}));
    commands_.back()->run = command.declare(commands_.back()->syntax);
    const bool needs_action = !commands_.back()->syntax.actions_.empty() && !commands_.back()->run;
    if (needs_action) app->require_subcommand(1);
    app->formatter(std::make_shared<CommandFormatter>(commands_.back()->syntax.after_dashes_type_));
  }
}

Grammar::~Grammar() = default;

std::variant<Runner, int> Grammar::Parse(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  const size_t at = CommandPosition(words);
  if (at < words.size() && words[at] == "help") {
    words.erase(words.begin() + static_cast<long>(at));
    words.emplace_back("--help");
  }
  if (at < words.size()) {
    if (const Declared* raw = FindRaw(words[at])) {
      const auto command = words.begin() + static_cast<long>(at);
      ReadGlobalFlags({words.begin(), command}, flags_);
      raw->syntax.raw_->assign(command + 1, words.end());
      return raw->run;
    }
  }
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool has_dashes = dashes != words.end();
  const std::vector<std::string> behind(has_dashes ? dashes + 1 : dashes, words.end());
  words.erase(dashes, words.end());
  if (at < words.size() && !words[at].starts_with('-') && !IsCommand(*app_, words[at])) {
    return ReportUnknownCommand(*app_, words[at]);
  }
  // Set these words before parsing, because the arguments that a command requires may depend on them.
  for (const auto& command : commands_) {
    if (command->syntax.after_dashes_ != nullptr) *command->syntax.after_dashes_ = behind;
  }
  std::reverse(words.begin(), words.end());  // CLI11 expects the words in reverse order
  try {
    app_->parse(words);
  } catch (const CLI::CallForHelp& help) {
    return app_->exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app_->exit(version);
  } catch (const CLI::ParseError& error) {
    const bool takes_command = std::any_of(commands_.begin(), commands_.end(), [](const auto& command) {
      return command->app->parsed() && command->syntax.after_dashes_ != nullptr;
    });
    return ReportParseError(*app_, error, takes_command);
  }
  const CLI::App* chosen = app_->get_subcommands().front();
  const auto found =
      std::find_if(commands_.begin(), commands_.end(), [&](const auto& command) { return command->app == chosen; });
  const Declared& command = **found;
  if (has_dashes && command.syntax.after_dashes_ == nullptr) {
    const std::string name = chosen->get_name();
    std::fprintf(stderr, "howdah: %s: takes no arguments after --; see `howdah %s --help`\n", name.c_str(),
                 name.c_str());
    return client::kExitUsage;
  }
  for (const auto& action : command.syntax.actions_) {
    if (action.app->parsed()) return action.run;
  }
  return command.run;
}

const Grammar::Declared* Grammar::FindRaw(const std::string& name) const {
  for (const auto& command : commands_) {
    if (command->syntax.raw_ != nullptr && command->app->get_name() == name) return command.get();
  }
  return nullptr;
}

Grammar::CommandHelp Grammar::Describe() const { return HelpOf(*app_); }

}  // namespace howdah::cli::args
