#include "attempt_runner.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <csignal>
#include <utility>

#include "exports.h"
#include "horovod_driver.h"
#include "howdah/core/progress.h"
#include "howdah/core/results.h"
#include "howdah/frameworks/framework.h"
#include "howdah/frameworks/mpi/mpi.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "left_files.h"
#include "log.h"
#include "micros.h"
#include "remote_start.h"

namespace howdah::executor {

AttemptRunner::AttemptRunner(const TaskContext& context, os::process::PortReservation port,
                             std::function<void()> on_idle)
    : context_(context),
      port_(std::move(port)),
      on_idle_(std::move(on_idle)),
      results_(context.loop, context.plan),
      diagnosis_(context.plan),
      progress_(
          context.loop, context.clock, context.am, [this] { return attempt_ && attempt_->Extend(); },
          [this](int rank, const core::ProgressLine& line) {
            context_.metrics.OnLine(rank, line);
            context_.feeds.OnLine(rank, line);
          }),
      watchdog_(context.loop, context.clock, context.am,
                {[this] { progress_.Send(); },
                 [this](const wire::Stop& stop) {
                   attempt_->Stop(Duration(stop.grace_micros()), Duration(stop.limit_micros()));
                 }}) {}

void AttemptRunner::Start(const wire::Start& start, const wire::Cluster& cluster) {
  if (attempt_ || pending_ || start.attempt() <= newest_) return;  // the order is a duplicate or outdated
  newest_ = start.attempt();
  context_.feeds.OnStart(start);
  auto order = ReadStartOrder(start, cluster, context_.plan.spec, context_.plan.task);
  if (!order) {
    return FailStart({start.attempt(), start.generation(), 0, start.place()},
                     {std::nullopt, "the application master sent an invalid table of endpoints"});
  }
  if (work_directory_) return StartAttempt(std::move(*order), Duration::zero());
  pending_ = std::move(order);
  pending_since_ = context_.clock.Now();
}

void AttemptRunner::OnWorkDirectory(const Status& filled) {
  work_directory_ = filled;
  if (!pending_) return;
  const Duration filling = std::max(Duration::zero(), context_.clock.Now() - pending_since_);
  StartAttempt(*std::exchange(pending_, std::nullopt), filling);
}

void AttemptRunner::Stop(const wire::Stop& stop) {
  if (attempt_ && attempt_->number() == stop.attempt()) {
    if (stop.look() && !attempt_->stopping()) return watchdog_.ProbeThenStop(attempt_->pids(), stop);
    return Stop(Duration(stop.grace_micros()), Duration(stop.limit_micros()));
  }
  if (pending_ && pending_->slot.attempt == stop.attempt()) pending_.reset();
  // The attempt was never started, or has already ended. Report its end (again), and ignore a late order to start it.
  newest_ = std::max(newest_, stop.attempt());
  ReportEnded(stop.attempt());
}

void AttemptRunner::Stop(Duration grace, Duration limit) {
  watchdog_.CancelProbe();
  attempt_->Stop(grace, limit);
}

void AttemptRunner::StartAttempt(StartOrder order, Duration filling) {
  context_.am.ForgetReports();
  order_ = std::move(order);
  if (!work_directory_->ok()) {
    return FailStart(order_.slot,
                     {std::nullopt, "cannot create the working directory: " + work_directory_->error().message});
  }
  const int stop_signal = SignalNumber(context_.plan.spec.checkpoint.signal).value_or(SIGTERM);
  attempt_ = std::make_unique<Attempt>(
      context_.loop, context_.clock, order_.slot.attempt, stop_signal,
      Attempt::Handlers{[this](int rank, const ExitStatus& status) { OnRankExited(rank, status); },
                        [this] { OnAttemptEnded(); }});
  const Variables environment = MakeEnvironment(context_.plan, order_.peers, order_.slot);
  diagnosis_.Begin(environment);
  context_.usage.PollGpus();
  failure_.reset();
  if (!frameworks::ServersBindHeldPorts(context_.plan.spec.framework)) port_.StopHolding();
  context_.logs.AddAttempt(order_.slot.attempt);
  BeginWatching(environment);
  Status prepared = WriteRemoteStartFiles(context_.plan, order_.peers.cluster);
  if (prepared.ok()) prepared = MakeDriverOutput(context_.plan, order_.slot.attempt);
  if (prepared.ok()) {
    prepared = progress_.Begin(context_.plan.options.work_dir, order_.slot.attempt, context_.plan.role().processes);
  }
  std::optional<ProbeTarget> probe;
  if (const auto& ready = context_.plan.role().ready; ready && prepared.ok()) {
    const auto target = ProbeTargetOf(*ready, environment);
    target.ok() ? void(probe = *target) : void(prepared = target.error());
  }
  if (!prepared.ok()) FailStart(order_.slot, {std::nullopt, prepared.error().message});
  const bool started = prepared.ok() && StartRanks(filling);
  if (started && probe) progress_.Probe(*probe, *context_.plan.role().ready);
  context_.logs.OnFilesMade();
  if (started) return;
  if (attempt_->pids().empty()) return OnAttemptEnded();
  Stop(Duration(0), Duration(0));
}

void AttemptRunner::BeginWatching(const Variables& environment) {
  const TaskPlan& plan = context_.plan;
  Watchdog::Target target{order_.slot.attempt, {}, environment.at("PATH"), core::ProgressLimit(plan.spec, plan.role())};
  for (ProcessSlot slot = order_.slot; slot.local_rank < plan.role().processes; ++slot.local_rank) {
    target.logs.push_back(plan.logs(slot));
  }
  context_.metrics.Begin({order_.slot.attempt, plan.spec.metrics_interval, target.logs});
  watchdog_.Begin(std::move(target));
}

bool AttemptRunner::StartRanks(Duration filling) {
  std::optional<Instant> first;
  for (ProcessSlot slot = order_.slot; slot.local_rank < context_.plan.role().processes; ++slot.local_rank) {
    auto launch = PrepareLaunch(context_.plan, order_.peers, slot);
    if (!launch) {
      FailStart(slot, {std::nullopt, "cannot open its log files: " + launch.error().message});
      return false;
    }
    if (!launch->problem) {
      if (const auto error = attempt_->Spawn(launch->request)) launch->problem = ToProblem(launch->request, *error);
    }
    if (launch->problem) {
      // A shell would have written this line to stderr, too. If that write fails, the AM still receives the line.
      (void)os::files::AppendLine(launch->err.get(), launch->problem->line, "stderr").ok();
      FailStart(slot, *launch->problem);
      return false;
    }
    if (!first) first = context_.clock.Now();
  }
  ReportStarted(*first, filling);
  return true;
}

// Reports the failed start immediately, or, if some ranks have already been started, when all of their processes have
// ended.
void AttemptRunner::FailStart(const ProcessSlot& slot, const StartProblem& problem) {
  wire::FromExecutor message;
  wire::StartFailed& failed = *message.mutable_start_failed();
  failed.set_attempt(slot.attempt);
  failed.set_at_micros(Micros(context_.clock.Now()));
  failed.set_cause(problem.line);
  if (problem.code) {
    failed.set_code(*problem.code);
    const core::Diagnosis why =
        diagnosis_.Diagnose({.exit = {*problem.code, std::nullopt}, .slot = slot, .shell_message = problem.line});
    if (!why.cause.empty()) failed.set_cause(why.cause);
    failed.set_advice(why.advice);
    if (why.rule) failed.set_rule(*why.rule);
  }
  if (!attempt_) return context_.am.Report(std::move(message));
  failure_ = std::move(message);
}

void AttemptRunner::OnRankExited(int local_rank, const ExitStatus& status) {
  if (failure_) return;
  progress_.ReadAndSend();
  wire::FromExecutor message;
  wire::RankExited& exited = *message.mutable_rank_exited();
  exited.set_attempt(order_.slot.attempt);
  exited.set_local_rank(local_rank);
  exited.set_at_micros(Micros(context_.clock.Now()));
  if (status.code) exited.set_code(*status.code);
  if (status.signal) exited.set_signal(*status.signal);
  context_.usage.Fill(*exited.mutable_usage());
  if (status.success()) AddExports(local_rank, exited);
  ProcessSlot slot = order_.slot;
  slot.local_rank = local_rank;
  // A process that a signal has killed during a stop needs no diagnosis. A process that exits with an error during a
  // stop needs one: it may have failed first, although tasks that lost their connection to it have exited earlier.
  const bool stopped = attempt_->stopping() && status.signal;
  exited.set_during_stop(attempt_->stopping());
  if (!status.success() && !stopped) {
    const core::Diagnosis why = diagnosis_.Diagnose({.exit = status,
                                                     .pid = attempt_->pids()[static_cast<size_t>(local_rank)],
                                                     .slot = slot,
                                                     .memory_peak_bytes = exited.usage().memory_peak_bytes(),
                                                     .pci_addresses = context_.usage.pci_addresses()});
    exited.set_cause(why.cause);
    exited.set_advice(why.advice);
    exited.set_consequence(why.consequence);
    exited.set_node_fault(why.node_fault);
    if (why.rule) exited.set_rule(*why.rule);
  }
  results_.Store(
      slot, [this, message = std::move(message)](const ResultStore::Stored& result) { ReportExit(message, result); });
}

// A result that cannot be stored fails the process, even if it has exited with 0. A process that has failed anyway
// keeps the cause of its own failure.
void AttemptRunner::ReportExit(wire::FromExecutor message, const ResultStore::Stored& result) {
  wire::RankExited& exited = *message.mutable_rank_exited();
  if (result.ok() && *result) exited.set_result_bytes(**result);
  if (!result.ok() && exited.has_code() && exited.code() == 0 && exited.cause().empty()) {
    exited.set_cause(result.error().message);
    exited.set_advice(core::kLargeResultAdvice);
  } else if (!result.ok()) {
    Log("local rank " + std::to_string(exited.local_rank()) + ": " + result.error().message);
  }
  context_.am.Report(std::move(message));
  if (ended_ && !results_.busy()) OnAttemptEnded();
}

// Adds the values that the process exports. An invalid or too long value fails the task, even if it has exited with 0.
// A value that was not printed is not exported.
void AttemptRunner::AddExports(int local_rank, wire::RankExited& exited) {
  const jobspec::EnvVars& wanted = context_.plan.role().exports;
  if (wanted.empty() || context_.plan.task.index != 0 || local_rank != 0 || attempt_->stopping()) return;
  const auto found = FindExports(context_.plan.logs(order_.slot).out, wanted);
  if (!found) {
    exited.set_cause(found.error().message);
    exited.set_advice(
        "print the value in one short line near the beginning of the output; write larger values to a file that all "
        "tasks can read");
    return;
  }
  for (const auto& [name, value] : *found) {
    wire::Variable& variable = *exited.add_exports();
    variable.set_name(name);
    variable.set_value(value);
  }
  for (const auto& [name, text] : wanted) {
    const bool there = std::any_of(found->begin(), found->end(), [&](const auto& v) { return v.first == name; });
    if (!there) Log("no line of the output contains '" + text + "': " + name + " is not exported");
  }
}

void AttemptRunner::OnAttemptEnded() {
  ended_ = results_.busy();
  if (ended_) return;
  const int number = attempt_->number();
  watchdog_.End();
  progress_.End();
  context_.metrics.End();
  context_.feeds.OnAttemptEnded();
  // Destroy the attempt later, because its expired timer may already be about to call it.
  boost::asio::post(context_.loop, [ended = std::shared_ptr<Attempt>(std::move(attempt_))] {});
  // Ignore a failure. If another process has taken the port, the server of the next attempt fails, and the diagnosis of
  // that failure names the process.
  (void)port_.Hold().ok();
  if (failure_) {
    context_.logs.AddSizes(number, *failure_->mutable_start_failed()->mutable_logs());
    context_.am.Report(*std::exchange(failure_, std::nullopt));
  } else {
    ReportEnded(number, FindLeftFiles(context_.plan));
  }
  on_idle_();
}

void AttemptRunner::ReportStarted(Instant at, Duration filling) {
  wire::FromExecutor message;
  wire::Started& started = *message.mutable_started();
  started.set_attempt(order_.slot.attempt);
  started.set_at_micros(Micros(at));
  started.set_filling_micros(filling.count());
  for (const pid_t pid : attempt_->pids()) started.add_pids(pid);
  context_.am.Report(std::move(message));
}

void AttemptRunner::ReportEnded(int attempt, const std::optional<wire::LeftFiles>& left) {
  wire::FromExecutor message;
  message.mutable_ended()->set_attempt(attempt);
  message.mutable_ended()->set_at_micros(Micros(context_.clock.Now()));
  context_.usage.Fill(*message.mutable_ended()->mutable_usage());
  context_.logs.AddSizes(attempt, *message.mutable_ended()->mutable_logs());
  if (left) *message.mutable_ended()->mutable_left() = *left;
  context_.am.Report(std::move(message));
}

// Appends nothing after the end of the attempt, because the final sizes of its logs were already reported.
void AttemptRunner::Print(const wire::Print& print) {
  const bool known_rank = print.local_rank() >= 0 && print.local_rank() < context_.plan.role().processes;
  if (!attempt_ || attempt_->number() != print.attempt() || !known_rank) return;
  ProcessSlot slot = order_.slot;
  slot.local_rank = print.local_rank();
  const auto out = os::files::OpenForAppend(context_.plan.logs(slot).out);
  if (!out.ok()) return Log(out.error().message);
  std::string lines = print.text();
  while (!lines.empty() && lines.back() == '\n') lines.pop_back();
  if (const Status written = os::files::AppendLine(out->get(), lines, "stdout"); !written.ok()) {
    Log(written.error().message);
  }
}

void AttemptRunner::FillHeartbeat(wire::Heartbeat& heartbeat) {
  wire::Usage& usage = *heartbeat.mutable_usage();
  if (attempt_) context_.usage.PollGpus();
  context_.usage.Fill(usage);
  if (!attempt_) return;
  context_.usage.AddMemorySample(usage.memory_bytes());
  progress_.AddTo(heartbeat);
}

void AttemptRunner::CheckForHang(const wire::Usage& usage) {
  if (!attempt_ || attempt_->stopping()) return;
  watchdog_.Check(attempt_->pids(), {usage.cpu_seconds(), context_.usage.gpus(), progress_.last_line()});
}

void AttemptRunner::OnReaped(const std::vector<os::process::Reaped>& children) {
  if (!attempt_) return;
  for (const os::process::Reaped& child : children) attempt_->OnReaped(child);
  attempt_->Advance();
}

std::optional<Launch> AttemptRunner::PrepareCommand(const jobspec::Command& command) const {
  if (!attempt_ || attempt_->stopping()) return std::nullopt;
  return executor::PrepareCommand(context_.plan, order_.peers, order_.slot, command);
}

// mpirun starts its daemons in tasks whose own process is only a placeholder. When such a task is stopped, the daemon
// may continue until the end of the grace.
void AttemptRunner::OnCommandStarted(pid_t pid) {
  if (frameworks::mpi::PlaceholderCommand(context_.plan.spec, context_.plan.task)) attempt_->AddGuest(pid);
}

std::optional<StackTarget> AttemptRunner::stack_target() const {
  if (!attempt_) return std::nullopt;
  StackTarget target{.attempt = attempt_->number(),
                     .ranks = attempt_->pids(),
                     .path = watchdog_.target().path,
                     .stop_signal = SignalNumber(context_.plan.spec.checkpoint.signal).value_or(SIGTERM)};
  for (const LogFiles& logs : watchdog_.target().logs) target.stderrs.push_back(logs.err);
  return target;
}

}  // namespace howdah::executor
