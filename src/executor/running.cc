// One attempt from its start to its end, and what the AM is told of it.
#include <algorithm>
#include <boost/asio/post.hpp>
#include <utility>

#include "evidence.h"
#include "executor.h"
#include "exports.h"
#include "howdah/base/exit_status.h"
#include "howdah/core/states.h"
#include "howdah/os/files/files.h"
#include "say.h"
#include "start_support.h"

namespace howdah::executor {
namespace {

// A file with the kernel's messages, where /dev/kmsg may not be read.
constexpr char kKernelLogVariable[] = "HOWDAH_KERNEL_LOG";

int64_t Micros(Instant t) { return t.time_since_epoch().count(); }

}  // namespace

void Executor::StartAttempt(const PendingStart& start) {
  reports_.clear();
  place_ = start.place;
  surroundings_ = start.surroundings;
  if (!workspace_->ok()) {
    return FailStart(place_, {std::nullopt, "the working directory could not be made: " + workspace_->error().message},
                     "");
  }
  const int stop_signal = SignalNumber(plan_.spec.checkpoint.signal).value_or(SIGTERM);
  attempt_ = std::make_unique<Attempt>(
      loop_, place_.attempt, stop_signal,
      Attempt::Handlers{[this](int rank, const ExitStatus& status) { OnRankExited(rank, status); },
                        [this] { OnAttemptEnded(); }});
  oom_before_ = os::process::ReadOomCounts();
  kernel_log_.Begin(MakeEnvironment(plan_, surroundings_, place_)[kKernelLogVariable]);
  gpus_->Poke();
  failure_.reset();
  if (!servers_bind_held_port_) port_.StopHolding();
  logs_.AddAttempt(place_.attempt);
  BeginWatching();
  Status prepared = MakeStartSupport(plan_, surroundings_.cluster);
  if (prepared.ok()) prepared = progress_.Begin(plan_.options.work_dir, place_.attempt, plan_.role().processes);
  if (!prepared.ok()) FailStart(place_, {std::nullopt, prepared.error().message}, "");
  const bool started = prepared.ok() && StartRanks(start);
  logs_.OnFilesMade();
  if (started) return;
  if (attempt_->pids().empty()) return OnAttemptEnded();
  attempt_->Stop(Duration(0));
}

bool Executor::StartRanks(const PendingStart& start) {
  std::optional<Instant> first;
  for (int rank = 0; rank < plan_.role().processes; ++rank) {
    RankPlace place = start.place;
    place.local_rank = rank;
    auto launch = PrepareLaunch(plan_, start.surroundings, place);
    if (!launch) {
      FailStart(place, {std::nullopt, "its output could not be opened: " + launch.error().message}, "");
      return false;
    }
    path_ = launch->path;
    if (!launch->problem) {
      if (const auto error = attempt_->Spawn(launch->request)) launch->problem = ToProblem(launch->request, *error);
    }
    if (launch->problem) {
      // Where a shell would have written it; if even that cannot be written, the AM is told all the same.
      (void)os::files::AppendLine(launch->err.get(), launch->problem->line, "stderr").ok();
      FailStart(place, *launch->problem, launch->path);
      return false;
    }
    if (!first) first = clock_.Now();
  }
  SendStarted(*first);
  return true;
}

// What the AM is told of a start that failed: at once, or when what did start is gone.
void Executor::FailStart(const RankPlace& place, const StartProblem& problem, const std::string& path) {
  wire::FromExecutor message;
  wire::StartFailed& failed = *message.mutable_start_failed();
  failed.set_attempt(place.attempt);
  failed.set_at_micros(Micros(clock_.Now()));
  if (problem.code) {
    failed.set_code(*problem.code);
    const core::Diagnosis why = Diagnose(plan_, {.exit = {*problem.code, std::nullopt},
                                                 .place = place,
                                                 .path = path,
                                                 .reserved_port = port_.port(),
                                                 .oom_before = oom_before_,
                                                 .last_words = problem.line});
    failed.set_cause(why.cause.empty() ? problem.line : why.cause);
    failed.set_advice(why.advice);
    if (why.rule) failed.set_rule(*why.rule);
  } else {
    failed.set_cause(problem.line);
  }
  if (!attempt_) return Report(std::move(message));
  failure_ = std::move(message);
}

void Executor::OnRankExited(int local_rank, const ExitStatus& status) {
  if (failure_) return;
  progress_.Read();
  SendProgress();
  wire::FromExecutor message;
  wire::RankExited& exited = *message.mutable_rank_exited();
  exited.set_attempt(place_.attempt);
  exited.set_local_rank(local_rank);
  exited.set_at_micros(Micros(clock_.Now()));
  if (status.code) exited.set_code(*status.code);
  if (status.signal) exited.set_signal(*status.signal);
  FillUsage(*exited.mutable_usage());
  const ExitStatus exit{status.code, status.signal};
  if (exit.success()) AddExports(local_rank, exited);
  // A process that was told to stop and went needs no cause. One that failed meanwhile does: it may have been the
  // first, and the others, which lost their connection to it, only quicker to end.
  const bool as_told = attempt_->stopping() && exit.signal;
  exited.set_as_told(as_told);
  if (!exit.success() && !as_told) {
    RankPlace place = place_;
    place.local_rank = local_rank;
    const core::Diagnosis why = Diagnose(plan_, {.exit = exit,
                                                 .pid = attempt_->pids()[static_cast<size_t>(local_rank)],
                                                 .place = place,
                                                 .path = path_,
                                                 .reserved_port = port_.port(),
                                                 .oom_before = oom_before_,
                                                 .memory_peak_bytes = exited.usage().memory_peak_bytes(),
                                                 .kernel_log = kernel_log_.Read(),
                                                 .pci_addresses = gpus_->pci_addresses()});
    exited.set_cause(why.cause);
    exited.set_advice(why.advice);
    exited.set_consequence(why.consequence);
    exited.set_node_fault(why.node_fault);
    if (why.rule) exited.set_rule(*why.rule);
  }
  Report(std::move(message));
}

// A task that did not print what others need has not done what it is for.
void Executor::AddExports(int local_rank, wire::RankExited& exited) {
  const jobspec::EnvVars& wanted = plan_.role().exports;
  if (wanted.empty() || plan_.task.index != 0 || local_rank != 0 || attempt_->stopping()) return;
  const auto found = FindExports(plan_.logs(place_).out, wanted);
  if (!found) {
    exited.set_cause(found.error().message);
    exited.set_advice("print it as one short line, early; larger things are handed on as a file that all can read");
    return;
  }
  for (const auto& [name, value] : *found) {
    wire::Variable& variable = *exited.add_exports();
    variable.set_name(name);
    variable.set_value(value);
  }
  for (const auto& [name, text] : wanted) {
    const bool there = std::any_of(found->begin(), found->end(), [&](const auto& v) { return v.first == name; });
    if (!there) Say("no line of the output has '" + text + "': " + name + " is not handed on");
  }
}

void Executor::OnAttemptEnded() {
  const int number = attempt_->number();
  EndWatching();
  // Its timer may have expired already and be about to call it.
  boost::asio::post(loop_, [ended = std::shared_ptr<Attempt>(std::move(attempt_))] {});
  // Not held again, if somebody has it: the next attempt's server will say so, and we who it is.
  (void)port_.Hold().ok();
  if (failure_) {
    logs_.AddSizes(number, *failure_->mutable_start_failed()->mutable_logs());
    Report(*std::exchange(failure_, std::nullopt));
  } else {
    SendEnded(number);
  }
  if (exit_code_ && !lingering_) Finish(*exit_code_);
}

void Executor::SendStarted(Instant at) {
  wire::FromExecutor message;
  wire::Started& started = *message.mutable_started();
  started.set_attempt(place_.attempt);
  started.set_at_micros(Micros(at));
  for (const pid_t pid : attempt_->pids()) started.add_pids(pid);
  Report(std::move(message));
}

void Executor::SendEnded(int attempt) {
  wire::FromExecutor message;
  message.mutable_ended()->set_attempt(attempt);
  message.mutable_ended()->set_at_micros(Micros(clock_.Now()));
  FillUsage(*message.mutable_ended()->mutable_usage());
  logs_.AddSizes(attempt, *message.mutable_ended()->mutable_logs());
  Report(std::move(message));
}

void Executor::ScheduleHeartbeat() {
  heartbeat_timer_.expires_after(*heartbeat_);
  heartbeat_timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) OnHeartbeatDue();
  });
}

void Executor::OnHeartbeatDue() {
  if (attempt_ && gpus_) gpus_->Poke();
  wire::FromExecutor message;
  wire::Usage& usage = *message.mutable_heartbeat()->mutable_usage();
  FillUsage(usage);
  if (attempt_) memory_.Add(static_cast<double>(usage.memory_bytes()));
  if (attempt_ && connected_ && ProgressChanged()) FillProgress(*message.mutable_heartbeat()->mutable_progress());
  Send(message);
  LookForLife(usage);
  ScheduleHeartbeat();
}

void Executor::FillUsage(wire::Usage& usage) {
  const os::process::Usage now = meter_.Sample();
  usage.set_memory_bytes(now.memory_bytes);
  usage.set_memory_peak_bytes(now.memory_peak_bytes);
  usage.set_cpu_seconds(now.cpu_seconds);
  usage.set_memory_average_bytes(static_cast<int64_t>(memory_.average()));
  if (!gpus_) return;
  const GpuSamples& seen = gpus_->samples();
  if (!seen.utilisation.empty()) {
    wire::GpuUse& use = *usage.mutable_gpu_use();
    use.set_utilisation_average(seen.utilisation.average());
    use.set_utilisation_peak(seen.utilisation.peak());
    use.set_memory_average(seen.memory.average());
    use.set_memory_peak(seen.memory.peak());
  }
  for (const os::process::GpuUsage& gpu : gpus_->last()) {
    wire::Gpu& out = *usage.add_gpus();
    out.set_index(gpu.index);
    out.set_utilisation(gpu.utilisation);
    out.set_memory_bytes(gpu.memory_bytes);
  }
}

void Executor::Report(wire::FromExecutor message) {
  Send(message);
  reports_.push_back(std::move(message));
}

void Executor::Send(const wire::FromExecutor& message) {
  if (connected_) link_->Send(message);
}

}  // namespace howdah::executor
