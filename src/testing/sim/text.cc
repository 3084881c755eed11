#include "text.h"

#include <type_traits>

namespace howdah::testing::sim {
namespace {

std::string Seconds(Duration d) { return FormatDuration(d); }

struct EventText {
  const jobspec::JobSpec& spec;

  std::string Role(int role) const { return role < 0 ? "no role" : spec.roles[static_cast<size_t>(role)].name; }
  static std::string Attempt(int attempt) { return " attempt " + std::to_string(attempt); }

  std::string operator()(const core::AmResumed& e) const { return "AmResumed" + Attempt(e.attempt); }
  std::string operator()(const core::ReclaimAnnounced& e) const { return "ReclaimAnnounced " + e.container.text; }
  std::string operator()(const core::AmStarted& e) const { return "AmStarted" + Attempt(e.attempt); }
  std::string operator()(const core::ContainerGranted& e) const {
    return "ContainerGranted " + e.container.text + " for " + Role(e.role) + " on " + e.node;
  }
  std::string operator()(const core::ContainerExited& e) const {
    return "ContainerExited " + e.container.text + (e.how.empty() ? "" : ": " + e.how);
  }
  std::string operator()(const core::AmContainerReported& e) const {
    return "AmContainerReported " + e.container.text + " since " + FormatInstant(e.since);
  }
  std::string operator()(const core::ContainerStarting& e) const {
    return "ContainerStarting " + e.container.text + ": " + e.startup_stage;
  }
  std::string operator()(const core::ExecutorRefused& e) const {
    return "ExecutorRefused " + e.container.text + ": " + e.why;
  }
  std::string operator()(const core::RequestsDelayed& e) const {
    return (e.queued ? "RequestsDelayed (queued): " : "RequestsDelayed: ") + e.reason;
  }
  std::string operator()(const core::RequestsRefused& e) const { return "RequestsRefused: " + e.reason; }
  std::string operator()(const core::ExecutorRegistered& e) const {
    return "ExecutorRegistered " + e.container.text + " at " + e.endpoint.host + ":" + std::to_string(e.endpoint.port);
  }
  std::string operator()(const core::HeartbeatReceived& e) const { return "HeartbeatReceived " + e.container.text; }
  std::string operator()(const core::ExecutorStoring& e) const { return "ExecutorStoring " + e.container.text; }
  std::string operator()(const core::ExecutorDisconnected& e) const {
    return "ExecutorDisconnected " + e.container.text;
  }
  std::string operator()(const core::TaskStarted& e) const {
    return "TaskStarted " + e.container.text + Attempt(e.attempt) + " at " + FormatInstant(e.at);
  }
  std::string operator()(const core::RankExited& e) const {
    return "RankExited " + e.container.text + Attempt(e.attempt) + " rank " + std::to_string(e.local_rank) + ": " +
           ToText(e.exit) + " at " + FormatInstant(e.at);
  }
  std::string operator()(const core::TaskStartFailed& e) const {
    return "TaskStartFailed " + e.container.text + Attempt(e.attempt) + " at " + FormatInstant(e.at);
  }
  std::string operator()(const core::TaskEnded& e) const {
    return "TaskEnded " + e.container.text + Attempt(e.attempt);
  }
  std::string operator()(const core::TaskProgressed& e) const {
    return "TaskProgressed " + e.container.text + Attempt(e.attempt) + ": " + core::ToText(e.progress);
  }
  std::string operator()(const core::TaskServes& e) const {
    return "TaskServes " + e.container.text + Attempt(e.attempt);
  }
  std::string operator()(const core::TaskSaving& e) const {
    return "TaskSaving " + e.container.text + Attempt(e.attempt);
  }
  std::string operator()(const core::TaskHung& e) const {
    return "TaskHung " + e.container.text + Attempt(e.attempt) + " since " + FormatInstant(e.since);
  }
  std::string operator()(const core::StackSampled& e) const {
    return "StackSampled " + e.container.text + Attempt(e.attempt) + " in " + e.stack;
  }
  std::string operator()(const core::RendezvousReported& e) const {
    static const char* const kSteps[] = {"ready", "joined", "rejoining", "unreachable"};
    return "RendezvousReported " + TaskName(spec, e.task) + Attempt(e.attempt) + " " +
           kSteps[static_cast<size_t>(e.step)];
  }
  std::string operator()(const core::ScaleRequested& e) const {
    return "ScaleRequested " + Role(e.role) + "=" + std::to_string(e.instances);
  }
  std::string operator()(const core::StopRequested& e) const {
    return "StopRequested by " + e.by + (e.grace ? " grace " + Seconds(*e.grace) : "");
  }
  std::string operator()(const core::Ticked&) const { return "Ticked"; }
  std::string operator()(const core::OrdersDelayed& e) const { return "OrdersDelayed until " + FormatInstant(e.until); }
  std::string operator()(const core::TokensIssued& e) const {
    return "TokensIssued until " + FormatInstant(e.until) + " by " + e.by;
  }
  std::string operator()(const core::TensorBoardReported& e) const { return "TensorBoardReported " + e.url + e.advice; }
  std::string operator()(const core::FinishPrepared&) const { return "FinishPrepared"; }
};

struct ActionText {
  const jobspec::JobSpec& spec;

  std::string operator()(const core::RequestContainers& a) const {
    std::string text = "RequestContainers";
    for (const auto& ask : a.asks) {
      text += " " + spec.roles[static_cast<size_t>(ask.role)].name + "=" + std::to_string(ask.count);
    }
    return text + (a.together ? " together" : "");
  }
  std::string operator()(const core::CancelRequests&) const { return "CancelRequests"; }
  std::string operator()(const core::LaunchExecutor& a) const {
    return "LaunchExecutor " + a.container.text + " for " + TaskName(spec, a.task);
  }
  std::string operator()(const core::ReleaseContainer& a) const {
    return "ReleaseContainer " + a.container.text + (a.replaced ? " replaced" : "");
  }
  std::string operator()(const core::KillContainer& a) const { return "KillContainer " + a.container.text; }
  std::string operator()(const core::StartTask& a) const {
    return "StartTask " + TaskName(spec, a.task) + " as " + std::to_string(a.slot) + " in " + a.container.text +
           " attempt " + std::to_string(a.attempt) + " generation " + std::to_string(a.generation);
  }
  std::string operator()(const core::StopTask& a) const {
    return "StopTask in " + a.container.text + " attempt " + std::to_string(a.attempt) + " grace " + Seconds(a.grace) +
           " to " + Seconds(a.limit) + (a.probe_first ? " after a probe" : "");
  }
  std::string operator()(const core::RequestRendezvous& a) const {
    return "RequestRendezvous " + TaskName(spec, a.task) + " attempt " + std::to_string(a.attempt);
  }
  std::string operator()(const core::Rejoin& a) const {
    return "Rejoin " + TaskName(spec, a.task) + " as " + std::to_string(a.slot) + " attempt " +
           std::to_string(a.attempt) + " generation " + std::to_string(a.generation);
  }
  std::string operator()(const core::AvoidNode& a) const { return "AvoidNode " + a.node + " for " + Seconds(a.limit); }
  std::string operator()(const core::Record& a) const { return "Record " + ToText(a.change); }
  std::string operator()(const core::PrepareFinish&) const { return "PrepareFinish"; }
  std::string operator()(const core::FinishJob& a) const {
    return "FinishJob " + std::string(core::ToText(a.state)) + " exit code " + std::to_string(a.exit_code);
  }
};

struct ChangeText {
  static std::string Why(const std::optional<std::string>& reason) { return reason ? " “" + *reason + "”" : ""; }

  std::string operator()(const core::JobSubmitted& c) const { return "JobSubmitted " + c.id; }
  std::string operator()(const core::JobChanged& c) const {
    static const char* const kTypes[] = {"am started",     "waiting",  "running",     "recovering",
                                         "stop requested", "stopping", "tensorboard", "finished"};
    std::string text = std::string("job ") + kTypes[static_cast<size_t>(c.type)];
    if (c.state) text += " " + std::string(core::ToText(*c.state));
    if (c.generation) text += " generation " + std::to_string(*c.generation);
    return text + Why(c.reason);
  }
  std::string operator()(const core::TaskChanged& c) const {
    static const char* const kTypes[] = {"pending", "allocated",     "ready",   "started", "serves",
                                         "exited",  "lost",          "stopped", "removed", "progressed",
                                         "hung",    "stack sampled", "rejoined"};
    std::string text = TaskText(c.role, c.index) + " " + kTypes[static_cast<size_t>(c.type)] + " " +
                       std::string(core::ToText(c.state)) + " attempt " + std::to_string(c.attempt);
    return text + (c.exit ? " " + ToText(*c.exit) : "") + Why(c.reason);
  }
  std::string operator()(const core::RoleScaled& c) const {
    return c.role + " scaled from " + std::to_string(c.from) + " to " + std::to_string(c.to);
  }
  std::string operator()(const core::ContainerChanged& c) const {
    static const char* const kTypes[] = {"granted", "of the application master granted", "released"};
    return "container " + c.container + " " + kTypes[static_cast<size_t>(c.type)];
  }
  std::string operator()(const core::TokensChanged& c) const {
    static const char* const kTypes[] = {"issued", "renewed", "expiring"};
    return std::string("tokens ") + kTypes[static_cast<size_t>(c.type)] + " until " + FormatInstant(c.until);
  }
};

}  // namespace

std::string TaskName(const jobspec::JobSpec& spec, TaskId task) {
  return task.Text(spec.roles[static_cast<size_t>(task.role)].name);
}
std::string ToText(const jobspec::JobSpec& spec, const core::Event& event) {
  return std::visit(EventText{spec}, event);
}
std::string ToText(const jobspec::JobSpec& spec, const core::Action& action) {
  return std::visit(ActionText{spec}, action);
}
std::string ToText(const core::Change& change) { return std::visit(ChangeText{}, change); }

}  // namespace howdah::testing::sim
