#include "syntax.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "history_arguments.h"
#include "howdah/base/version.h"
#include "howdah/os/process/clock.h"

namespace howdah::cli {
namespace {

CLI::App* AddCommand(CLI::App& app, const std::string& name, const std::string& help, const std::string& examples) {
  CLI::App* command = app.add_subcommand(name, help);
  command->footer("Example:\n" + examples);
  command->fallthrough();
  return command;
}

void AddDuration(CLI::App* command, const std::string& name, std::optional<Duration>& value, const std::string& help) {
  command
      ->add_option_function<std::string>(
          name,
          [&value, name](const std::string& text) {
            value = ParseDuration(text);
            if (!value)
              throw CLI::ValidationError(name, "'" + text + "' is no duration; write 500ms, 10s, 5m, 2h or 1d");
          },
          help)
      ->type_name("DURATION");
}

void AddId(CLI::App* command, Arguments& to) {
  command->add_option("id", to.id, "The job: its id, or `last`")->required()->type_name("ID");
}

void AddJson(CLI::App* command, Arguments& to, const std::string& help) { command->add_flag("--json", to.json, help); }

// A flag of a job without a file, noted so that it can be told apart from its default.
template <typename T>
void AddQuick(CLI::App* command, JobArguments& job, const std::string& name, T& value, const std::string& type,
              const std::string& help) {
  command
      ->add_option_function<std::string>(
          name,
          [&job, &value, name](const std::string& text) {
            job.quick_flags.push_back(name);
            if (!CLI::detail::lexical_cast(text, value)) {
              throw CLI::ValidationError(name, "'" + text + "' is not a whole number");
            }
          },
          help + " (without a job file)")
      ->type_name(type);
}

void AddEnv(CLI::App* command, JobArguments& job) {
  command
      ->add_option_function<std::vector<std::string>>(
          "--env",
          [&job](const std::vector<std::string>& words) {
            job.quick_flags.push_back("--env");
            for (const std::string& word : words) {
              const size_t equals = word.find('=');
              if (equals == std::string::npos || equals == 0) {
                throw CLI::ValidationError("--env", "'" + word + "' is not NAME=VALUE");
              }
              job.quick.env.emplace_back(word.substr(0, equals), word.substr(equals + 1));
            }
          },
          "A variable for every task (without a job file)")
      ->type_name("NAME=VALUE")
      ->expected(1)
      ->allow_extra_args(false)  // what stands behind its value may be the job file
      ->take_all();
}

// What a task is given, of any job without a file.
void AddShape(CLI::App* command, JobArguments& job) {
  AddQuick(command, job, "--name", job.quick.name, "TEXT", "Name of the job");
  AddQuick(command, job, "--memory", job.quick.memory, "SIZE", "Memory of each task: 2GiB");
  AddQuick(command, job, "--vcores", job.quick.vcores, "N", "Cores of each task");
  AddQuick(command, job, "--gpus", job.quick.gpus, "N", "GPUs of each task");
  AddQuick(command, job, "--python", job.quick.python_archive, "FILE", "Packed Python environment");
  AddQuick(command, job, "--queue", job.quick.queue, "NAME", "Queue of the cluster");
  AddEnv(command, job);
}

void AddJob(CLI::App* command, JobArguments& job) {
  command->add_option("job", job.file, "The job file (YAML or JSON)")->type_name("JOB.yaml");
  command->add_option("--set", job.sets, "Set a key of the job file: roles.worker.instances=4")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->allow_extra_args(false)  // what stands behind its value may be the job file
      ->take_all();
  AddQuick(command, job, "--framework", job.quick.framework, "NAME", "pytorch, tensorflow, jax or plain");
  AddQuick(command, job, "--workers", job.quick.workers, "N", "How many tasks");
  AddQuick(command, job, "--processes", job.quick.processes, "N", "Processes of each task");
  AddQuick(command, job, "--source", job.quick.source, "DIR", "Becomes every task's working directory; default .");
  AddShape(command, job);
}

void AddJobCommands(CLI::App& app, Arguments& to) {
  CLI::App* run =
      AddCommand(app, "run", "Submit a job, follow its states and logs, and end with it",
                 "  howdah run job.yaml --set roles.worker.instances=4 -- --epochs 3\n"
                 "  howdah run --framework pytorch --workers 2 --memory 2GiB -- python train.py\n"
                 "Exit code: 0 SUCCEEDED, 1 FAILED, 4 KILLED, 2 wrong usage or job file, 3 the place cannot.");
  AddJob(run, to.job);
  run->add_flag("--keep", to.keep, "Keep the tasks' working directories at the end");
  AddJson(run, to, "At the end print the status as JSON to stdout; the logs go to stderr");
  CLI::App* submit =
      AddCommand(app, "submit", "Submit a job, print its id, and return", "  id=$(howdah submit job.yaml)");
  AddJob(submit, to.job);
  submit->add_flag("--keep", to.keep, "Keep the tasks' working directories at the end");
  CLI::App* plan = AddCommand(app, "plan", "Show what would run and every problem; nothing is submitted",
                              "  howdah plan job.yaml\n  howdah plan job.yaml --set roles.worker.memory=8GiB --json");
  AddJob(plan, to.job);
  AddJson(plan, to, "Print the plan as one JSON object");
}

void AddLookCommands(CLI::App& app, Arguments& to) {
  CLI::App* status = AddCommand(app, "status", "One job in detail, with every task",
                                "  howdah status last\n  howdah status last --json | jq .state");
  AddId(status, to);
  AddJson(status, to, "Print one JSON object");
  status->add_flag("--watch", to.watch, "Show every change until the job ends");
  CLI::App* list = AddCommand(app, "list", "Jobs that have not ended", "  howdah list --all");
  AddJson(list, to, "Print one JSON array");
  list->add_flag("--all", to.all, "Those that have ended, too");
  CLI::App* wait = AddCommand(app, "wait", "Wait for the end of a job, with its exit code",
                              "  howdah wait last --timeout 10m\nExit code: the job's; 5 if the time ran out.");
  AddId(wait, to);
  AddDuration(wait, "--timeout", to.timeout, "Give up after this time, with exit code 5");
  CLI::App* logs = AddCommand(app, "logs", "Output of a job's tasks, running or ended",
                              "  howdah logs last\n  howdah logs last worker:1 --stderr --tail 20\n"
                              "  howdah logs last worker -f");
  AddId(logs, to);
  logs->add_option("task", to.task, "One role, or one task")->type_name("ROLE[:INDEX]");
  logs->add_flag("-f,--follow", to.follow, "Go on as output arrives, until the task or the job ends");
  logs->add_flag("--stdout", to.want_stdout, "stdout alone");
  logs->add_flag("--stderr", to.want_stderr, "stderr alone");
  logs->add_option("--attempt", to.attempt, "This attempt; default: the newest")->type_name("N");
  logs->add_option("--tail", to.tail, "The last N lines of each stream")->type_name("N")->check(CLI::NonNegativeNumber);
  CLI::App* events = AddCommand(app, "events", "The journal of a job, one line an event",
                                "  howdah events last -f\n  howdah events last --json | jq -r .type");
  AddId(events, to);
  events->add_flag("-f,--follow", to.follow, "Go on until the job ends");
  AddJson(events, to, "One JSON object a line");
}

void AddListen(CLI::App* command, Arguments& to) {
  command->add_option("--listen", to.listen, "The port here; default: one that is free")
      ->type_name("PORT")
      ->check(CLI::Range(1, 65535));
}

void AddInsideCommands(CLI::App& app, Arguments& to) {
  CLI::App* tensorboard =
      AddCommand(app, "tensorboard", "Open the job's TensorBoard; after its end, one of this machine",
                 "  howdah tensorboard last");
  AddId(tensorboard, to);
  AddListen(tensorboard, to);
  CLI::App* open = AddCommand(app, "open", "Reach a port of a running task from here, until Ctrl-C or the job's end",
                              "  howdah open last worker:0 8888\n  howdah open last worker:0 8888 --listen 8080");
  AddId(open, to);
  open->add_option("task", to.task, "The task")->required()->type_name("ROLE:INDEX");
  open->add_option("port", to.port, "Where its program listens, on its own loopback interface")
      ->required()
      ->type_name("PORT")
      ->check(CLI::Range(1, 65535));
  AddListen(open, to);
  CLI::App* exec = AddCommand(app, "exec", "Run a command in the surroundings of a running task",
                              "  howdah exec last worker:0 -- nvidia-smi\n  howdah exec last worker:0\n"
                              "Exit code: the command's; 128 and the signal's number if one ended it.");
  AddId(exec, to);
  exec->add_option("task", to.task, "The task")->required()->type_name("ROLE:INDEX");
  exec->add_flag("-t,--terminal", to.terminal,
                 "With a terminal; the default for a shell, which runs without a command");
}

void AddNotebook(CLI::App& app, Arguments& to) {
  CLI::App* notebook =
      AddCommand(app, "notebook", "Run JupyterLab as a job, and open it from here",
                 "  howdah notebook --on yarn --gpus 1 --memory 8GiB --python env.tar.gz\n  howdah notebook last");
  notebook->add_option("id", to.id, "A notebook that runs, to come back to it")->type_name("ID");
  AddShape(notebook, to.job);
  AddQuick(notebook, to.job, "--source", to.job.quick.source, "DIR", "Copied to where the notebook starts");
  notebook->add_option("--dir", to.directory, "Its directory where it runs; default: one that goes with the job")
      ->type_name("DIR");
  AddDuration(notebook, "--idle", to.idle, "End when nobody has used it for so long; default 1h, 0s never");
  notebook->add_option("--limit", to.limit, "End in any case after this time; default 24h")->type_name("DURATION");
  AddListen(notebook, to);
}

void AddOrderCommands(CLI::App& app, Arguments& to) {
  CLI::App* kill = AddCommand(app, "kill", "End a job, and return when nothing of it is left",
                              "  howdah kill last\n  howdah kill last --grace 30s");
  AddId(kill, to);
  AddDuration(kill, "--grace", to.grace, "Time between the stop signal and SIGKILL; default: the job's");
  CLI::App* scale =
      AddCommand(app, "scale", "Change the number of tasks of an elastic role", "  howdah scale last worker=4");
  AddId(scale, to);
  scale->add_option("role", to.scale, "The role and its new number of tasks")->required()->type_name("ROLE=N");
}

void AddOtherCommands(CLI::App& app, Arguments& to) {
  CLI::App* doctor =
      AddCommand(app, "doctor", "Check this machine, and say what to do about each finding", "  howdah doctor");
  AddJson(doctor, to, "Print one JSON array");
  CLI::App* init = AddCommand(app, "init", "Print a commented job file to start from",
                              "  howdah init --framework pytorch > job.yaml");
  init->add_option("--framework", to.framework, "pytorch, tensorflow, jax or plain (default)")->type_name("NAME");
  CLI::App* schema =
      AddCommand(app, "schema", "Print the JSON Schema of job files, for editors", "  howdah schema > job.schema.json");
  schema->add_flag("--markdown", to.markdown, "Print the reference page of the job file instead");
  CLI::App* completion =
      AddCommand(app, "completion", "Print a completion script for a shell", "  source <(howdah completion bash)");
  completion->add_option("shell", to.shell, "bash, zsh or fish")
      ->required()
      ->type_name("SHELL")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  AddCommand(app, "tony", "Run a job of LinkedIn's TonY, with its flags and its configuration",
             "  howdah tony ClusterSubmitter -src_dir src -executes 'python train.py' -conf tony.worker.instances=2");
  AddCommand(app, "version", "Print the version", "  howdah version");
}

// How many letters of two words differ, in order: enough to find a mistyped command.
size_t Unlikeness(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

// The first word that stands where a command should, if there is no such command; else empty.
std::string UnknownCommand(const CLI::App& app, const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--on") {
      ++i;  // its value
    } else if (!words[i].starts_with('-')) {
      const auto known = app.get_subcommands([&](const CLI::App* command) { return command->get_name() == words[i]; });
      return known.empty() ? words[i] : "";
    }
  }
  return "";
}

int ReportUnknownCommand(const CLI::App& app, const std::string& word) {
  std::string nearest;
  size_t least = word.size();
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const size_t unlike = Unlikeness(word, command->get_name());
    if (unlike < least) nearest = command->get_name();
    least = std::min(least, unlike);
  }
  const std::string hint = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  std::fprintf(stderr, "howdah: there is no command '%s'%s `howdah --help` shows all\n", word.c_str(),
               hint.empty() ? ";" : hint.c_str());
  return 2;
}

// What CLI11 found wrong, in our words: what, and what to do.
int Report(const CLI::App& app, const CLI::ParseError& error) {
  const auto used = app.get_subcommands();
  const std::string command = used.empty() ? "howdah" : "howdah " + used.front()->get_name();
  std::fprintf(stderr, "howdah: %s: %s; `%s --help` shows its use\n",
               used.empty() ? "command line" : used.front()->get_name().c_str(), error.what(), command.c_str());
  return 2;
}

}  // namespace

Grammar::Grammar()
    : arguments_(std::make_unique<Arguments>()),
      app_(std::make_unique<CLI::App>(
          "Runs distributed TensorFlow, PyTorch, JAX, Horovod, MPI, XGBoost and plain jobs.", "howdah")) {
  app_->require_subcommand(1);
  app_->set_version_flag("--version", "howdah " + std::string(kVersion));
  app_->footer(
      "Example:\n  howdah init --framework pytorch > job.yaml\n  howdah run job.yaml\n"
      "`howdah COMMAND --help` says more about a command.");
  app_->add_option("--on", arguments_->on,
                   "The place: local or yarn; default: $HOWDAH_ON, `on:` of the configuration, local")
      ->type_name("PLACE");
  AddJobCommands(*app_, *arguments_);
  AddLookCommands(*app_, *arguments_);
  AddInsideCommands(*app_, *arguments_);
  AddNotebook(*app_, *arguments_);
  AddOrderCommands(*app_, *arguments_);
  AddHistory(*app_, *arguments_, os::process::Clock().Now());
  AddOtherCommands(*app_, *arguments_);
}

Grammar::~Grammar() = default;

std::variant<Arguments, int> Grammar::Parse(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words.front() == "tony") {  // its flags are TonY's, and look like no others
    arguments_->command = words.front();
    arguments_->words.assign(words.begin() + 1, words.end());
    return *arguments_;
  }
  const auto dashes = std::find(words.begin(), words.end(), "--");
  const bool has_dashes = dashes != words.end();
  if (has_dashes) arguments_->job.words.assign(dashes + 1, words.end());
  words.erase(dashes, words.end());
  if (const std::string word = UnknownCommand(*app_, words); !word.empty()) return ReportUnknownCommand(*app_, word);
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  try {
    app_->parse(words);
  } catch (const CLI::CallForHelp& help) {
    return app_->exit(help);
  } catch (const CLI::CallForVersion& version) {
    return app_->exit(version);
  } catch (const CLI::ParseError& error) {
    return Report(*app_, error);
  }
  arguments_->command = app_->get_subcommands().front()->get_name();
  const std::string& command = arguments_->command;
  if (has_dashes && command != "run" && command != "submit" && command != "plan" && command != "exec") {
    std::fprintf(stderr, "howdah: %s: takes no arguments behind --; `howdah %s --help` shows its use\n",
                 command.c_str(), command.c_str());
    return 2;
  }
  return *arguments_;
}

std::vector<Grammar::Command> Grammar::Commands() const {
  std::vector<Command> commands;
  for (const CLI::App* app : app_->get_subcommands([](const CLI::App*) { return true; })) {
    Command command{app->get_name(), app->get_description(), {}};
    for (const CLI::Option* option : app->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        command.flags.push_back({"--" + name, option->get_description(), option->get_items_expected_max() > 0});
      }
    }
    command.flags.push_back({"--on", "The place: local or yarn", true});
    commands.push_back(std::move(command));
  }
  return commands;
}

}  // namespace howdah::cli
