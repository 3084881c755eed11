#include <poll.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "admission.h"
#include "howdah/autoscale/cluster_link.h"
#include "howdah/autoscale/model/simulate.h"
#include "howdah/autoscale/model/workload.h"
#include "howdah/autoscale/policy.h"
#include "howdah/autoscale/provider.h"
#include "howdah/autoscale/runner/directory.h"
#include "howdah/autoscale/runner/run.h"
#include "howdah/base/number.h"
#include "howdah/base/text.h"
#include "howdah/cli/args/syntax.h"
#include "howdah/cli/output/terminal.h"
#include "howdah/client/connection.h"
#include "howdah/client/exit_code.h"
#include "howdah/client/home.h"
#include "howdah/client/submitter.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/machine.h"
#include "interrupts.h"

namespace howdah::cli::commands {
namespace {

using namespace autoscale;
using Json = nlohmann::ordered_json;

constexpr int kFollowPauseMillis = 500;
constexpr int kWatchMillis = 2000;

struct AutoscaleArguments {
  std::string policy, provider, name = "default", mode = "gangs", workload, seed = "1";
  bool dry_run = false, short_periods = false, json = false, watch = false, follow = false;
};

Result<runner::Directory> OpenDirectory(const AutoscaleArguments& arguments) {
  const auto variable = [](const std::string& name) { return client::Variable(name).value_or(""); };
  HOWDAH_TRY(const std::string home, client::HowdahHome(variable, os::process::WorkingDirectory));
  return runner::Directory::Open(home, arguments.name);
}

// The files of the command line, if they are valid.
struct Files {
  Policy policy;
  std::optional<Provider> provider;
};

// Reads the files, and prints all their problems. nullopt: there are some.
Result<std::optional<Files>> ReadFiles(const AutoscaleArguments& arguments) {
  HOWDAH_TRY(const std::string policy_text, os::files::ReadFile(arguments.policy));
  const auto policy = ParsePolicy(policy_text, arguments.policy,
                                  arguments.short_periods ? ShortPeriods::kAllowed : ShortPeriods::kRefused);
  std::vector<keyfile::Problem> problems = policy.problems;
  for (const keyfile::Problem& hint : policy.hints) output::PrintNote("warning: " + hint.ToText());
  Files files{.policy = policy.value};
  if (!arguments.provider.empty()) {
    HOWDAH_TRY(const std::string provider_text, os::files::ReadFile(arguments.provider));
    auto provider = ParseProvider(provider_text, arguments.provider);
    problems.insert(problems.end(), provider.problems.begin(), provider.problems.end());
    files.provider = std::move(provider.value);
    for (const Group group : kGroups) {
      if (!provider.problems.empty() || files.provider->of(group) || policy.value.of(group).max == 0) continue;
      problems.push_back(
          {arguments.provider, 0, "groups." + std::string(ToText(group)),
           "missing; the policy allows " + std::to_string(policy.value.of(group).max) + " nodes of this group"});
    }
  }
  PrintProblems(problems);
  if (!problems.empty()) return std::optional<Files>();
  return std::optional(std::move(files));
}

Result<Mode> ModeOf(const std::string& text) {
  if (text == "gangs") return Mode::kGangs;
  if (text == "dataproc") return Mode::kDataproc;
  return Error{ErrorCode::kUsage, "'" + text + "' is not a mode; write gangs or dataproc"};
}

std::string DirectoryOf(const std::string& file) {
  const size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

std::string SizesText(const Sizes& sizes) {
  return std::to_string(sizes.primary) + " + " + std::to_string(sizes.secondary);
}

std::string DecisionText(const Decision& decision) {
  std::string text =
      FormatInstant(decision.at) + " " + std::string(ToText(decision.verdict)) + " " + SizesText(decision.current);
  if (!(decision.recommended == decision.current)) text += " → " + SizesText(decision.recommended);
  return text + ": " + (decision.error.empty() ? decision.reason : decision.error);
}

Result<std::unique_ptr<ClusterLink>> OpenLink(client::Connection& connection, const Provider& provider) {
  HOWDAH_TRY(backend::Cluster* const cluster, connection.Cluster());
  return cluster->site().OpenLink(provider);
}

Result<int> Run(client::Connection& connection, const AutoscaleArguments& arguments) {
  HOWDAH_TRY(const Mode mode, ModeOf(arguments.mode));
  if (arguments.provider.empty())
    return Error{ErrorCode::kUsage, "autoscale run: write the provider file: --provider FILE"};
  HOWDAH_TRY(const auto files, ReadFiles(arguments));
  if (!files) return client::kExitUsage;
  HOWDAH_TRY(const auto directory, OpenDirectory(arguments));
  std::optional<os::files::FileLock> lock;
  if (!arguments.dry_run) {
    HOWDAH_TRY(lock, directory.Lock());
  }
  HOWDAH_TRY(const auto link, OpenLink(connection, *files->provider));
  const runner::RunOptions options{.policy = files->policy,
                                   .provider = *files->provider,
                                   .mode = mode,
                                   .dry_run = arguments.dry_run,
                                   .directory = DirectoryOf(arguments.provider)};
  const Interrupts interrupts;
  output::PrintMessage("the autoscaler '" + arguments.name + "' runs; its state and log are in " + directory.path());
  HOWDAH_TRY_STATUS(runner::Run(options, *link, directory, interrupts.fd(),
                                [](const Decision& decision) { output::Print(DecisionText(decision) + "\n"); }));
  return client::kExitOk;
}

// Prints the finding, and returns whether it is good.
bool PrintFinding(const ClusterLink::Finding& finding) {
  output::Print((finding.good ? "ok       " : "problem  ") + finding.text + "\n");
  return finding.good;
}

ClusterLink::Finding CheckList(const AutoscaleArguments& arguments, const Provider& provider) {
  const auto machines = runner::ListMachines(provider, DirectoryOf(arguments.provider));
  if (!machines.ok()) return {false, machines.error().message};
  Sizes sizes;
  for (const Machine& machine : *machines) ++sizes.of(machine.group);
  return {true, "`list` shows " + CountOf(sizes.primary, "machine") + " of the group primary and " +
                    std::to_string(sizes.secondary) + " of the group secondary"};
}

ClusterLink::Finding CheckSizes(const Files& files, const Result<ClusterSeen>& seen) {
  for (const Group group : kGroups) {
    const auto& some = files.provider->of(group);
    if (!some || some->node || files.policy.of(group).max == 0) continue;
    if (seen.ok() && !seen->nodes.empty()) continue;
    return {false, "the size of nodes of the group " + std::string(ToText(group)) +
                       " is not known until one of them runs; write it into groups." + std::string(ToText(group)) +
                       ".node"};
  }
  return {true, "the sizes of the nodes are known"};
}

Result<int> Check(client::Connection& connection, const AutoscaleArguments& arguments) {
  HOWDAH_TRY(const auto files, ReadFiles(arguments));
  if (!files) return client::kExitUsage;
  PrintFinding({true, arguments.policy + " is valid"});
  if (!files->provider) return client::kExitOk;
  PrintFinding({true, arguments.provider + " is valid"});
  bool good = PrintFinding(CheckList(arguments, *files->provider));
  HOWDAH_TRY(const auto link, OpenLink(connection, *files->provider));
  const auto seen = link->Observe();
  for (const ClusterLink::Finding& finding : link->CheckSetup(seen)) good = PrintFinding(finding) && good;
  good = PrintFinding(CheckSizes(*files, seen)) && good;
  PrintFinding({true, "a ResourceManager that restarts or fails over decommissions nodes that drain at once"});
  return good ? client::kExitOk : client::kExitUnavailable;
}

Result<uint64_t> SeedOf(const std::string& text) {
  if (const auto seed = ParseNumber<uint64_t>(text)) return *seed;
  return Error{ErrorCode::kUsage, "--seed: '" + text + "' is not a whole number"};
}

// Reads the workload file, and prints all its problems. nullopt: there are some.
Result<std::optional<model::Workload>> ReadWorkload(const std::string& file) {
  HOWDAH_TRY(const std::string text, os::files::ReadFile(file));
  auto workload = model::ParseWorkload(text, file);
  PrintProblems(workload.problems);
  if (!workload.problems.empty()) return std::optional<model::Workload>();
  return std::optional(std::move(workload.value));
}

Json OutcomeJson(const model::Outcome& outcome) {
  const auto seconds = [](Duration time) { return std::chrono::duration<double>(time).count(); };
  return {{"jobs", outcome.jobs},
          {"unfinished", outcome.unfinished},
          {"makespan_s", seconds(outcome.makespan)},
          {"node_hours", outcome.node_hours},
          {"largest", outcome.largest},
          {"mean_wait_s", seconds(outcome.mean_wait)},
          {"longest_wait_s", seconds(outcome.longest_wait)},
          {"lost_task_hours", outcome.lost_task_hours}};
}

std::string OutcomeText(const model::Outcome& outcome) {
  char hours[64];
  std::snprintf(hours, sizeof hours, "%.2f node-hours, %.2f task-hours of work lost", outcome.node_hours,
                outcome.lost_task_hours);
  const std::string ended = outcome.unfinished == 0 ? "all ended after " + FormatDuration(outcome.makespan)
                                                    : std::to_string(outcome.unfinished) +
                                                          (outcome.unfinished == 1 ? " has" : " have") + " not ended";
  return CountOf(outcome.jobs, "job") + ", " + ended + "\nwaits: " + FormatDuration(outcome.mean_wait) +
         " on average, " + FormatDuration(outcome.longest_wait) + " at most\nat most " +
         CountOf(outcome.largest, "node") + ", " + hours + "\n";
}

Result<int> SimulateWorkload(const AutoscaleArguments& arguments) {
  HOWDAH_TRY(const Mode mode, ModeOf(arguments.mode));
  HOWDAH_TRY(const uint64_t seed, SeedOf(arguments.seed));
  if (arguments.workload.empty()) {
    return Error{ErrorCode::kUsage, "autoscale simulate: write the workload: --workload demo, fleet:100 or a file"};
  }
  HOWDAH_TRY(const auto files, ReadFiles(arguments));
  HOWDAH_TRY(auto workload, model::ModelOf(arguments.workload, seed));
  if (!workload) {
    HOWDAH_TRY(workload, ReadWorkload(arguments.workload));
  }
  if (!files || !workload) return client::kExitUsage;
  const auto print = [](const Decision& decision) { output::Print(DecisionText(decision) + "\n"); };
  const model::Outcome outcome =
      model::Simulate(*workload, files->policy, mode, arguments.json ? std::function<void(const Decision&)>() : print);
  output::Print(arguments.json ? OutcomeJson(outcome).dump(1) + "\n" : OutcomeText(outcome));
  return outcome.unfinished == 0 ? client::kExitOk : client::kExitFailed;
}

Json StatusJson(const runner::Directory& directory, const State& state, const std::string& name) {
  Sizes machines, ordered, draining, joining;
  for (const auto& [id, machine] : state.machines) {
    ++machines.of(machine.group);
    if (!machine.joined) ++joining.of(machine.group);
  }
  for (const PendingAdd& add : state.adds) ordered.of(add.group) += add.outstanding();
  for (const auto& [id, machine] : state.leaving) ++draining.of(machine.group);
  const std::string pid = directory.Runner();
  Json json = {{"name", name}, {"pid", pid.empty() ? Json(nullptr) : Json(pid)}, {"paused", state.paused}};
  for (const Group group : kGroups) {
    const GroupHealth& health = state.health_of(group);
    json["groups"][std::string(ToText(group))] = {{"machines", machines.of(group)}, {"ordered", ordered.of(group)},
                                                  {"joining", joining.of(group)},   {"leaving", draining.of(group)},
                                                  {"disabled", health.disabled},    {"problem", health.reason}};
  }
  const Json last = Json::parse(directory.LastLogLine(), nullptr, /*allow_exceptions=*/false);
  json["last"] = last.is_discarded() ? Json(nullptr) : last;
  return json;
}

std::string StatusText(const Json& json) {
  std::string text = "autoscaler '" + json["name"].get<std::string>() + "': " +
                     (json["pid"].is_null() ? "not running" : "runs as process " + json["pid"].get<std::string>()) +
                     (json["paused"].get<bool>() ? ", paused" : "") + "\n";
  for (const auto& [name, group] : json["groups"].items()) {
    text += name + ": " + CountOf(group["machines"].get<int>(), "machine") + ", " +
            std::to_string(group["ordered"].get<int>()) + " ordered, " + std::to_string(group["joining"].get<int>()) +
            " joining, " + std::to_string(group["leaving"].get<int>()) + " leaving";
    const std::string problem = group["problem"].get<std::string>();
    if (!problem.empty()) text += "; " + problem + (group["disabled"].get<bool>() ? " (until `resume`)" : "");
    text += "\n";
  }
  const Json& last = json["last"];
  if (!last.is_object()) return text + "no decision yet\n";
  const Json& status = last["status"];
  return text + "last decision: " + last["timestamp"].get<std::string>() + " " +
         last["recommendation"]["outputs"]["decision"].get<std::string>() + ": " +
         (status.contains("error") ? status["error"] : last["reason"]).get<std::string>() + "\n";
}

Result<int> ShowStatus(const AutoscaleArguments& arguments) {
  HOWDAH_TRY(const auto directory, OpenDirectory(arguments));
  std::string printed;
  do {
    HOWDAH_TRY(const State state, directory.ReadState("unused"));
    const Json json = StatusJson(directory, state, arguments.name);
    const std::string text = arguments.json ? json.dump(1) + "\n" : StatusText(json);
    if (text != printed) output::Print(text);
    printed = text;
  } while (arguments.watch && poll(nullptr, 0, kWatchMillis) == 0);
  return client::kExitOk;
}

Result<int> Log(const AutoscaleArguments& arguments) {
  HOWDAH_TRY(const auto directory, OpenDirectory(arguments));
  size_t shown = 0;
  do {
    const auto text = os::files::ReadFile(directory.log_path());
    if (!text.ok() && text.error().code != ErrorCode::kNotFound) return text.error();
    if (text.ok() && text->size() > shown) {
      output::Print(text->substr(shown));
      shown = text->size();
    }
  } while (arguments.follow && poll(nullptr, 0, kFollowPauseMillis) == 0);
  return client::kExitOk;
}

Result<int> SetPaused(const AutoscaleArguments& arguments, bool paused) {
  HOWDAH_TRY(const auto directory, OpenDirectory(arguments));
  HOWDAH_TRY_STATUS(directory.WriteWish(paused));
  output::PrintMessage("the autoscaler '" + arguments.name + "' " +
                       (paused ? "changes nothing until `resume`" : "goes on"));
  return client::kExitOk;
}

void AddName(args::Syntax& syntax, AutoscaleArguments& arguments) {
  syntax.Text("--name", "NAME", arguments.name, "Name of the autoscaler (default: default)");
}

void AddPolicy(args::Syntax& syntax, AutoscaleArguments& arguments) {
  syntax.Positional("policy", "POLICY", arguments.policy, args::Presence::kRequired,
                    "Policy file, as `gcloud dataproc autoscaling-policies export` writes it");
  syntax.Flag("--allow-short-periods", arguments.short_periods, "Allow a cooldownPeriod below two minutes, for tests");
}

void AddFiles(args::Syntax& syntax, AutoscaleArguments& arguments) {
  AddPolicy(syntax, arguments);
  syntax.Text("--provider", "FILE", arguments.provider, "Provider file: the machines and the commands for them");
}

using LocalAction = Result<int> (*)(const AutoscaleArguments&);

void AddAction(args::Syntax& syntax, const char* name, const char* help, LocalAction run,
               void (*add_flags)(args::Syntax&, AutoscaleArguments&)) {
  syntax.Action(name, help, std::string("  howdah autoscale ") + name,
                [run, add_flags](args::Syntax& action) -> args::Runner {
                  const auto arguments = std::make_shared<AutoscaleArguments>();
                  AddName(action, *arguments);
                  add_flags(action, *arguments);
                  return [run, arguments] { return run(*arguments); };
                });
}

}  // namespace

args::Command AutoscaleCommand(client::Connection& connection) {
  return {"autoscale", "Add nodes to a cluster when jobs need them, and remove nodes that nothing needs",
          "  howdah autoscale check policy.yaml --provider provider.yaml\n"
          "  howdah autoscale run policy.yaml --provider provider.yaml",
          [&connection](args::Syntax& syntax) -> args::Runner {
            syntax.Action("run", "Run an autoscaler in the foreground",
                          "  howdah autoscale run policy.yaml --provider provider.yaml --dry-run",
                          [&connection](args::Syntax& action) -> args::Runner {
                            const auto arguments = std::make_shared<AutoscaleArguments>();
                            AddFiles(action, *arguments);
                            AddName(action, *arguments);
                            action.Text("--mode", "MODE", arguments->mode,
                                        "gangs (default): from the shapes of what waits; dataproc: Dataproc's rule");
                            action.Flag("--dry-run", arguments->dry_run, "Print decisions, and change nothing");
                            return [&connection, arguments] { return Run(connection, *arguments); };
                          });
            syntax.Action("check", "Check the files, the cluster and the permissions",
                          "  howdah autoscale check policy.yaml --provider provider.yaml",
                          [&connection](args::Syntax& action) -> args::Runner {
                            const auto arguments = std::make_shared<AutoscaleArguments>();
                            AddFiles(action, *arguments);
                            return [&connection, arguments] { return Check(connection, *arguments); };
                          });
            syntax.Action("simulate", "Run the decisions on a simulated cluster",
                          "  howdah autoscale simulate policy.yaml --workload demo",
                          [](args::Syntax& action) -> args::Runner {
                            const auto arguments = std::make_shared<AutoscaleArguments>();
                            AddPolicy(action, *arguments);
                            action.Text("--workload", "W", arguments->workload,
                                        "demo, fleet:NODES or a workload file: the nodes and the jobs");
                            action.Text("--mode", "MODE", arguments->mode, "gangs (default) or dataproc");
                            action.Text("--seed", "N", arguments->seed, "Seed of the jobs of fleet (default: 1)");
                            action.Json(arguments->json, "Print the figures as one JSON object, without the decisions");
                            return [arguments] { return SimulateWorkload(*arguments); };
                          });
            AddAction(syntax, "status", "Show the sizes and the last decision", &ShowStatus,
                      [](args::Syntax& action, AutoscaleArguments& arguments) {
                        action.Json(arguments.json, "Print one JSON object");
                        action.Flag("--watch", arguments.watch, "Show every change");
                      });
            AddAction(syntax, "log", "Print the decision log, one JSON object in each line", &Log,
                      [](args::Syntax& action, AutoscaleArguments& arguments) {
                        action.Flag("-f,--follow", arguments.follow, "Show new decisions, too");
                      });
            AddAction(
                syntax, "pause", "Let an autoscaler change nothing",
                [](const AutoscaleArguments& arguments) { return SetPaused(arguments, true); },
                [](args::Syntax&, AutoscaleArguments&) {});
            AddAction(
                syntax, "resume", "Let an autoscaler go on, with groups that it has disabled, too",
                [](const AutoscaleArguments& arguments) { return SetPaused(arguments, false); },
                [](args::Syntax&, AutoscaleArguments&) {});
            return nullptr;
          }};
}

}  // namespace howdah::cli::commands
