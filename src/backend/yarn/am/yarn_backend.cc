#include "yarn_backend.h"

#include <iostream>
#include <utility>

#include "howdah/backend/yarn/container_exit.h"
#include "howdah/hadoop/yarn/token.h"
#include "launch_context.h"

namespace howdah::backend::yarn::am {
namespace {

using namespace std::chrono_literals;

// How long an executor that was told to leave may take; then how long its node may take to say that it has ended.
constexpr auto kLeaveLimit = std::chrono::duration_cast<std::chrono::milliseconds>(backend::kLingerLimit) + 500ms;
// After which a start is slow enough to be worth a question and a line.
constexpr Duration kFirstFactsAfter = 10s;
constexpr auto kGoneLimit = 8000ms;
// ContainerExitStatus.INVALID and DISKS_FAILED.
constexpr int kNotStarted = -1000, kDisksFailed = -101;

hadoop::yarn::ContainerId IdOf(const ContainerId& id) {
  return hadoop::yarn::ParseContainerId(id.text).value_or(hadoop::yarn::ContainerId());
}

hadoop::yarn::SchedulerOptions SchedulerOptionsOf(const YarnBackend::Options& options) {
  hadoop::yarn::SchedulerOptions scheduler;
  const size_t colon = options.am_address.rfind(':');
  scheduler.host = options.am_address.substr(0, colon);
  scheduler.rpc_port = std::atoi(options.am_address.c_str() + colon + 1);
  scheduler.tracking_url = options.tracking_url;
  const auto expiry =
      options.configuration.Time("yarn.am.liveness-monitor.expiry-interval-ms", std::chrono::minutes(10));
  if (expiry.ok()) scheduler.expiry = *expiry;
  const auto ports = options.configuration.Bool("yarn.scheduler.include-port-in-node-name", false);
  scheduler.allocation.ports_in_names = ports.ok() && *ports;
  return scheduler;
}

std::vector<hadoop::yarn::KnownNode> NodesOf(const YarnAmStart& start, const hadoop::yarn::Allocation& allocation) {
  std::vector<hadoop::yarn::KnownNode> nodes;
  for (const CandidateNode& node : start.nodes) {
    nodes.push_back({allocation.NameOf(hadoop::yarn::ToProto(hadoop::yarn::NodeId{node.host, node.port})), node.rack,
                     node.label, node.total});
  }
  return nodes;
}

}  // namespace

YarnBackend::YarnBackend(boost::asio::io_context& loop, backend::Sink& sink, Options options,
                         std::unique_ptr<hadoop::yarn::Calls> calls, ResourceManagerCheckpoint kept,
                         std::optional<ResourceManagerCheckpoint::Past> past)
    : loop_(loop),
      sink_(sink),
      options_(std::move(options)),
      token_(options_.am_rm_token),
      scheduler_(loop, std::move(calls), *this, SchedulerOptionsOf(options_)),
      node_managers_(loop),
      pending_monitor_(loop, HadoopClient(options_.configuration, options_.start.user, options_.credentials),
                       options_.start.queue, options_.start.node_label,
                       [this](const std::string& reason) { sink_.OnWaiting(reason); }),
      preemptors_(loop, HadoopClient(options_.configuration, options_.start.user, options_.credentials),
                  options_.start.job),
      checkpoint_(std::move(kept)),
      past_(std::move(past)),
      registered_(past_.has_value()) {
  scheduler_.SetNodes(NodesOf(options_.start, scheduler_.allocation()));
  if (past_) {
    for (const auto& token : past_->nm_tokens) node_managers_.AddToken(token);
    scheduler_.Resume(past_->response_id);
  } else {
    scheduler_.Register();
  }
}

YarnBackend::~YarnBackend() = default;

std::string YarnBackend::RoleLabel(int role) const {
  return NodeLabel(options_.spec, options_.spec.roles[static_cast<size_t>(role)]);
}

hadoop::yarn::Shape YarnBackend::RoleShape(int role) const {
  const jobspec::RoleSpec& of_role = options_.spec.roles[static_cast<size_t>(role)];
  hadoop::yarn::Shape shape;
  shape.resource = ContainerSize(of_role);
  shape.label = RoleLabel(role);
  shape.nodes = of_role.locality.nodes;
  shape.racks = of_role.locality.racks;
  shape.strict = of_role.locality.strict;
  shape.max_per_node = of_role.max_per_node;
  return shape;
}

void YarnBackend::Request(const core::RequestContainers& request) {
  for (const auto& ask : request.asks) scheduler_.Ask(ask.role, RoleShape(ask.role), ask.count);
  Expect();
}

void YarnBackend::CancelRequests() {
  scheduler_.CancelAll();
  Expect();
}

void YarnBackend::OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) {
  Keep(checkpoint_.Keep(response));
  if (past_) InheritKept({});  // that process had not told its job of anything
  for (const auto& token : response.nm_tokens()) node_managers_.AddToken(token);
  TellMissing(response);
  if (response.has_limit()) pending_monitor_.SetHeadroom(hadoop::yarn::FromProto(response.limit()));
  if (response.has_am_rm_token()) token_ = hadoop::yarn::FromProto(response.am_rm_token());
  if (response.updated_nodes_size() > 0) UpdateNodes(response);
  const auto& preempt = response.preempt();
  for (const auto& container : preempt.strictcontract().container()) WarnPreempted(container);
  for (const auto& container : preempt.contract().container()) WarnPreempted(container);
}

// A node that is being decommissioned lets its containers run for a while.
void YarnBackend::WarnNode(const std::string& node) {
  std::vector<ContainerId> there;
  for (const auto& [id, held] : containers_) {
    if (held.node == node && !held.leaving) there.push_back(id);
  }
  for (const ContainerId& id : there)
    sink_.OnEvent(core::ReclaimAnnounced{.container = id, .why = "its node is being decommissioned"});
}

void YarnBackend::UpdateNodes(const ::hadoop::yarn::AllocateResponseProto& response) {
  std::vector<hadoop::yarn::KnownNode> nodes = scheduler_.allocation().nodes();
  for (const auto& report : response.updated_nodes()) {
    const std::string name = scheduler_.allocation().NameOf(report.nodeid());
    std::erase_if(nodes, [&](const hadoop::yarn::KnownNode& node) { return node.name == name; });
    if (report.node_state() == ::hadoop::yarn::NS_DECOMMISSIONING) WarnNode(name);
    if (report.node_state() != ::hadoop::yarn::NS_RUNNING) continue;
    nodes.push_back({name, report.rackname(), report.node_labels_size() > 0 ? report.node_labels(0) : "",
                     hadoop::yarn::FromProto(report.capability())});
  }
  scheduler_.SetNodes(std::move(nodes));
}

void YarnBackend::OnGranted(const hadoop::yarn::Allocation::Granted& granted) {
  const ContainerId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(granted.container.id()))};
  Held& held = containers_.try_emplace(id, loop_).first->second;
  held.proto = granted.container;
  held.node = granted.node;
  held.label = RoleLabel(granted.shape);
  Expect();
  sink_.OnEvent(core::ContainerGranted{id, granted.shape, granted.container.nodeid().host()});
}

void YarnBackend::Launch(const ContainerId& id, const TaskId& task) {
  if (Defer([this, id, task] { Launch(id, task); })) return;
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  it->second.launched = true;
  const std::string& role = options_.spec.roles[static_cast<size_t>(task.role)].name;
  node_managers_.Start(it->second.proto,
                       LaunchContext(options_.start, options_.credentials, {id, role, task.index, options_.am_address}),
                       [this, id](const Status& started) { OnStarted(id, started); });
}

void YarnBackend::OnStarted(const ContainerId& id, const Status& started) {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  if (started.ok()) {
    it->second.started = true;
    if (it->second.stopped) return Stop(id);  // there was nothing to be stopped before
    return LookHowFar(id);
  }
  const bool wanted = !it->second.leaving;
  if (wanted) scheduler_.NodeFailed(it->second.node);
  scheduler_.Release(IdOf(id));
  Gone(id, wanted ? DescribeStartFailure(started.error().message) : "", /*excused=*/false);
}

void YarnBackend::OnCompleted(const hadoop::yarn::Allocation::Completed& completed) {
  const ContainerId id{hadoop::yarn::ToText(hadoop::yarn::FromProto(completed.status.container_id()))};
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  // It was not even localized: the node may be the reason. A NodeManager that takes a container has shown nothing yet,
  // an executor that has run has.
  const int status = completed.status.exit_status();
  if (status == kNotStarted || status == kDisksFailed) {
    scheduler_.NodeFailed(it->second.node);
  } else if (it->second.started && status >= 0) {
    scheduler_.NodeSucceeded(it->second.node);
  }
  const bool leaving = it->second.leaving;
  const std::string label = it->second.label, preemptor = it->second.preemptor;
  Forget(id);
  if (leaving) return sink_.OnExited(id, "", IsExcused(status), WasTaken(status));
  TellEnded(id, completed.status, label, preemptor);
}

void YarnBackend::Avoid(const std::string& node, Duration limit) { scheduler_.Avoid(node, limit); }

void YarnBackend::Connected(const ContainerId& id) {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  it->second.connected = true;
  it->second.look.cancel();
}

void YarnBackend::LookHowFar(const ContainerId& id) {
  Held& held = containers_.at(id);
  if (held.connected || held.leaving || held.stopped) return;
  // Seldom enough for big jobs, and once at least before the time is over.
  const Duration pause =
      std::max(held.looked_after, std::min<Duration>(kFirstFactsAfter, options_.spec.timeouts.register_ * 3 / 4));
  held.looked_after += pause;
  held.look.expires_after(pause);
  held.look.async_wait([this, id](const boost::system::error_code& error) {
    const auto it = containers_.find(id);
    if (error || it == containers_.end() || it->second.connected) return;
    node_managers_.Ask(hadoop::yarn::FromProto(it->second.proto.nodeid()), IdOf(id),
                       [this, id](const auto& status) { OnHowFar(id, status); });
  });
}

void YarnBackend::OnHowFar(const ContainerId& id, const Result<::hadoop::yarn::ContainerStatusProto>& status) {
  const auto it = containers_.find(id);
  if (it == containers_.end() || it->second.connected || it->second.leaving) return;
  if (const std::string how_far = DescribeStartProgress(status, it->second.proto.nodeid().host()); !how_far.empty()) {
    sink_.OnStarting(id, "after " + FormatDuration(it->second.looked_after) + " " + how_far);
  }
  LookHowFar(id);
}

void YarnBackend::Release(const ContainerId& id) {
  if (Defer([this, id] { Release(id); })) return;
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  if (!std::exchange(it->second.leaving, true)) ++leaving_;
  if (it->second.launched) {
    Expect();
    return EndAfter(id, kLeaveLimit);
  }
  scheduler_.Release(IdOf(id));
  Gone(id, "", /*excused=*/false);
}

void YarnBackend::Kill(const ContainerId& id) {
  if (Defer([this, id] { Kill(id); })) return;
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  if (!it->second.launched) return Release(id);
  Expect();
  EndAfter(id, 0ms);
}

void YarnBackend::EndAfter(const ContainerId& id, std::chrono::milliseconds wait) {
  boost::asio::steady_timer& patience = containers_.at(id).patience;
  patience.expires_after(wait);
  patience.async_wait([this, id](const boost::system::error_code& error) {
    if (error || !containers_.contains(id)) return;
    Stop(id);
    GiveUpAfter(id, kGoneLimit);
  });
}

// A NodeManager that has not taken the container yet would know nothing of it.
void YarnBackend::Stop(const ContainerId& id) {
  Held& held = containers_.at(id);
  held.stopped = true;
  if (held.started) node_managers_.Stop(hadoop::yarn::FromProto(held.proto.nodeid()), IdOf(id), [](const Status&) {});
}

void YarnBackend::GiveUpAfter(const ContainerId& id, std::chrono::milliseconds wait) {
  boost::asio::steady_timer& patience = containers_.at(id).patience;
  patience.expires_after(wait);
  patience.async_wait([this, id](const boost::system::error_code& error) {
    if (error || !containers_.contains(id)) return;
    // Its node does not answer. The ResourceManager tells it to end the container as soon as it can.
    scheduler_.Release(IdOf(id));
    Gone(id, "its node did not answer when it was to end", /*excused=*/true);
  });
}

void YarnBackend::Forget(const ContainerId& id) {
  const auto it = containers_.find(id);
  if (it->second.leaving) --leaving_;
  containers_.erase(it);
  Expect();
}

void YarnBackend::Gone(const ContainerId& id, const std::string& how, bool excused) {
  Forget(id);
  sink_.OnEvent(core::ContainerExited{.container = id, .how = how, .infrastructure = excused});
}

// Grants and ends are told when the ResourceManager is asked: soon after something has been ordered, at leisure else.
void YarnBackend::Expect() {
  std::vector<PendingContainers> wants;
  for (size_t role = 0; role < options_.spec.roles.size(); ++role) {
    const int count = scheduler_.allocation().outstanding(static_cast<int>(role));
    if (count == 0) continue;
    const jobspec::RoleSpec& of_role = options_.spec.roles[role];
    wants.push_back({of_role.name, count, ContainerSize(of_role), NodeLabel(options_.spec, of_role)});
  }
  pending_monitor_.SetPending(std::move(wants));
  scheduler_.SetExpecting(leaving_ > 0);
}

void YarnBackend::OnRejected(const Error& error) {
  sink_.OnEvent(
      core::RequestsRefused{"the cluster will never give these containers: " + hadoop::yarn::FirstLine(error.message)});
}

void YarnBackend::OnUnreachable(const std::string& why) {
  if (!why.empty()) std::cerr << why << "; the job goes on\n";
}

void YarnBackend::OnLost(const Error& error) { sink_.OnLost(error); }

Status YarnBackend::WriteHistory(const std::string& journal) { return options_.write_history(journal); }

void YarnBackend::Finish(const core::JobChanged& final, const std::string& journal) {
  scheduler_.Stop();
  options_.on_finish(final, journal, token_);
}

}  // namespace howdah::backend::yarn::am
