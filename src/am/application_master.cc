#include "application_master.h"

#include <signal.h>

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <iostream>

#include "checkpoints.h"
#include "howdah/base/exit_status.h"
#include "howdah/core/waste.h"
#include "howdah/frameworks/framework.h"

namespace howdah::am {
namespace {

template <typename... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};

// Clients that follow have this long to take the journal's last lines: the AM is to be gone soon after them.
constexpr Duration kFollowersLimit = std::chrono::milliseconds(80);

void AddAdvice(core::JobChanged& change, const std::string& more) {
  std::string& advice = change.advice.emplace(change.advice.value_or(""));
  if (!advice.empty()) advice += "; ";
  advice += more;
}

int MostTasks(const jobspec::JobSpec& spec) {
  int tasks = 0;
  for (const jobspec::RoleSpec& role : spec.roles) tasks += role.instances.max;
  return tasks;
}

uint64_t SeedOf(const JobId& job) { return std::hash<std::string>()(job.text); }

}  // namespace

ApplicationMaster::ApplicationMaster(AmOptions options, JournalFile journal, EventLog log, journal::JobView view,
                                     Instant submitted)
    : options_(std::move(options)),
      timer_(loop_),
      signals_(loop_, SIGTERM, SIGINT),
      journal_(std::move(journal)),
      log_(std::move(log)),
      view_(std::move(view)),
      job_(options_.spec, frameworks::RulesOf(options_.spec), submitted, SeedOf(options_.job)),
      followers_(
          loop_, options_.spec, options_.journal,
          {.reply = [this](rpc::ConnectionId to, const wire::FollowReply& r) { server_->SendToFollower(to, r); },
           .close = [this](rpc::ConnectionId follower) { server_->Close(follower); },
           .order = [this](const ContainerId& c, const wire::ToExecutor& order) { executors_.Order(c, order); }}),
      executors_(
          {.heartbeat = options_.spec.timeouts.heartbeat,
           .await_am = options_.place_notices + options_.spec.timeouts.am,
           .progress = ProgressInterval(options_.spec.timeouts.heartbeat, MostTasks(options_.spec))},
          followers_,
          [this](core::Event event) {
            if (const auto* connected = std::get_if<core::ExecutorRegistered>(&event)) {
              caller_.Stop(connected->container);
              backend_->Connected(connected->container);
            }
            Post(std::move(event));
          },
          [this](rpc::ConnectionId to, const wire::ToExecutor& message,
                 std::shared_ptr<const rpc::SharedCluster> cluster) {
            server_->Send(to, message, std::move(cluster));
          }),
      rendezvous_(
          loop_, options_.listen_host, options_.spec, [this](int rank, const std::string& text) { Print(rank, text); },
          [this](core::RendezvousReported event) { Post(event); }),
      tunnels_(loop_, TunnelWorld()) {}

ApplicationMaster::~ApplicationMaster() = default;

Result<Listening> ApplicationMaster::Listen() {
  auto server = rpc::AmServer::Start(
      options_.listen_host, options_.identity,
      [this](std::function<void()> f) { boost::asio::post(loop_, std::move(f)); },
      {.on_message = [this](rpc::ConnectionId c, wire::FromExecutor m) { executors_.OnMessage(c, std::move(m)); },
       .on_closed = [this](rpc::ConnectionId c) { executors_.OnClosed(c); },
       .on_control = [this](const wire::ControlRequest& r, const auto& reply) { OnControl(r, reply); },
       .on_follow = [this](rpc::ConnectionId c, const wire::FollowRequest& r) { followers_.OnFollow(c, r); },
       .on_follow_written = [this](rpc::ConnectionId c) { followers_.OnWritten(c); },
       .on_follower_gone = [this](rpc::ConnectionId c) { followers_.OnGone(c); },
       .on_tunnel = [this](rpc::ConnectionId c, const wire::Open& open) { tunnels_.OnTunnel(c, open); },
       .on_accept_tunnel = [this](rpc::ConnectionId c, uint64_t id) { tunnels_.OnAcceptTunnel(c, id); }},
      options_.listen_port);
  if (!server.ok()) return server.error().While("starting the application master of " + options_.job.text);
  server_ = std::move(*server);
  Listening listening{options_.listen_host + ":" + std::to_string(server_->port())};
  if (!options_.tracking.peers) return listening;
  auto tracking = TrackingServer::Start(
      loop_, options_.listen_host, options_.tracking, [this] { return ViewWithUsage(); }, followers_, options_.spec);
  if (!tracking.ok()) return tracking.error().While("starting the application master of " + options_.job.text);
  tracking_ = std::move(*tracking);
  listening.tracking_port = tracking_->port();
  return listening;
}

Status ApplicationMaster::Run(const MakeBackend& make_backend, const std::optional<Resumption>& resumption) {
  const auto listening = Listen();
  if (!listening.ok()) return listening.error();
  auto backend = make_backend(loop_, *this, *listening);
  if (!backend.ok()) return backend.error();
  backend_ = std::move(*backend);
  followers_.OnJournal(journal_.size());
  if (resumption) {
    Resume(*resumption, *listening);
  } else {
    Post(core::AmStarted{options_.node, options_.attempt, options_.generation, options_.first_task_attempt});
  }
  if (const Status told = options_.on_listening(*listening); !told.ok()) return told;
  if (!options_.spec.tensorboard_logdir.empty()) {
    tensorboard_ = TensorBoard::Start(loop_,
                                      {options_.spec.tensorboard_logdir, options_.open_logdir, options_.logdir_copy,
                                       options_.environment, options_.agents_log_directory},
                                      [this](core::JobChanged change) {
                                        PerformRecord(std::move(change));
                                        if (const Status written = journal_.Flush(); !written.ok())
                                          return Fail(written.error());
                                        followers_.OnJournal(journal_.size());
                                      });
  }
  signals_.async_wait([this](const boost::system::error_code& error, int signal) {
    if (error) return;
    if (signal == SIGTERM && options_.leave_on_sigterm) return Fail(Failed("the place has ended it (SIGTERM)"));
    Post(core::StopRequested{SignalName(signal) + " to the application master", std::nullopt});
  });
  const auto work = boost::asio::make_work_guard(loop_);
  loop_.run();
  tunnels_.Close();
  server_.reset();
  if (error_) return *error_;
  return {};
}

void ApplicationMaster::OnGranted(const ContainerId& container, int role, const std::string& node) {
  followers_.OnGranted(container, node);
  Post(core::ContainerGranted{container, role, node});
}

void ApplicationMaster::OnStarting(const ContainerId& container, const std::string& how_far) {
  Post(core::ContainerStarting{container, how_far});
}

void ApplicationMaster::OnExited(const ContainerId& container, const std::string& how, bool excused, bool taken) {
  caller_.Stop(container);
  executors_.Forget(container);
  Post(core::ContainerExited{container, how, excused, taken});
}

void ApplicationMaster::OnWarned(const ContainerId& container, const std::string& why, bool taken) {
  Post(core::ReclaimAnnounced{container, why, taken});
}

void ApplicationMaster::OnWaiting(const std::string& reason) { Post(core::RequestsDelayed{reason}); }
void ApplicationMaster::OnRefused(const std::string& reason) { Post(core::RequestsRefused{reason}); }
void ApplicationMaster::OnLost(const Error& error) { Fail(error); }

void ApplicationMaster::Post(core::Event event) {
  queue_.push_back(std::move(event));
  if (draining_) return;
  draining_ = true;
  boost::asio::post(loop_, [this] { Drain(); });
}

// Everything that has been queued by now is stepped before the journal is written once and the timer is armed once.
void ApplicationMaster::Drain() {
  while (!queue_.empty()) {
    const core::Event event = std::move(queue_.front());
    queue_.pop_front();
    cluster_sent_ = false;
    const Instant now = told_at_ = std::max(told_at_, clock_.Now());
    const auto [actions, changed] = job_.Step(event, now);
    if (const Status logged = Log(event, now, changed); !logged.ok()) return Fail(logged.error());
    for (const core::Action& action : actions) Perform(action);
  }
  draining_ = false;
  if (const Status written = journal_.Flush(); !written.ok()) return Fail(written.error());
  followers_.OnJournal(journal_.size());
  if (job_.finished()) return FinishFollowers();
  ArmTimer();
}

Status ApplicationMaster::Log(const core::Event& event, Instant now, bool changed) {
  if (const auto* heard = std::get_if<core::HeartbeatReceived>(&event)) log_.Hear(heard->container, now);
  return changed ? log_.Append(event, now) : Status();
}

void ApplicationMaster::Resume(const Resumption& resumption, const Listening& listening) {
  std::map<ContainerId, backend::Inherited> held;
  std::map<ContainerId, std::string> callback;
  size_t entries = 0;
  for (const EventLog::Step& step : resumption.past.steps) {
    if (const auto* granted = std::get_if<core::ContainerGranted>(&step.event)) {
      followers_.OnGranted(granted->container, granted->node);
      held[granted->container] = {granted->container, granted->role, granted->node, std::nullopt};
    } else if (const auto* exited = std::get_if<core::ContainerExited>(&step.event)) {
      executors_.Forget(exited->container);
      held.erase(exited->container);
    } else if (const auto* registered = std::get_if<core::ExecutorRegistered>(&step.event)) {
      callback[registered->container] = registered->callback;
    }
    told_at_ = step.at;
    for (const core::Action& action : job_.Step(step.event, step.at).actions) {
      if (const auto* launch = std::get_if<core::LaunchExecutor>(&action)) {
        followers_.OnLaunched(launch->container, launch->task);
        held.at(launch->container).task = launch->task;
      } else if (const auto* record = std::get_if<core::Record>(&action)) {
        if (++entries > resumption.recorded) PerformRecord(record->change);
      }
    }
  }
  const int attempt = std::max(options_.attempt, view_.am_attempt + 1);
  std::vector<backend::Inherited> containers;
  for (auto& [id, inherited] : held) {
    containers.push_back(std::move(inherited));
    // Where the AM before this one listened they come by themselves.
    if (options_.listen_port == 0) caller_.Call(id, callback[id], listening.address);
  }
  backend_->Inherit(containers, attempt);
  Post(core::AmResumed{attempt, options_.how_before_died});
}

void ApplicationMaster::FinishFollowers() {
  if (std::exchange(finishing_, true)) return;
  timer_.cancel();
  followers_.Finish(kFollowersLimit, [this] { loop_.stop(); });
}

void ApplicationMaster::Perform(const core::Action& action) {
  std::visit(Overload{
                 [&](const core::RequestContainers& a) { backend_->Request(a); },
                 [&](const core::CancelRequests&) { backend_->CancelRequests(); },
                 [&](const core::LaunchExecutor& a) {
                   followers_.OnLaunched(a.container, a.task);
                   backend_->Launch(a.container, a.task);
                 },
                 [&](const core::ReleaseContainer& a) {
                   followers_.Leave(a.container);
                   backend_->Release(a.container);
                 },
                 [&](const core::KillContainer& a) { backend_->Kill(a.container); },
                 [&](const core::StartTask& a) { PerformStart(a); },
                 [&](const core::StopTask& a) { executors_.Stop(a); },
                 [&](const core::RequestRendezvous& a) { rendezvous_.Ask(a); },
                 [&](const core::Rejoin& a) { rendezvous_.Rejoin(a, job_.peers()); },
                 [&](const core::AvoidNode& a) { backend_->Avoid(a.node, a.limit); },
                 [&](const core::Record& a) { PerformRecord(a.change); },
                 [&](const core::FinishJob&) {},
             },
             action);
}

void ApplicationMaster::PerformStart(const core::StartTask& order) {
  if (!cluster_sent_) executors_.SetCluster(job_.peers(), job_.exports());
  cluster_sent_ = true;
  const auto rendezvous = rendezvous_.For(order.generation, job_.peers());
  if (!rendezvous.ok()) return Fail(rendezvous.error());
  rendezvous_.Start(order, job_.peers());
  executors_.Start(order, *rendezvous);
}

void ApplicationMaster::Print(int rank, const std::string& text) {
  for (const journal::TaskView& task : view_.tasks) {
    const auto found = std::find(task.ranks.begin(), task.ranks.end(), rank);
    if (found == task.ranks.end()) continue;
    wire::ToExecutor order;
    order.mutable_print()->set_attempt(task.attempt);
    order.mutable_print()->set_local_rank(static_cast<int>(found - task.ranks.begin()));
    order.mutable_print()->set_text(text);
    executors_.Order(ContainerId{task.container}, order);
  }
}

void ApplicationMaster::PerformRecord(core::Change change) {
  if (auto* task = std::get_if<core::TaskChanged>(&change); task && task->finished) {
    AddUsage(*task);
    followers_.AddAttemptEnd(task->role, task->index, task->attempt, journal_.size());
  }
  auto* job = std::get_if<core::JobChanged>(&change);
  if (tracking_ && job != nullptr && job->type == core::JobChanged::Type::kAmStarted) {
    job->tracking_url = options_.tracking.proxy_url;
  }
  const bool finished = job != nullptr && job->type == core::JobChanged::Type::kFinished;
  if (finished) tensorboard_.reset();
  if (finished && !job->advice && !view_.advice.empty()) job->advice = view_.advice;  // still holds
  if (finished && job->state != core::JobState::kSucceeded) AddCheckpoint(*job);
  if (finished) AddWaste(*job);
  const Instant now = clock_.Now();
  if (finished) WriteHistory(now, std::get<core::JobChanged>(change));
  const core::JournalEntry entry{now, std::move(change)};
  journal_.Add(entry);
  // A final state becomes visible only when nothing of the job is left.
  if (finished) FinishPlace(std::get<core::JobChanged>(entry.change));
  view_.Apply(entry);
}

void ApplicationMaster::WriteHistory(Instant now, core::JobChanged& finished) {
  const auto journal = journal_.Text();
  const Status written = journal.ok() ? backend_->WriteHistory(*journal + journal::EncodeEntry({now, finished}) + "\n")
                                      : Status(journal.error());
  if (!written.ok()) AddAdvice(finished, written.error().message);
}

void ApplicationMaster::FinishPlace(const core::JobChanged& final) {
  const auto journal = journal_.Text();
  // The place is told without it rather than not at all.
  if (!journal.ok()) std::cerr << journal.error().message << "\n";
  backend_->Finish(final, journal.ok() ? *journal : "");
}

void ApplicationMaster::AddUsage(core::TaskChanged& ended) {
  const journal::TaskView* task = view_.Find(ended.role, ended.index);
  if (task == nullptr) return;
  if (const core::Usage* usage = executors_.usage(ContainerId{task->container})) ended.usage = *usage;
}

void ApplicationMaster::AddCheckpoint(core::JobChanged& finished) const {
  const std::string newest = NewestCheckpoint(options_.spec.checkpoint.dir, clock_.Now());
  if (newest.empty()) return;
  AddAdvice(finished, newest);
}

// Who submits again may ask for less.
void ApplicationMaster::AddWaste(core::JobChanged& finished) const {
  if (!view_.started) return;
  for (const jobspec::RoleSpec& role : options_.spec.roles) {
    core::RoleUse use{.ran = clock_.Now() - *view_.started};
    for (const journal::TaskView& task : view_.tasks) {
      if (task.role != role.name) continue;
      ++use.tasks;
      use.memory_peak_bytes = std::max(use.memory_peak_bytes, task.usage.memory_peak_bytes);
      use.cpu_seconds = std::max(use.cpu_seconds, task.usage.cpu_seconds);
    }
    if (const std::string waste = core::WasteText(role, use); !waste.empty()) AddAdvice(finished, waste);
  }
}

void ApplicationMaster::ArmTimer() {
  const std::optional<Instant> deadline = job_.NextDeadline();
  if (!deadline) {
    timer_.cancel();
    return;
  }
  timer_.expires_after(std::max(Duration::zero(), *deadline - clock_.Now()));
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Post(core::Ticked{});
  });
}

// The AM cannot go on (the journal's disk is full, say). Its guardian ends what runs and records why.
void ApplicationMaster::Fail(Error error) {
  error_ = std::move(error);
  loop_.stop();
}

}  // namespace howdah::am
