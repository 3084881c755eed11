#include "logged_event.h"

#include <algorithm>

#include "howdah/base/epoch.h"

namespace howdah::am {
namespace {

int64_t Micros(Instant at) { return at.time_since_epoch().count(); }

template <typename Message>
core::Diagnosis DiagnosisOf(const Message& message) {
  core::Diagnosis diagnosis{message.cause(), message.advice()};
  if (message.has_rule()) diagnosis.rule = message.rule();
  return diagnosis;
}

template <typename Message>
void SetDiagnosis(const core::Diagnosis& diagnosis, Message& message) {
  message.set_cause(diagnosis.cause);
  message.set_advice(diagnosis.advice);
  if (diagnosis.rule) message.set_rule(*diagnosis.rule);
}

// Drops names beyond the limits, because the task's processes may have chosen them.
std::optional<core::LeftFiles> LeftFilesOf(const wire::Ended& message) {
  if (!message.has_left()) return std::nullopt;
  core::LeftFiles left{.count = message.left().count(), .bytes = message.left().bytes()};
  for (const std::string& name : message.left().names()) {
    if (left.names.size() == core::LeftFiles::kMostNames) break;
    if (name.size() <= core::LeftFiles::kLongestName) left.names.push_back(name);
  }
  return left;
}

wire::Resources ToWire(const core::Resources& resources) {
  wire::Resources out;
  out.set_memory_bytes(resources.memory_bytes);
  out.set_vcores(resources.vcores);
  out.set_gpus(resources.gpus);
  out.mutable_others()->insert(resources.others.begin(), resources.others.end());
  out.set_label(resources.label);
  return out;
}

core::Resources FromWire(const wire::Resources& resources) {
  return {resources.memory_bytes(),
          resources.vcores(),
          resources.gpus(),
          {resources.others().begin(), resources.others().end()},
          resources.label()};
}

// Writes an event to its record.
struct Recorder {
  wire::LoggedEvent& record;

  void operator()(const core::AmStarted& e) const {
    wire::AmStartedEvent& out = *record.mutable_am_started();
    out.set_node(e.node);
    out.set_attempt(e.attempt);
    out.set_generation(e.generation);
    out.set_first_task_attempt(e.first_task_attempt);
    out.set_tracking_url(e.tracking_url);
  }
  void operator()(const core::AmResumed& e) const {
    record.mutable_am_resumed()->set_attempt(e.attempt);
    record.mutable_am_resumed()->set_how(e.how);
    record.mutable_am_resumed()->set_tracking_url(e.tracking_url);
  }
  void operator()(const core::ContainerGranted& e) const {
    record.set_container(e.container.text);
    record.mutable_granted()->set_role(e.role);
    record.mutable_granted()->set_node(e.node);
    if (e.granted) *record.mutable_granted()->mutable_granted() = ToWire(*e.granted);
  }
  void operator()(const core::ContainerStarting& e) const {
    record.set_container(e.container.text);
    record.set_starting(e.startup_stage);
  }
  void operator()(const core::ContainerExited& e) const {
    record.set_container(e.container.text);
    record.mutable_exited()->set_how(e.how);
    record.mutable_exited()->set_excused(e.infrastructure);
    record.mutable_exited()->set_refused(e.refused);
    record.set_taken(e.preempted);
  }
  void operator()(const core::AmContainerReported& e) const {
    record.set_container(e.container.text);
    record.mutable_am_container()->set_node(e.node);
    *record.mutable_am_container()->mutable_granted() = ToWire(e.granted);
    record.mutable_am_container()->set_since_micros(Micros(e.since));
  }
  void operator()(const core::ReclaimAnnounced& e) const {
    record.set_container(e.container.text);
    record.set_warned(e.why);
    record.set_taken(e.preempted);
  }
  void operator()(const core::RequestsDelayed& e) const {
    record.set_place_waited(e.reason);
    record.set_queued(e.queued);
  }
  void operator()(const core::RequestsRefused& e) const { record.set_place_refused(e.reason); }
  void operator()(const core::ExecutorRegistered& e) const {
    record.set_container(e.container.text);
    record.mutable_registered()->set_host(e.endpoint.host);
    record.mutable_registered()->set_port(e.endpoint.port);
    record.mutable_registered()->set_attempt(e.attempt);
    record.mutable_registered()->set_callback_address(e.callback);
  }
  void operator()(const core::ExecutorRefused& e) const {
    record.set_container(e.container.text);
    record.set_sent_away(e.why);
  }
  void operator()(const core::HeartbeatReceived&) const {}
  void operator()(const core::ExecutorDisconnected& e) const {
    record.set_container(e.container.text);
    record.set_disconnected(true);
  }
  void operator()(const core::ExecutorStoring& e) const {
    record.set_container(e.container.text);
    record.set_storing(true);
  }
  void operator()(const core::TaskStarted& e) const {
    record.set_container(e.container.text);
    wire::Started& out = *record.mutable_started();
    out.set_attempt(e.attempt);
    for (const int pid : e.pids) out.add_pids(pid);
    out.set_at_micros(Micros(e.at));
    out.set_filling_micros(e.filling.count());
  }
  void operator()(const core::RankExited& e) const {
    record.set_container(e.container.text);
    wire::RankExited& out = *record.mutable_rank_exited();
    out.set_attempt(e.attempt);
    out.set_local_rank(e.local_rank);
    if (e.exit.signal) out.set_signal(*e.exit.signal);
    if (e.exit.code) out.set_code(*e.exit.code);
    out.set_at_micros(Micros(e.at));
    SetDiagnosis(e.diagnosis, out);
    out.set_during_stop(e.during_stop);
    out.set_consequence(e.diagnosis.consequence);
    out.set_node_fault(e.diagnosis.node_fault);
    out.set_no_restart(e.diagnosis.no_restart);
    if (e.result_bytes) out.set_result_bytes(*e.result_bytes);
    for (const auto& [name, value] : e.exports) {
      wire::Variable& variable = *out.add_exports();
      variable.set_name(name);
      variable.set_value(value);
    }
  }
  void operator()(const core::TaskStartFailed& e) const {
    record.set_container(e.container.text);
    wire::StartFailed& out = *record.mutable_start_failed();
    out.set_attempt(e.attempt);
    if (e.exit_code) out.set_code(*e.exit_code);
    out.set_at_micros(Micros(e.at));
    SetDiagnosis(e.diagnosis, out);
  }
  void operator()(const core::TaskEnded& e) const {
    record.set_container(e.container.text);
    record.mutable_ended()->set_attempt(e.attempt);
    record.mutable_ended()->set_at_micros(Micros(e.at));
    if (!e.left_files) return;
    wire::LeftFiles& left = *record.mutable_ended()->mutable_left();
    left.set_count(e.left_files->count);
    left.set_bytes(e.left_files->bytes);
    for (const std::string& name : e.left_files->names) left.add_names(name);
  }
  void operator()(const core::TaskProgressed& e) const {
    record.set_container(e.container.text);
    wire::Progress& out = *record.mutable_progress();
    out.set_attempt(e.attempt);
    out.set_at_micros(Micros(e.progress.at));
    if (e.progress.step) out.set_step(*e.progress.step);
    if (e.progress.checkpoint) out.set_checkpoint(*e.progress.checkpoint);
    if (e.progress.checkpoint_at) out.set_checkpoint_at_micros(Micros(*e.progress.checkpoint_at));
    if (e.progress.steps) out.set_steps(*e.progress.steps);
    if (e.progress.checkpoint_cost) {
      out.set_checkpoints(e.progress.checkpoint_cost->count);
      out.set_checkpointing_micros(e.progress.checkpoint_cost->time.count());
    }
  }
  void operator()(const core::TaskServes& e) const {
    record.set_container(e.container.text);
    record.mutable_serves()->set_attempt(e.attempt);
  }
  void operator()(const core::TaskSaving& e) const {
    record.set_container(e.container.text);
    record.mutable_progress()->set_attempt(e.attempt);
    record.mutable_progress()->set_saving(true);
  }
  void operator()(const core::TaskHung& e) const {
    record.set_container(e.container.text);
    wire::Stalled& out = *record.mutable_stalled();
    out.set_attempt(e.attempt);
    out.set_at_micros(Micros(e.at));
    out.set_since_micros(Micros(e.since));
    out.set_sign(e.activity);
    out.set_where(e.stack);
  }
  void operator()(const core::StackSampled& e) const {
    record.set_container(e.container.text);
    record.mutable_stands()->set_attempt(e.attempt);
    record.mutable_stands()->set_where(e.stack);
  }
  void operator()(const core::RendezvousReported& e) const {
    wire::MeetsEvent& out = *record.mutable_meets();
    out.set_role(e.task.role);
    out.set_index(e.task.index);
    out.set_attempt(e.attempt);
    out.set_step(static_cast<int>(e.step));
  }
  void operator()(const core::ScaleRequested& e) const {
    record.mutable_scale()->set_role(e.role);
    record.mutable_scale()->set_instances(e.instances);
    record.mutable_scale()->set_by(e.by);
  }
  void operator()(const core::StopRequested& e) const {
    record.mutable_stop()->set_by(e.by);
    if (e.grace) record.mutable_stop()->set_grace_micros(e.grace->count());
  }
  void operator()(const core::Ticked&) const { record.set_ticked(true); }
  void operator()(const core::OrdersDelayed& e) const { record.set_orders_delayed_until_micros(Micros(e.until)); }
  void operator()(const core::TokensIssued& e) const {
    record.mutable_tokens()->set_until_micros(Micros(e.until));
    record.mutable_tokens()->set_by(e.by);
    record.mutable_tokens()->set_renewed(e.renewed);
  }
  void operator()(const core::TensorBoardReported& e) const {
    record.mutable_tensorboard()->set_url(e.url);
    record.mutable_tensorboard()->set_advice(e.advice);
  }
  void operator()(const core::FinishPrepared& e) const {
    wire::FinishPreparedEvent& out = *record.mutable_finish_prepared();
    out.set_problem(e.problem);
    if (!e.checkpoint) return;
    out.mutable_checkpoint()->set_name(e.checkpoint->name);
    out.mutable_checkpoint()->set_written_micros(Micros(e.checkpoint->written));
  }
};

}  // namespace

core::Usage FromWire(const wire::Usage& usage) {
  core::Usage out{usage.memory_bytes(), usage.memory_peak_bytes(), usage.cpu_seconds(), usage.memory_average_bytes()};
  if (usage.has_gpu_use()) {
    const wire::GpuUse& gpu = usage.gpu_use();
    out.gpu = {gpu.utilisation_average(), gpu.utilisation_peak(), gpu.memory_average(), gpu.memory_peak()};
  }
  return out;
}

wire::Usage ToWire(const core::Usage& usage) {
  wire::Usage out;
  out.set_memory_bytes(usage.memory_bytes);
  out.set_memory_peak_bytes(usage.memory_peak_bytes);
  out.set_cpu_seconds(usage.cpu_seconds);
  out.set_memory_average_bytes(usage.memory_average_bytes);
  if (usage.gpu) {
    wire::GpuUse& gpu = *out.mutable_gpu_use();
    gpu.set_utilisation_average(usage.gpu->utilisation_average);
    gpu.set_utilisation_peak(usage.gpu->utilisation_peak);
    gpu.set_memory_average(usage.gpu->memory_average);
    gpu.set_memory_peak(usage.gpu->memory_peak);
  }
  return out;
}

core::Event EventOf(const ContainerId& container, const wire::Started& m) {
  return core::TaskStarted{container,
                           m.attempt(),
                           {m.pids().begin(), m.pids().end()},
                           FromMicros(m.at_micros()),
                           DurationFromMicros(m.filling_micros())};
}

core::Event EventOf(const ContainerId& container, const wire::RankExited& m) {
  core::RankExited event{container, m.attempt(), m.local_rank(), {}, FromMicros(m.at_micros()), DiagnosisOf(m)};
  if (m.has_signal()) event.exit.signal = m.signal();
  if (m.has_code()) event.exit.code = m.code();
  event.during_stop = m.during_stop();
  event.diagnosis.consequence = m.consequence();
  event.diagnosis.node_fault = m.node_fault();
  event.diagnosis.no_restart = m.no_restart();
  if (m.has_result_bytes()) event.result_bytes = m.result_bytes();
  for (const wire::Variable& variable : m.exports()) event.exports.emplace_back(variable.name(), variable.value());
  return event;
}

core::Event EventOf(const ContainerId& container, const wire::StartFailed& m) {
  std::optional<int> code;
  if (m.has_code()) code = m.code();
  return core::TaskStartFailed{container, m.attempt(), FromMicros(m.at_micros()), code, DiagnosisOf(m)};
}

core::Event EventOf(const ContainerId& container, const wire::Ended& m) {
  return core::TaskEnded{container, m.attempt(), FromMicros(m.at_micros()), LeftFilesOf(m)};
}

core::Event EventOf(const ContainerId& container, const wire::Progress& m) {
  if (m.saving()) return core::TaskSaving{container, m.attempt()};
  core::TaskProgress progress{.at = FromMicros(m.at_micros())};
  if (m.has_step()) progress.step = m.step();
  if (m.has_checkpoint()) progress.checkpoint = m.checkpoint();
  if (m.has_checkpoint_at_micros()) progress.checkpoint_at = FromMicros(m.checkpoint_at_micros());
  if (m.has_steps()) progress.steps = m.steps();
  if (m.has_checkpoints()) {
    constexpr int64_t kYear = Duration(std::chrono::hours(24 * 365)).count();
    progress.checkpoint_cost = core::CheckpointCost{std::max<int64_t>(0, m.checkpoints()),
                                                    Duration(std::clamp<int64_t>(m.checkpointing_micros(), 0, kYear))};
  }
  return core::TaskProgressed{container, m.attempt(), progress};
}

core::Event EventOf(const ContainerId& container, const wire::Stalled& m) {
  return core::TaskHung{container, m.attempt(), FromMicros(m.at_micros()), FromMicros(m.since_micros()),
                        m.sign(),  m.where()};
}

core::Event EventOf(const ContainerId& container, const wire::Stands& m) {
  return core::StackSampled{container, m.attempt(), m.where()};
}

core::Event EventOf(const ContainerId& container, const wire::Serves& m) {
  return core::TaskServes{container, m.attempt()};
}

wire::LoggedEvent ToRecord(const core::Event& event, Instant at) {
  wire::LoggedEvent record;
  record.set_at_micros(Micros(at));
  std::visit(Recorder{record}, event);
  return record;
}

namespace {

core::Event EventOf(const ContainerId& container, const wire::GrantedEvent& e) {
  core::ContainerGranted event{container, e.role(), e.node()};
  if (e.has_granted()) event.granted = FromWire(e.granted());
  return event;
}

core::Event EventOf(const ContainerId& container, const wire::AmContainerEvent& e) {
  return core::AmContainerReported{container, e.node(), FromWire(e.granted()), FromMicros(e.since_micros())};
}

core::Event EventOf(const ContainerId& container, const wire::EndpointEvent& e) {
  return core::ExecutorRegistered{
      container, {e.host(), static_cast<uint16_t>(e.port())}, e.attempt(), e.callback_address()};
}

core::Event EventOf(const wire::MeetsEvent& e) {
  return core::RendezvousReported{
      {e.role(), e.index()}, e.attempt(), static_cast<core::RendezvousReported::Step>(e.step())};
}

core::Event EventOf(const wire::StopEvent& e) {
  core::StopRequested stop{.by = e.by(), .grace = std::nullopt};
  if (e.has_grace_micros()) stop.grace = DurationFromMicros(e.grace_micros());
  return stop;
}

core::Event EventOf(const wire::TokensEvent& e) {
  return core::TokensIssued{FromMicros(e.until_micros()), e.by(), e.renewed()};
}

core::Event EventOf(const wire::FinishPreparedEvent& e) {
  core::FinishPrepared event{.checkpoint = std::nullopt, .problem = e.problem()};
  if (e.has_checkpoint()) event.checkpoint = {e.checkpoint().name(), FromMicros(e.checkpoint().written_micros())};
  return event;
}

}  // namespace

std::optional<core::Event> EventOf(const wire::LoggedEvent& record) {
  const ContainerId container{record.container()};
  switch (record.kind_case()) {
    case wire::LoggedEvent::kAmStarted: {
      const wire::AmStartedEvent& e = record.am_started();
      return core::AmStarted{e.node(), e.attempt(), e.generation(), e.first_task_attempt(), e.tracking_url()};
    }
    case wire::LoggedEvent::kAmResumed:
      return core::AmResumed{record.am_resumed().attempt(), record.am_resumed().how(),
                             record.am_resumed().tracking_url()};
    case wire::LoggedEvent::kGranted:
      return EventOf(container, record.granted());
    case wire::LoggedEvent::kAmContainer:
      return EventOf(container, record.am_container());
    case wire::LoggedEvent::kStarting:
      return core::ContainerStarting{container, record.starting()};
    case wire::LoggedEvent::kExited:
      return core::ContainerExited{container, record.exited().how(), record.exited().excused(), record.taken(),
                                   record.exited().refused()};
    case wire::LoggedEvent::kWarned:
      return core::ReclaimAnnounced{container, record.warned(), record.taken()};
    case wire::LoggedEvent::kPlaceWaited:
      return core::RequestsDelayed{record.place_waited(), record.queued()};
    case wire::LoggedEvent::kPlaceRefused:
      return core::RequestsRefused{record.place_refused()};
    case wire::LoggedEvent::kRegistered:
      return EventOf(container, record.registered());
    case wire::LoggedEvent::kSentAway:
      return core::ExecutorRefused{container, record.sent_away()};
    case wire::LoggedEvent::kDisconnected:
      return core::ExecutorDisconnected{container};
    case wire::LoggedEvent::kStoring:
      return core::ExecutorStoring{container};
    case wire::LoggedEvent::kStarted:
      return EventOf(container, record.started());
    case wire::LoggedEvent::kRankExited:
      return EventOf(container, record.rank_exited());
    case wire::LoggedEvent::kStartFailed:
      return EventOf(container, record.start_failed());
    case wire::LoggedEvent::kEnded:
      return EventOf(container, record.ended());
    case wire::LoggedEvent::kProgress:
      return EventOf(container, record.progress());
    case wire::LoggedEvent::kStalled:
      return EventOf(container, record.stalled());
    case wire::LoggedEvent::kStands:
      return EventOf(container, record.stands());
    case wire::LoggedEvent::kServes:
      return EventOf(container, record.serves());
    case wire::LoggedEvent::kMeets:
      return EventOf(record.meets());
    case wire::LoggedEvent::kScale:
      return core::ScaleRequested{record.scale().role(), record.scale().instances(), record.scale().by()};
    case wire::LoggedEvent::kStop:
      return EventOf(record.stop());
    case wire::LoggedEvent::kTicked:
      return core::Ticked{};
    case wire::LoggedEvent::kOrdersDelayedUntilMicros:
      return core::OrdersDelayed{FromMicros(record.orders_delayed_until_micros())};
    case wire::LoggedEvent::kTokens:
      return EventOf(record.tokens());
    case wire::LoggedEvent::kTensorboard:
      return core::TensorBoardReported{record.tensorboard().url(), record.tensorboard().advice()};
    case wire::LoggedEvent::kFinishPrepared:
      return EventOf(record.finish_prepared());
    default:
      return std::nullopt;
  }
}

}  // namespace howdah::am
