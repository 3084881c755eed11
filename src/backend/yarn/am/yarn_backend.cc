#include "yarn_backend.h"

#include <iostream>
#include <utility>

#include "am_attempts.h"
#include "container_environment.h"
#include "container_exit.h"
#include "howdah/backend/yarn/container_exit_status.h"
#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/backend/yarn/token_lifetime.h"
#include "howdah/base/host_port.h"
#include "howdah/hadoop/rpc/token_proto.h"
#include "keytab_renewer.h"
#include "launch_context.h"
#include "scheduler_options.h"
#include "task_credentials.h"

namespace howdah::backend::yarn::am {
namespace {

using namespace std::chrono_literals;

hadoop::yarn::ContainerId IdOf(const ContainerId& id) {
  return hadoop::yarn::ParseContainerId(id.text).value_or(hadoop::yarn::ContainerId());
}

ContainerId IdOf(const ::hadoop::yarn::ContainerIdProto& id) {
  return {hadoop::yarn::ToText(hadoop::yarn::FromProto(id))};
}

// Whether an earlier AM has registered, in this attempt or before it. restored: as for YarnBackend.
bool HasEarlierAm(const YarnBackend::Options& options,
                  const std::optional<ResourceManagerCheckpoint::State>& restored) {
  return restored.has_value() || options.own_container.attempt.attempt > 1;
}

hadoop::yarn::SchedulerOptions RegistrationOf(const YarnBackend::Options& options, bool has_earlier_am) {
  const auto address = ParseHostPort(options.am_address);
  auto registration = SchedulerOptionsOf(options.configuration, address.ok() ? *address : HostPort());
  registration.tracking_url = options.tracking_url;
  registration.allocation.inherits_blacklist = has_earlier_am;
  return registration;
}

const jobspec::RoleSpec& RoleOf(const jobspec::JobSpec& spec, int role) {
  return spec.roles[static_cast<size_t>(role)];
}

// Whether NodeManagers store the logs of containers in the cluster's file system.
bool AggregatesLogs(const YarnBackend::Options& options) {
  const auto enabled = options.configuration.Bool("yarn.log-aggregation-enable", false);
  return enabled.ok() && *enabled;
}

// Orders the executor to store its logs, because its node is being decommissioned.
void KeepLogsOf(backend::Sink& sink, const YarnBackend::Options& options, const ContainerId& id) {
  if (!AggregatesLogs(options)) sink.OnEvent(backend::LogsEndangered{id});
}

GangGate::Options GateOptionsOf(const YarnBackend::Options& options) {
  return {.job = options.start.job,
          .label = options.start.node_label,
          .attempt = options.own_container.attempt,
          .may_step_aside = MayBeRestarted(options.spec, options.configuration)};
}

// Reports a container that is being released because the job does not need it.
void ReportSurplus(backend::Sink& sink, const ::hadoop::yarn::ContainerProto& container) {
  const ContainerId id = IdOf(container.id());
  sink.OnEvent(core::ContainerGranted{id, -1, container.nodeid().host(), GrantedResources(container.resource(), "")});
  sink.OnEvent(core::ContainerExited{.container = id});
}

// Gives up containers of an earlier AM that the ResourceManager has not reported. It may have them nevertheless, so
// they are released, and none of them runs beside its replacement.
void GiveUp(backend::Sink& sink, hadoop::yarn::Scheduler& scheduler, const std::vector<backend::Inherited>& missing) {
  for (const backend::Inherited& one : missing) {
    scheduler.AdoptSurplus(IdOf(one.container), /*node=*/"");
    sink.OnEvent(core::ContainerExited{.container = one.container,
                                       .how = "container ended while no application master was running",
                                       .infrastructure = true});
  }
}

hadoop::rpc::Credentials TokensForExecutors(const YarnBackend::Options& options) {
  hadoop::rpc::Credentials tokens = ExecutorCredentials(*options.credentials->Get(), options.spec.tokens);
  tokens.secrets.clear();
  return tokens;
}

std::string EncodedForExecutors(const YarnBackend::Options& options) {
  hadoop::rpc::Credentials all = ExecutorCredentials(*options.credentials->Get(), options.spec.tokens);
  if (HasNewerTokens()) {
    EmbedFile(all, EmbedFor::kAll, kNewerTokens, hadoop::rpc::WriteCredentials(TokensForExecutors(options)));
  }
  return hadoop::rpc::WriteCredentials(all);
}

// Reports the tokens of the job's credentials, if there are any.
void ReportTokens(backend::Sink& sink, const YarnBackend::Options& options) {
  const auto present = options.credentials->Get();
  auto issued = LifetimeOf(*present);
  if (!issued) return;
  if (HasKeytab()) issued->by = core::kRenewedByKeytab;
  sink.OnEvent(
      backend::TokensInUse{*issued, issued->renewed ? hadoop::rpc::WriteCredentials(TokensForExecutors(options)) : ""});
}

}  // namespace

YarnBackend::YarnBackend(boost::asio::io_context& loop, backend::Sink& sink, Options options,
                         std::unique_ptr<hadoop::yarn::SchedulerCalls> calls, ResourceManagerCheckpoint checkpoint,
                         std::optional<ResourceManagerCheckpoint::State> restored)
    : sink_(sink),
      options_(std::move(options)),
      executor_credentials_(EncodedForExecutors(options_)),
      token_(options_.am_rm_token),
      scheduler_(loop, std::move(calls), *this, RegistrationOf(options_, HasEarlierAm(options_, restored))),
      containers_(loop, options_.spec.timeouts.register_,
                  {.on_starting =
                       [this](const auto& id, const auto& progress) {
                         sink_.OnEvent(core::ContainerStarting{id, progress});
                       },
                   .on_start_failed = [this](const auto& id, const Error& error) { OnStartFailed(id, error); },
                   .on_stop_timeout =
                       [this](const ContainerId& id) {
                         // Release the container, so that the ResourceManager orders its node to stop it as soon as the
                         // node is reachable again.
                         scheduler_.Release(IdOf(id));
                         Remove(id, "node did not respond to the request to stop the container",
                                /*infrastructure=*/true);
                       },
                   .on_left =
                       [this](const auto& id) {
                         scheduler_.NodeSucceeded(containers_.Find(id)->node);
                         sink_.OnEvent(core::ContainerExited{.container = id});
                       }}),
      departure_(scheduler_, containers_,
                 {.container = options_.own_container,
                  .host = options_.own_host,
                  .may_leave = MayBeRestarted(options_.spec, options_.configuration),
                  .store = options_.store_state}),
      requests_(
          loop, scheduler_, sink_, options_.clock,
          {.start = options_.start,
           .spec = options_.spec,
           .gate = GateOptionsOf(options_),
           .open_cluster =
               [this] { return HadoopClient(options_.configuration, options_.start.user, options_.credentials); },
           .step_aside =
               [this] {
                 return departure_.Leave("a job that is ahead in the queue lacks only the room of this container");
               }}),
      preemptors_(loop, HadoopClient(options_.configuration, options_.start.user, options_.credentials),
                  options_.start.job),
      am_container_(loop, HadoopClient(options_.configuration, options_.start.user, options_.credentials),
                    options_.own_container, options_.start.node_label,
                    [this](const core::AmContainerReported& found) { sink_.OnEvent(found); }),
      nodes_(loop, scheduler_, HadoopClient(options_.configuration, options_.start.user, options_.credentials),
             {options_.start, options_.spec, HasEarlierAm(options_, restored)}),
      checkpoint_(std::move(checkpoint)),
      earlier_{.restored = std::move(restored), .inherited = {}, .missing = {}},
      registered_(earlier_.restored.has_value()) {
  if (earlier_.restored) {
    for (const auto& token : earlier_.restored->nm_tokens) containers_.AddToken(token);
    scheduler_.Resume(earlier_.restored->response_id);
  } else {
    scheduler_.Register();
  }
}

void YarnBackend::Inherit(const std::vector<backend::Inherited>& containers, int) {
  if (!earlier_.restored) {
    earlier_.inherited = containers;
    return;
  }
  const Takeover takeover = TakeOver(containers, *std::exchange(earlier_.restored, std::nullopt));
  Apply(takeover);
  ReportTokens(sink_, options_);  // the earlier process may not have passed them on
  GiveUp(sink_, scheduler_, takeover.missing);
}

void YarnBackend::Apply(const Takeover& takeover) {
  for (const auto& [inherited, proto] : takeover.running) {
    ContainerTable::Container& container = containers_.Add(inherited.container);
    container.proto = proto;
    container.node = scheduler_.allocation().NameOf(proto.nodeid());
    container.label = NodeLabel(options_.spec, RoleOf(options_.spec, inherited.role));
    container.launched = container.started = inherited.task.has_value();
    if (container.launched) requests_.Complete();
    scheduler_.Adopt(inherited.role, ShapeOf(options_.spec, inherited.role), hadoop::yarn::FromProto(proto.id()),
                     container.node);
    // The ResourceManager reports the state of a node only once to the AMs of a job.
    if (inherited.node_leaves) KeepLogsOf(sink_, options_, inherited.container);
  }
  for (const auto& [inherited, status] : takeover.ended) {
    const std::string label = NodeLabel(options_.spec, RoleOf(options_.spec, inherited.role));
    ReportExit(inherited.container, status, label, /*preemptor=*/"");
  }
  for (const auto& proto : takeover.surplus) {
    scheduler_.AdoptSurplus(hadoop::yarn::FromProto(proto.id()), scheduler_.allocation().NameOf(proto.nodeid()));
    ReportSurplus(sink_, proto);
  }
}

bool YarnBackend::Defer(std::function<void()> order) {
  if (!registered_) deferred_.push_back(std::move(order));
  return !registered_;
}

void YarnBackend::OnRegistered(const std::optional<::hadoop::yarn::RegisterApplicationMasterResponseProto>& answer) {
  // Only this answer lists the containers of earlier attempts, and only it has the tokens of their nodes, without which
  // no container can be started there. The ResourceManager sends both to the next attempt.
  const bool lacks_containers = !answer && !earlier_.inherited.empty();
  if (lacks_containers && departure_.Leave("the ResourceManager's answer to its registration was lost")) return;
  const auto response = answer.value_or(::hadoop::yarn::RegisterApplicationMasterResponseProto());
  // Give up this AM if an answer cannot be saved, here or in OnAnswer, because the next AM process could not recover.
  if (const Status saved = checkpoint_.Save(response); !saved.ok()) sink_.OnLost(saved.error());
  for (const auto& token : response.nm_tokens_from_previous_attempts()) containers_.AddToken(token);
  Takeover takeover = TakeOver(std::exchange(earlier_.inherited, {}), response);
  Apply(takeover);
  earlier_.missing = std::move(takeover.missing);
  registered_ = true;
  requests_.OnRegistered(response);
  ReportTokens(sink_, options_);
  for (const auto& order : std::exchange(deferred_, {})) order();
}

void YarnBackend::OnAnswer(const ::hadoop::yarn::AllocateResponseProto& response) {
  // An AM that leaves in OnRegistered saves nothing, so that another process of the attempt leaves, too.
  const Status saved = registered_ ? checkpoint_.Save(response) : Status();
  if (!saved.ok()) sink_.OnLost(saved.error());
  if (earlier_.restored) Inherit({}, 0);  // Inherit was not called, because the job has recorded no containers
  for (const auto& token : response.nm_tokens()) containers_.AddToken(token);
  const Takeover takeover = TakeOverMissing(std::exchange(earlier_.missing, {}), response);
  Apply(takeover);
  GiveUp(sink_, scheduler_, takeover.missing);
  requests_.OnAnswer(response);
  if (response.has_am_rm_token()) token_ = hadoop::rpc::FromProto(response.am_rm_token());
  for (const auto& report : response.updated_nodes()) {
    if (report.node_state() != ::hadoop::yarn::NS_DECOMMISSIONING) continue;
    for (const ContainerId& id : containers_.OnNode(scheduler_.allocation().NameOf(report.nodeid()))) {
      KeepLogsOf(sink_, options_, id);
      sink_.OnEvent(core::ReclaimAnnounced{.container = id, .why = "its node is being decommissioned"});
    }
  }
  nodes_.OnAnswer(response);
  departure_.OnAnswer(response);
  const auto& preempt = response.preempt();
  for (const auto& container : preempt.strictcontract().container()) WarnPreempted(container);
  for (const auto& container : preempt.contract().container()) WarnPreempted(container);
}

void YarnBackend::Request(const core::RequestContainers& request) { requests_.Ask(request); }

void YarnBackend::CancelRequests() { requests_.CancelAll(); }

void YarnBackend::OnGranted(const hadoop::yarn::Allocation::Granted& granted) {
  if (granted.shape < 0) return ReportSurplus(sink_, granted.container);
  const ContainerId id = IdOf(granted.container.id());
  ContainerTable::Container& container = containers_.Add(id);
  container.proto = granted.container;
  container.node = granted.node;
  container.label = NodeLabel(options_.spec, RoleOf(options_.spec, granted.shape));
  UpdateExpectations();
  sink_.OnEvent(core::ContainerGranted{id, granted.shape, granted.container.nodeid().host(),
                                       GrantedResources(granted.container.resource(), container.label)});
}

void YarnBackend::Launch(const ContainerId& id, const TaskId& task) {
  if (Defer([this, id, task] { Launch(id, task); })) return;
  requests_.Complete();
  const std::string& role = RoleOf(options_.spec, task.role).name;
  containers_.Launch(id, LaunchContext(options_.start, executor_credentials_, options_.spec.access,
                                       {id, role, task.index, options_.am_address}));
}

Result<backend::Backend::ReplacedTokens> YarnBackend::ReplaceTokens(const std::string& tokens) {
  HOWDAH_TRY(const auto newer, hadoop::rpc::ParseCredentials(tokens));
  const auto issued = LifetimeOf(newer);
  const auto present = options_.credentials->Get();
  const auto lifetime = LifetimeOf(*present);
  if (!issued || !lifetime) {
    return Error{ErrorCode::kUnavailable, "the job has no tokens, because its cluster does not use Kerberos"};
  }
  if (issued->until <= lifetime->until) return ReplacedTokens{lifetime->until, false};
  HOWDAH_TRY_STATUS(WriteNewerTokens(newer));
  options_.credentials->Replace(WithNewerTokens(*present, newer));
  executor_credentials_ = EncodedForExecutors(options_);
  ReportTokens(sink_, options_);
  return ReplacedTokens{issued->until, true};
}

void YarnBackend::OnStartFailed(const ContainerId& id, const Error& error) {
  const ContainerTable::Container& container = *containers_.Find(id);
  const bool releasing = container.releasing;
  // After a failover, the ResourceManager does not know containers that were not running. The node is not the cause.
  const bool outdated = hadoop::yarn::IsGrantOutdated(error);
  if (!releasing && !outdated) scheduler_.NodeFailed(container.node);
  scheduler_.Release(IdOf(id));
  const std::string how = outdated
                              ? "container was granted before the ResourceManager failed over or restarted, and was "
                                "not running by then"
                              : DescribeStartFailure(error.message);
  Remove(id, releasing ? "" : how, /*infrastructure=*/outdated);
}

void YarnBackend::OnCompleted(const hadoop::yarn::Allocation::Completed& completed) {
  const ContainerId id = IdOf(completed.status.container_id());
  const ContainerTable::Container* container = containers_.Find(id);
  if (container == nullptr) return;
  const int status = completed.status.exit_status();
  const ContainerExitMeaning meaning = MeaningOf(status);
  if (meaning.status == ContainerExitStatus::kInvalid || meaning.status == ContainerExitStatus::kDisksFailed) {
    // The container ended before its files were localized, so the node may be the cause.
    scheduler_.NodeFailed(container->node);
  } else if (container->started && status >= 0) {
    // Count the node as working only if an executor has run there. Accepting a container is not enough.
    scheduler_.NodeSucceeded(container->node);
  }
  if (container->left) return Remove(id, "", /*infrastructure=*/false);
  const bool releasing = container->releasing;
  const std::string label = container->label, preemptor = container->preemptor;
  containers_.Remove(id);
  UpdateExpectations();
  if (releasing) {
    return sink_.OnEvent(
        core::ContainerExited{.container = id, .infrastructure = !meaning.charged, .preempted = meaning.preempted});
  }
  ReportExit(id, completed.status, label, preemptor);
}

void YarnBackend::WarnPreempted(const ::hadoop::yarn::PreemptionContainerProto& container) {
  const ContainerId id = IdOf(container.id());
  const ContainerTable::Container* held = containers_.Find(id);
  if (held == nullptr || held->releasing) return;
  preemptors_.Find(held->label, [this, id](const std::string& preemptor) {
    ContainerTable::Container* held = containers_.Find(id);
    if (held == nullptr || held->releasing) return;
    if (!preemptor.empty()) held->preemptor = preemptor;
    sink_.OnEvent(
        core::ReclaimAnnounced{.container = id, .why = DescribePreemptionWarning(preemptor), .preempted = true});
  });
}

void YarnBackend::ReportExit(const ContainerId& id, const ::hadoop::yarn::ContainerStatusProto& status,
                             const std::string& label, const std::string& preemptor) {
  const ContainerExitMeaning meaning = MeaningOf(status.exit_status());
  const auto report = [this, id, status, meaning](const std::string& preemptor) {
    sink_.OnEvent(core::ContainerExited{.container = id,
                                        .how = DescribeExit(status, preemptor),
                                        .infrastructure = !meaning.charged,
                                        .preempted = meaning.preempted,
                                        .refused = meaning.charged && IsRefusedByCluster(status)});
  };
  if (meaning.status != ContainerExitStatus::kPreempted || !preemptor.empty()) return report(preemptor);
  preemptors_.Find(label, report);
}

void YarnBackend::Avoid(const std::string& node, Duration limit) { scheduler_.Avoid(node, limit); }

void YarnBackend::Connected(const ContainerId& id) { containers_.Connected(id); }

void YarnBackend::Release(const ContainerId& id) {
  if (Defer([this, id] { Release(id); })) return;
  const ContainerTable::Container* container = containers_.Find(id);
  if (container == nullptr) return;
  containers_.MarkReleasing(id);
  if (container->launched) return UpdateExpectations();
  scheduler_.Release(IdOf(id));
  Remove(id, "", /*infrastructure=*/false);
}

void YarnBackend::Kill(const ContainerId& id) {
  if (Defer([this, id] { Kill(id); })) return;
  const ContainerTable::Container* container = containers_.Find(id);
  if (container == nullptr) return;
  if (!container->launched) return Release(id);
  UpdateExpectations();
  containers_.Stop(id);
}

void YarnBackend::Remove(const ContainerId& id, const std::string& how, bool infrastructure) {
  const ContainerTable::Container* container = containers_.Find(id);
  const bool left = container != nullptr && container->left;
  containers_.Remove(id);
  UpdateExpectations();
  if (left) return;
  sink_.OnEvent(core::ContainerExited{.container = id, .how = how, .infrastructure = infrastructure});
}

void YarnBackend::UpdateExpectations() {
  requests_.Update();
  // Heartbeats report the ends of containers, so send them frequently while an end is expected.
  scheduler_.SetExpecting(containers_.any_releasing());
}

void YarnBackend::OnRejected(const Error& error, const std::map<int, int>& containers) {
  if (requests_.OnRejected(error, containers)) return;
  sink_.OnEvent(
      core::RequestsRefused{"the cluster can never grant these containers: " + hadoop::yarn::FirstLine(error.message)});
}

void YarnBackend::OnUnreachable(const std::string& why) {
  if (!why.empty()) std::cerr << why << "; the job continues\n";
}

void YarnBackend::OnLost(const Error& error) { sink_.OnLost(error); }

void YarnBackend::Finish(const core::JobChanged& final, const std::string& journal) {
  scheduler_.Stop();
  options_.on_finish(final, journal, token_);
}

}  // namespace howdah::backend::yarn::am
