#include "digest.h"

namespace howdah::testing::sim {

struct Digester {
  Digest& d;

  void operator()(const core::RequestContainers& a) { d.All(a.asks, a.together); }
  void operator()(const core::CancelRequests&) {}
  void operator()(const core::LaunchExecutor& a) { d.All(a.container.text, a.task.role, a.task.index); }
  void operator()(const core::ReleaseContainer& a) { d.All(a.container.text, a.replaced); }
  void operator()(const core::KillContainer& a) { d.Put(a.container.text); }
  void operator()(const core::StartTask& a) {
    d.All(a.container.text, a.task.role, a.task.index, a.attempt, a.generation);
  }
  void operator()(const core::RequestRendezvous& a) { d.All(a.task.role, a.task.index, a.attempt); }
  void operator()(const core::Rejoin& a) { d.All(a.task.role, a.task.index, a.attempt, a.generation, a.slot); }
  void operator()(const core::AvoidNode& a) { d.All(a.node, a.limit.count()); }
  void operator()(const core::StopTask& a) {
    d.All(a.container.text, a.attempt, a.grace.count(), a.limit.count(), a.probe_first);
  }
  void operator()(const core::Record& a) {
    d.Put(a.change.index());
    std::visit(*this, a.change);
  }
  void operator()(const core::PrepareFinish&) {}
  void operator()(const core::FinishJob& a) { d.All(a.state, a.exit_code); }

  void operator()(const core::JobSubmitted& c) { d.Put(c.id); }
  void operator()(const core::JobChanged& c) {
    d.All(c.type, c.state, c.generation, c.am_attempt, c.reason, c.advice, c.cause, c.exit_code, c.tracking_url,
          c.tensorboard_url);
  }
  void operator()(const core::TaskChanged& c) {
    d.All(c.type, c.role, c.index, c.state, c.attempt, c.generation, c.node, c.container, c.host, c.port, c.ranks,
          c.pids, c.exit, c.reason, c.advice, c.started, c.finished, c.progress);
  }
  void operator()(const core::RoleScaled& c) { d.All(c.role, c.from, c.to, c.by); }
  void operator()(const core::TokensChanged& c) { d.All(c.type, c.until, c.by); }
  void operator()(const core::ContainerChanged& c) { d.All(c.type, c.container, c.node, c.since); }
};

void Digest::Add(Instant time, const core::Action& action) {
  if (std::holds_alternative<core::PrepareFinish>(action)) return;  // its FinishPrepared has the same time
  Put(time);
  Put(action.index());
  std::visit(Digester{*this}, action);
}

}  // namespace howdah::testing::sim
