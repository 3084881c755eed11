#include "transcript.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <optional>
#include <sstream>

#include "howdah/core/progress.h"

namespace howdah::core::testing {
namespace {

constexpr Instant kSubmitted = Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21));

Duration Seconds(const std::string& text) {
  return Duration(static_cast<int64_t>(std::strtod(text.c_str(), nullptr) * 1e6 + 0.5));
}

// The words and options of an event's line. The value of an option NAME=VALUE extends to the next option or to the end
// of the line.
struct Line {
  std::vector<std::string> words;
  std::map<std::string, std::string> options;
  Instant now;

  explicit Line(const std::string& text) {
    std::istringstream in(text);
    std::string word, option;
    in >> word;
    now = At(Seconds(word));
    while (in >> word) {
      const size_t equals = word.find('=');
      if (equals != std::string::npos) {
        option = word.substr(0, equals);
        options[option] = word.substr(equals + 1);
      } else if (!option.empty()) {
        options[option] += " " + word;
      } else {
        words.push_back(word);
      }
    }
  }
  std::string Word(size_t i) const { return i < words.size() ? words[i] : ""; }
  int Attempt() const { return std::atoi(Word(2).c_str() + 1); }
  std::string From(size_t first) const {
    std::string text;
    for (size_t i = first; i < words.size(); ++i) text += (i == first ? "" : " ") + words[i];
    return text;
  }
  Instant AtOption() const {
    const auto it = options.find("at");
    return it == options.end() ? now : At(Seconds(it->second));
  }
  std::string Option(const std::string& name) const {
    const auto it = options.find(name);
    return it == options.end() ? "" : it->second;
  }
};

int RoleNumber(const jobspec::JobSpec& spec, const std::string& name) {
  for (size_t r = 0; r < spec.roles.size(); ++r) {
    if (spec.roles[r].name == name) return static_cast<int>(r);
  }
  return std::atoi(name.c_str());
}

Diagnosis ParseDiagnosis(const Line& line) {
  Diagnosis diagnosis{line.Option("cause"), line.Option("advice"), !line.Option("consequence").empty(),
                      !line.Option("node_fault").empty()};
  if (!line.Option("rule").empty()) diagnosis.rule = std::atoi(line.Option("rule").c_str());
  diagnosis.no_restart = line.Option("no_restart");
  return diagnosis;
}

StopRequested ParseStop(const Line& line) {
  StopRequested stop{.by = line.From(2)};
  if (line.Word(1) != "-") stop.grace = Seconds(line.Word(1));
  return stop;
}

std::optional<Resources> ParseResources(const Line& line) {
  const std::string vcores = line.Option("vcores");
  return vcores.empty() ? std::nullopt : std::optional(Resources{.vcores = std::atoi(vcores.c_str())});
}

ContainerGranted ParseGrant(const Line& line, const jobspec::JobSpec& spec) {
  return {{line.Word(1)}, RoleNumber(spec, line.Word(2)), line.Word(3), ParseResources(line)};
}

TaskProgress ParseProgress(const Line& line) {
  TaskProgress progress{.step = std::atoi(line.Word(3).c_str()), .at = line.now};
  if (!line.Word(4).empty()) progress.checkpoint = std::atoi(line.Word(4).c_str());
  if (progress.checkpoint) progress.checkpoint_at = line.AtOption();
  return progress;
}

std::optional<Event> ParseEvent(const Line& line, const jobspec::JobSpec& spec) {
  const std::string verb = line.Word(0);
  const ContainerId container{line.Word(1)};
  const Diagnosis diagnosis = ParseDiagnosis(line);
  if (verb == "am") {
    return AmStarted{"node0", std::atoi(line.Word(1).c_str()), std::atoi(line.Word(2).c_str()),
                     std::atoi(line.Word(3).c_str())};
  }
  if (verb == "tick") return Ticked{};
  if (verb == "late") return OrdersDelayed{At(Seconds(line.Word(1)))};
  if (verb == "grant") return ParseGrant(line, spec);
  if (verb == "amcontainer") {
    return AmContainerReported{container, line.Word(2), *ParseResources(line), line.AtOption()};
  }
  if (verb == "tokens") return TokensIssued{At(Seconds(line.Word(1))), line.Word(2), line.Word(3) == "renewed"};
  if (verb == "resumed") return AmResumed{std::atoi(line.Word(1).c_str()), line.From(2)};
  if (verb == "gone") return ContainerExited{container, line.From(2)};
  if (verb == "unstartable") return ContainerExited{.container = container, .how = line.From(2), .refused = true};
  if (verb == "lost") return ContainerExited{container, line.From(2), /*infrastructure=*/true};
  if (verb == "preempted") return ContainerExited{container, line.From(2), /*infrastructure=*/true, /*preempted=*/true};
  if (verb == "reclaim") return ReclaimAnnounced{container, line.From(2)};
  if (verb == "preempting") return ReclaimAnnounced{container, line.From(2), /*preempted=*/true};
  if (verb == "delayed") return RequestsDelayed{line.From(1)};
  if (verb == "queued") return RequestsDelayed{line.From(1), /*queued=*/true};
  if (verb == "refused") return RequestsRefused{line.From(1)};
  if (verb == "register") {
    return ExecutorRegistered{container, {"host-" + container.text, 4000}, line.Word(2).empty() ? -1 : line.Attempt()};
  }
  if (verb == "starting") return ContainerStarting{container, line.From(2)};
  if (verb == "rejected") return ExecutorRefused{container, line.From(2)};
  if (verb == "heartbeat") return HeartbeatReceived{container};
  if (verb == "disconnected") return ExecutorDisconnected{container};
  if (verb == "storing") return ExecutorStoring{container};
  if (verb == "started") return TaskStarted{container, line.Attempt(), {100}, line.AtOption()};
  if (verb == "ended") return TaskEnded{container, line.Attempt(), line.AtOption()};
  if (verb == "startfail") {
    return TaskStartFailed{container, line.Attempt(), line.AtOption(), std::atoi(line.Word(3).c_str()), diagnosis};
  }
  if (verb == "exit") {
    ExitStatus exit;
    exit.signal = SignalNumber(line.Word(3));
    if (!exit.signal) exit.code = std::atoi(line.Word(3).c_str());
    RankExited exited{container, line.Attempt(),  std::atoi(line.Option("rank").c_str()),
                      exit,      line.AtOption(), diagnosis};
    exited.during_stop = !line.Option("during_stop").empty();
    return exited;
  }
  if (verb == "progress") return TaskProgressed{container, line.Attempt(), ParseProgress(line)};
  if (verb == "rendezvous") {
    const std::string& name = line.Word(1);
    const size_t colon = name.find(':');
    const TaskId task{RoleNumber(spec, name.substr(0, colon)), std::atoi(name.substr(colon + 1).c_str())};
    using Step = RendezvousReported::Step;
    static const std::map<std::string, Step> kSteps = {{"ready", Step::kReady},
                                                       {"joined", Step::kJoined},
                                                       {"rejoining", Step::kRejoining},
                                                       {"unreachable", Step::kUnreachable}};
    return RendezvousReported{task, line.Attempt(), kSteps.at(line.Word(3))};
  }
  if (verb == "serves") return TaskServes{container, line.Attempt()};
  if (verb == "saving") return TaskSaving{container, line.Attempt()};
  if (verb == "hung") {
    return TaskHung{container,       line.Attempt(),          line.now,
                    line.AtOption(), line.Option("activity"), line.Option("stack")};
  }
  if (verb == "sampled") return StackSampled{container, line.Attempt(), line.Option("stack")};
  if (verb == "scale") return ScaleRequested{RoleNumber(spec, line.Word(1)), std::atoi(line.Word(2).c_str()), "ann"};
  if (verb == "kill") return ParseStop(line);
  return std::nullopt;
}

// Gives containers to all tasks of all roles, registers them and starts them, in the order that the core requires.
void Up(Job& job, Instant now) {
  std::vector<Event> events{AmStarted{"node0", 0}};
  int node = 0;
  std::map<int, int> granted;
  for (size_t i = 0; i < events.size(); ++i) {
    for (const Action& action : job.Step(events[i], now).actions) {
      if (const auto* request = std::get_if<RequestContainers>(&action)) {
        for (const auto& ask : request->asks) {
          const std::string& role = job.spec().roles[static_cast<size_t>(ask.role)].name;
          for (int n = 0; !request->optional && n < ask.count; ++n) {
            events.push_back(ContainerGranted{
                {role + ":" + std::to_string(granted[ask.role]++)}, ask.role, "node" + std::to_string(node++)});
          }
        }
      } else if (const auto* launch = std::get_if<LaunchExecutor>(&action)) {
        events.push_back(ExecutorRegistered{launch->container, {"host-" + launch->container.text, 4000}});
      } else if (const auto* start = std::get_if<StartTask>(&action)) {
        events.push_back(TaskStarted{start->container, start->attempt, {100}, now});
      }
    }
  }
}

std::string JobText(const JobChanged& change) {
  static const char* const kTypes[] = {"am",       "waiting",     "running", "recovering", "stop-requested",
                                       "stopping", "tensorboard", "finished"};
  std::string text = std::string("job ") + kTypes[static_cast<size_t>(change.type)];
  if (change.state) text += " " + std::string(core::ToText(*change.state));
  if (change.generation) text += " g" + std::to_string(*change.generation);
  if (change.exit_code) text += " exit=" + std::to_string(*change.exit_code);
  if (change.reason && !change.reason->empty()) text += " | " + *change.reason;
  if (change.advice && !change.advice->empty()) text += " | " + *change.advice;
  return text;
}

std::string TaskText(const TaskChanged& change) {
  std::string text = change.type == TaskChanged::Type::kRemoved ? "removed " : "task ";
  if (change.type == TaskChanged::Type::kHung) text = "hung ";
  if (change.type == TaskChanged::Type::kServes) text = "serves ";
  if (change.type == TaskChanged::Type::kStackSampled) text = "sampled ";
  if (change.type == TaskChanged::Type::kRejoined) text = "rejoined ";
  text += howdah::TaskText(change.role, change.index) + " " + std::string(core::ToText(change.state)) + " a" +
          std::to_string(change.attempt);
  if (change.generation) text += " g" + std::to_string(*change.generation);
  if (change.type == TaskChanged::Type::kRejoined) text += " rank " + std::to_string(change.ranks.value().at(0));
  if (change.container && !change.container->empty()) text += " in " + *change.container;
  if (change.exit && change.exit->code) text += " code=" + std::to_string(*change.exit->code);
  if (change.exit && change.exit->signal) text += " signal=" + SignalName(*change.exit->signal);
  if (change.reason && !change.reason->empty()) text += " | " + *change.reason;
  if (change.advice) text += " | " + *change.advice;
  if (change.progress) text += " | at " + core::ToText(*change.progress);
  return text;
}

struct Writer {
  const jobspec::JobSpec& spec;

  std::string Name(TaskId task) const {
    return spec.roles[static_cast<size_t>(task.role)].name + ":" + std::to_string(task.index);
  }
  std::string operator()(const RequestContainers& a) const {
    std::string text = "ask";
    for (const auto& ask : a.asks)
      text += " " + spec.roles[static_cast<size_t>(ask.role)].name + "*" + std::to_string(ask.count);
    return text + (a.together ? " together" : "") + (a.optional ? " optional" : "");
  }
  std::string operator()(const CancelRequests&) const { return "cancel"; }
  std::string operator()(const LaunchExecutor& a) const { return "launch " + a.container.text + " " + Name(a.task); }
  std::string operator()(const ReleaseContainer& a) const {
    return "release " + a.container.text + (a.replaced ? " replaced" : "");
  }
  std::string operator()(const KillContainer& a) const { return "kill " + a.container.text; }
  std::string operator()(const StartTask& a) const {
    return "start " + Name(a.task) + " a" + std::to_string(a.attempt) + " g" + std::to_string(a.generation) + " in " +
           a.container.text + (a.slot == a.task.index ? "" : " as " + std::to_string(a.slot));
  }
  std::string operator()(const StopTask& a) const {
    return "stop " + a.container.text + " a" + std::to_string(a.attempt) + " " + DurationToText(a.grace) +
           (a.probe_first ? " after a probe" : "");
  }
  std::string operator()(const RequestRendezvous& a) const {
    return "request-rendezvous " + Name(a.task) + " a" + std::to_string(a.attempt);
  }
  static std::string ContainerText(const ContainerChanged& change) {
    static const char* const kTypes[] = {"granted", "of the AM granted", "released"};
    std::string text = "container " + change.container + " " + kTypes[static_cast<size_t>(change.type)];
    if (change.node) text += " on " + *change.node;
    if (change.granted) text += " vcores=" + std::to_string(change.granted->vcores);
    return text + (change.since ? " since " + FormatInstant(*change.since).substr(17, 2) + "s" : "");
  }
  static std::string TokensText(const TokensChanged& change) {
    static const char* const kTypes[] = {"issued", "renewed", "expiring"};
    return std::string("tokens ") + kTypes[static_cast<size_t>(change.type)] + " until " +
           FormatInstant(change.until).substr(8, 8) + (change.by.empty() ? "" : " by " + change.by);
  }
  std::string operator()(const Rejoin& a) const {
    return "rejoin " + Name(a.task) + " a" + std::to_string(a.attempt) + " g" + std::to_string(a.generation) + " as " +
           std::to_string(a.slot);
  }
  std::string operator()(const AvoidNode& a) const { return "avoid " + a.node + " " + DurationToText(a.limit); }
  std::string operator()(const Record& a) const {
    if (const auto* job = std::get_if<JobChanged>(&a.change)) return JobText(*job);
    if (const auto* task = std::get_if<TaskChanged>(&a.change)) return TaskText(*task);
    if (const auto* container = std::get_if<ContainerChanged>(&a.change)) return ContainerText(*container);
    if (const auto* tokens = std::get_if<TokensChanged>(&a.change)) return TokensText(*tokens);
    const auto& scaled = std::get<RoleScaled>(a.change);
    return "scaled " + scaled.role + " " + std::to_string(scaled.from) + "->" + std::to_string(scaled.to) + " by " +
           scaled.by;
  }
  std::string operator()(const PrepareFinish&) const { return "prepare to finish"; }
  std::string operator()(const FinishJob& a) const {
    return "finish " + std::string(core::ToText(a.state)) + " " + std::to_string(a.exit_code);
  }
};

// Wraps long lines. A continuation is indented further.
std::string Wrap(const std::string& text) {
  constexpr size_t kColumns = 118;
  std::istringstream in(text);
  std::string wrapped, line = " ", word;
  while (in >> word) {
    if (line.size() + 1 + word.size() > kColumns) {
      wrapped += line + "\n";
      line = "     ";
    }
    line += " " + word;
  }
  return wrapped + line + "\n";
}

}  // namespace

Instant At(Duration d) { return kSubmitted + d; }

jobspec::RoleSpec RoleOf(std::string name, int instances, const std::function<void(jobspec::RoleSpec&)>& edit) {
  jobspec::RoleSpec role;
  role.name = std::move(name);
  role.instances = {instances, instances};
  role.memory_bytes = 64 << 20;
  role.command.shell = "true";
  if (edit) edit(role);
  return role;
}

jobspec::JobSpec JobOf(std::vector<jobspec::RoleSpec> roles, const std::function<void(jobspec::JobSpec&)>& edit) {
  jobspec::JobSpec spec;
  spec.name = "story";
  spec.roles = std::move(roles);
  if (edit) edit(spec);
  return spec;
}

FrameworkRules Ranked(size_t roles) { return {std::vector<bool>(roles, true), false}; }

std::string ToText(const Action& action, const jobspec::JobSpec& spec) { return std::visit(Writer{spec}, action); }

std::string Play(const Story& story, std::string_view text) {
  Job job(story.spec, story.rules, kSubmitted, story.seed);
  std::istringstream in{std::string(text)};
  std::string played = "\n", line;
  while (std::getline(in, line)) {
    if (line.empty() || line.front() == ' ') continue;
    played += line + "\n";
    const Line words(line);
    if (words.Word(0) == "up") {
      Up(job, words.now);
      continue;
    }
    const auto event = ParseEvent(words, story.spec);
    if (!event) {
      played += "  ??\n";
      continue;
    }
    std::vector<Action> actions = job.Step(*event, words.now).actions;
    // Answer PrepareFinish at once, as the AM does. It is not printed, because it would end every story.
    if (!actions.empty() && std::holds_alternative<PrepareFinish>(actions.back())) {
      actions.pop_back();
      for (const Action& action : job.Step(FinishPrepared{}, words.now).actions) actions.push_back(action);
    }
    for (const Action& action : actions) played += Wrap(ToText(action, story.spec));
    job.CheckInvariants();
  }
  return played;
}

void Reads(const Story& story, const char* text) { EXPECT_EQ(Play(story, text), text); }

}  // namespace howdah::core::testing
