#include "application_master.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <utility>

#include "checkpoints.h"
#include "feed_token.h"
#include "howdah/base/exit_status.h"
#include "howdah/frameworks/framework.h"
#include "howdah/os/files/space.h"

namespace howdah::am {
namespace {

template <typename... Fs>
struct Overload : Fs... {
  using Fs::operator()...;
};
template <typename... Fs>
Overload(Fs...) -> Overload<Fs...>;  // clang 16 does not deduce the arguments of aggregates

// The time limit for sending the journal's last lines to followers. It is short, because the AM should exit soon after
// it has written these lines.
constexpr Duration kFollowersLimit = std::chrono::milliseconds(80);

// After the backend has reported the end of a container, its executor may still be killing processes. The AM waits at
// most this long for the executor to disconnect. Killing takes milliseconds, or a second on a busy node, but an
// executor on a node that has lost power never disconnects.
constexpr Duration kLeaveLimit = std::chrono::seconds(5);

int MostTasks(const jobspec::JobSpec& spec) {
  int tasks = 0;
  for (const jobspec::RoleSpec& role : spec.roles) tasks += role.instances.max;
  return tasks;
}

// Formats "; /data (ext4), 1.8 TiB, 0 B free".
std::string SpaceText(const std::string& path) {
  const auto space = os::files::SpaceAt(path);
  return space.ok() ? "; " + os::files::ToText(*space) : "";
}

// With a slash at the end; "" for a file in the current directory.
std::string DirectoryOf(const std::string& path) { return path.substr(0, path.rfind('/') + 1); }

uint64_t SeedOf(const JobId& job) { return std::hash<std::string>()(job.text); }

}  // namespace

ApplicationMaster::ApplicationMaster(AmOptions options, const os::process::Clock& clock, JobRecord record, EventLog log)
    : options_(std::move(options)),
      event_loop_(clock, options_.pulse),
      record_(std::move(record)),
      event_log_(std::move(log)),
      parts_{
          Followers(
              event_loop_.io(), options_.spec, clock, options_.journal,
              {.reply = [this](rpc::ConnectionId to, const wire::FollowReply& r) { endpoints_.SendToFollower(to, r); },
               .close = [this](rpc::ConnectionId follower) { endpoints_.Close(follower); },
               .order = [this](const ContainerId& c, const wire::ToExecutor& o) { executors_.Order(c, o); }}),
          MetricsKeeper(
              event_loop_.io(), options_.spec, clock, options_.metrics,
              {.reply = [this](rpc::ConnectionId to, const wire::MetricsReply& r) { endpoints_.SendToFollower(to, r); },
               .close = [this](rpc::ConnectionId client) { endpoints_.Close(client); },
               .order = [this](const ContainerId& c, const wire::ToExecutor& o) { executors_.Order(c, o); }}),
          Feeds(event_loop_.io(), options_.spec, clock, DirectoryOf(options_.event_log),
                {.order = [this](const ContainerId& c, const wire::ToExecutor& o) { executors_.Order(c, o); },
                 .token = [this](const std::string& feed) { return FeedToken(options_.identity, feed); },
                 .locations_changed = [this] { endpoints_.OnFeedLocationsChanged(); },
                 .fail = [this](const Error& error) { OnFailed(error); }},
                options_.may_move)},
      executors_(
          event_loop_.io(),
          {.heartbeat = options_.spec.timeouts.heartbeat,
           .await_am = options_.failover_delay + options_.spec.timeouts.am,
           .progress = ProgressInterval(options_.spec.timeouts.heartbeat, MostTasks(options_.spec)),
           .leave = kLeaveLimit},
          clock, {parts_.followers, parts_.metrics, parts_.feeds},
          [this](core::Event event) { Deliver(std::move(event)); },
          [this](rpc::ConnectionId to, const wire::ToExecutor& message,
                 std::shared_ptr<const rpc::SharedCluster> cluster) {
            endpoints_.Send(to, message, std::move(cluster));
          },
          [this](const ContainerId& container) { backend_->Left(container); }, [this] { OnReplaced(); }),
      rendezvous_(
          event_loop_.io(), clock, options_.listen_host, options_.peers, options_.spec,
          [this](int rank, const std::string& text) { Print(rank, text); },
          [this](core::RendezvousReported event) { job_loop_.Post(event); }),
      endpoints_(
          event_loop_.io(), options_, clock,
          {.executors = executors_,
           .followers = parts_.followers,
           .metrics = parts_.metrics,
           .record = record_,
           .view = [this] { return ViewWithUsage(); },
           .post = [this](core::Event event) { job_loop_.Post(std::move(event)); },
           .replace_tokens = [this](const std::string& tokens) { return backend_->ReplaceTokens(tokens); },
           .tensorboard = [this]() -> Result<uint16_t> {
             if (tensorboard_) return tensorboard_->port();
             return Failed("the job has no TensorBoard; set `tensorboard: {logdir: ...}` in the job file");
           },
           .feeds = {.locations = [this](const std::string& feed) { return parts_.feeds.Locations(feed); },
                     .token = [this](const std::string& feed) { return FeedToken(options_.identity, feed); },
                     .close = [this](const std::string& feed,
                                     const std::function<void(Status)>& done) { parts_.feeds.Close(feed, done); }}}),
      caller_(event_loop_.io()),
      job_loop_(options_.spec, frameworks::RulesOf(options_.spec), event_log_.beginning().submitted,
                SeedOf(options_.job), {event_loop_, event_loop_, event_log_, record_, *this}) {
  event_loop_.Serve(job_loop_);
  record_.SetOnAttemptEnd([this](const core::TaskChanged& ended, int64_t offset) {
    parts_.followers.AddAttemptEnd(ended.role, ended.index, ended.attempt, offset);
  });
}

ApplicationMaster::~ApplicationMaster() = default;

Status ApplicationMaster::Run(const MakeBackend& make_backend) {
  HOWDAH_TRY_STATUS(parts_.feeds.Open(event_log_.had_events()));
  HOWDAH_TRY(const Listening listening, endpoints_.Listen());
  HOWDAH_TRY(backend_, make_backend(event_loop_.io(), *this, listening));
  parts_.followers.OnJournal(record_.size());
  if (event_log_.had_events()) {
    HOWDAH_TRY_STATUS(Resume(listening));
  } else {
    job_loop_.Post(core::AmStarted{options_.node, options_.attempt, options_.generation, options_.first_task_attempt,
                                   TrackingUrl(listening)});
  }
  HOWDAH_TRY_STATUS(options_.on_listening(listening));
  StartTensorBoard();
  event_loop_.OnSignal([this](int signal) { OnSignal(signal); });
  event_loop_.Run();
  endpoints_.Close();
  if (error_) return *error_;
  return {};
}

std::string ApplicationMaster::TrackingUrl(const Listening& listening) const {
  return listening.tracking_port > 0 ? options_.tracking.proxy_url : "";
}

void ApplicationMaster::StartTensorBoard() {
  if (options_.spec.tensorboard_logdir.empty()) return;
  tensorboard_ = TensorBoard::Start(event_loop_.io(), event_loop_.clock(),
                                    {options_.spec.tensorboard_logdir, options_.open_logdir, options_.logdir_copy,
                                     options_.environment, options_.open_files, options_.agents_log_directory},
                                    [this](core::TensorBoardReported event) { job_loop_.Post(std::move(event)); });
}

void ApplicationMaster::OnSignal(int signal) {
  if (signal == SIGTERM && options_.leave_on_sigterm) return Fail(Failed("the backend has ended it (SIGTERM)"));
  job_loop_.Post(core::StopRequested{SignalName(signal) + " to the application master", std::nullopt});
}

// --- events of executors and of the backend ---

void ApplicationMaster::Deliver(core::Event event) {
  if (const auto* registered = std::get_if<core::ExecutorRegistered>(&event)) {
    caller_.Stop(registered->container);
    backend_->Connected(registered->container);
  }
  parts_.feeds.OnEvent(event);
  parts_.feeds.AddNoRestart(event);
  job_loop_.Post(std::move(event));
}

void ApplicationMaster::OnEvent(const backend::BackendEvent& event) {
  if (const auto* granted = std::get_if<core::ContainerGranted>(&event)) {
    parts_.followers.OnGranted(granted->container, granted->node);
  } else if (const auto* exited = std::get_if<core::ContainerExited>(&event)) {
    caller_.Stop(exited->container);
    return executors_.Forget(exited->container, [this, exited = *exited] { job_loop_.Post(exited); });
  }
  std::visit(Overload{[this](const auto& e) { job_loop_.Post(e); },
                      [this](const backend::TokensInUse& tokens) {
                        executors_.SetTokens(tokens.for_executors);
                        job_loop_.Post(tokens.issued);
                      },
                      [this](const backend::LogsEndangered& endangered) { executors_.KeepLogs(endangered.container); }},
             event);
}

// --- actions ---

void ApplicationMaster::Perform(const core::Action& action) {
  std::visit(Overload{
                 [&](const core::RequestContainers& a) { backend_->Request(a); },
                 [&](const core::CancelRequests&) { backend_->CancelRequests(); },
                 [&](const core::LaunchExecutor& a) {
                   parts_.followers.OnLaunched(a.container, a.task);
                   parts_.metrics.OnLaunched(a.container, a.task);
                   backend_->Launch(a.container, a.task);
                 },
                 [&](const core::ReleaseContainer& a) {
                   parts_.followers.Leave(a);
                   backend_->Release(a.container);
                 },
                 [&](const core::KillContainer& a) { backend_->Kill(a.container); },
                 [&](const core::StartTask& a) { StartTask(a); },
                 [&](const core::StopTask& a) { executors_.Stop(a); },
                 [&](const core::RequestRendezvous& a) { rendezvous_.Ask(a); },
                 [&](const core::Rejoin& a) { rendezvous_.Rejoin(a, job_loop_.job().peers()); },
                 [&](const core::AvoidNode& a) { backend_->Avoid(a.node, a.limit); },
                 [&](const core::Record&) {},  // the loop adds it to the journal
                 [&](const core::PrepareFinish& a) { PrepareFinish(a); },
                 [&](const core::FinishJob&) { FinishJob(); },
             },
             action);
}

void ApplicationMaster::StartTask(const core::StartTask& order) {
  const core::Job& job = job_loop_.job();
  executors_.SetCluster(job_loop_.steps(), job.peers(), job.exports());
  const auto rendezvous = rendezvous_.For(order.generation, job.peers());
  if (!rendezvous.ok()) return Fail(rendezvous.error());
  rendezvous_.Start(order, job.peers());
  executors_.Start(order, *rendezvous, parts_.feeds.Start(order, job.peers()));
  parts_.feeds.Started(order);
}

void ApplicationMaster::PrepareFinish(const core::PrepareFinish& order) {
  // Writing the history and removing files may block the loop for minutes. The guardian must not mistake this for a
  // hang.
  event_loop_.EndPulse();
  tensorboard_.reset();
  parts_.metrics.Finish();
  core::FinishPrepared prepared;
  if (order.final.state != core::JobState::kSucceeded) {
    prepared.checkpoint = NewestCheckpoint(options_.spec.checkpoint.dir);
  }
  const auto journal = record_.Text();
  const std::string last = journal::EncodeEntry({event_loop_.Now(), order.final}) + "\n";
  const Status written = journal.ok() ? options_.write_history(*journal + last) : Status(journal.error());
  if (!written.ok()) prepared.problem = written.error().message;
  job_loop_.Post(std::move(prepared));
}

// Called before the last line of the journal is written: the backend must have cleaned up before the final state
// becomes visible.
void ApplicationMaster::FinishJob() {
  const auto journal = record_.Text();
  // The backend must receive the final state even if the journal cannot be read.
  if (!journal.ok()) std::cerr << journal.error().message << "\n";
  backend_->Finish(record_.newest(), journal.ok() ? *journal : "");
}

void ApplicationMaster::OnPassDone() {
  parts_.followers.OnJournal(record_.size());
  const auto newest = record_.newest().type;
  parts_.feeds.OnPassDone(record_.view(),
                          newest == core::JobChanged::Type::kStopping || newest == core::JobChanged::Type::kFinished);
  if (!job_loop_.job().finished()) return;
  parts_.feeds.Finish();
  parts_.followers.Finish(kFollowersLimit, [this] { event_loop_.Stop(); });
}

void ApplicationMaster::Print(int rank, const std::string& text) {
  for (const journal::TaskView& task : record_.view().tasks) {
    const auto found = std::find(task.ranks.begin(), task.ranks.end(), rank);
    if (found == task.ranks.end()) continue;
    wire::ToExecutor order;
    order.mutable_print()->set_attempt(task.attempt);
    order.mutable_print()->set_local_rank(static_cast<int>(found - task.ranks.begin()));
    order.mutable_print()->set_text(text);
    executors_.Order(ContainerId{task.container}, order);
  }
}

journal::JobView ApplicationMaster::ViewWithUsage() const {
  journal::JobView view = record_.view();
  for (journal::TaskView& task : view.tasks) {
    if (const journal::Usage* usage = executors_.usage(ContainerId{task.container})) task.usage = *usage;
    const auto* progress = executors_.progress(ContainerId{task.container});
    if (progress != nullptr && progress->attempt == task.attempt) task.progress = progress->newest;
  }
  view.feeds = parts_.feeds.View();
  return view;
}

// --- recovery ---

Status ApplicationMaster::Resume(const Listening& listening) {
  past_ = std::make_unique<PastContainers>();
  HOWDAH_TRY_STATUS(ReplayEvents());
  // An AM on another node has copies of the logs, and the executors do not know its address.
  HOWDAH_TRY_STATUS(parts_.feeds.Resume(/*from_copy=*/!options_.executors_know_port));
  const int attempt = std::max(options_.attempt, record_.view().am_attempt + 1);
  std::vector<backend::Inherited> containers;
  std::vector<ContainerId> surplus;
  for (const auto& [id, inherited] : past_->held()) {
    // The container is surplus: the backend has already released it, or releases it now.
    if (inherited.role < 0) {
      surplus.push_back(id);
      continue;
    }
    containers.push_back(inherited);
    if (!options_.executors_know_port) caller_.Call(id, past_->CallbackOf(id), listening.address);
  }
  past_.reset();
  backend_->Inherit(containers, attempt);
  for (const ContainerId& id : surplus) job_loop_.Post(core::ContainerExited{.container = id});
  job_loop_.Post(core::AmResumed{attempt, options_.how_before_died, TrackingUrl(listening)});
  return {};
}

// Replaying the events produces the journal's entries again. If the journal has more entries than the replay produces,
// the event log has lost events.
Status ApplicationMaster::ReplayEvents() {
  const size_t before = event_log_.beginning().journal_entries;
  const size_t recorded = record_.entries_before() - std::min(record_.entries_before(), before);
  HOWDAH_TRY_STATUS(
      EventLog::Read(event_log_.path(), [&](const loop::LoggedEvent& logged) { job_loop_.Replay(logged, recorded); }));
  if (job_loop_.replayed_entries() >= recorded) return {};
  return Failed("the event log " + event_log_.path() + " is incomplete: " +
                std::to_string(job_loop_.replayed_entries()) + " of the journal's " + std::to_string(recorded) +
                " entries follow from it; the job cannot be continued without starting its tasks a second time");
}

void ApplicationMaster::Replayed(const loop::LoggedEvent& logged, const std::vector<core::Action>& actions) {
  past_->Replay(logged.event, actions);
  parts_.feeds.Replay(logged.event);
  if (const auto* granted = std::get_if<core::ContainerGranted>(&logged.event)) {
    parts_.followers.OnGranted(granted->container, granted->node);
  } else if (const auto* exited = std::get_if<core::ContainerExited>(&logged.event)) {
    executors_.Forget(exited->container, [] {});
  }
  for (const core::Action& action : actions) {
    if (const auto* start = std::get_if<core::StartTask>(&action)) {
      parts_.feeds.Replay(*start, job_loop_.job().peers());
    }
    const auto* launch = std::get_if<core::LaunchExecutor>(&action);
    if (launch == nullptr) continue;
    parts_.followers.OnLaunched(launch->container, launch->task);
    parts_.metrics.OnLaunched(launch->container, launch->task);
  }
}

void ApplicationMaster::OnFailed(const Error& error) {
  Fail(error.code == ErrorCode::kNoSpace ? Error{error.code, error.message + SpaceText(options_.journal)} : error);
}

void ApplicationMaster::OnNoSpace(const Error& error) {
  std::cerr << error.message << SpaceText(options_.journal) << "; the tasks continue, and events wait in memory\n";
}

void ApplicationMaster::OnSpace(Duration full_for) {
  std::cerr.clear();  // earlier writes that failed have set the stream's error state
  std::cerr << "the event log could be written again after " << FormatDuration(full_for) << "\n";
}

// Stops the loop, because the AM cannot continue, for example because the journal's disk stays full. The guardian then
// kills all processes of the AM and records the reason.
void ApplicationMaster::Fail(const Error& error) {
  error_ = error;
  Stop();
}

// The backend has started another AM, because it could not reach this one. The exit is not a failure, because the
// guardian would otherwise record the end of the job if this is the last attempt that it knows.
void ApplicationMaster::OnReplaced() {
  std::cerr << "another application master has taken over the executors of the job; this one exits\n";
  Stop();
}

void ApplicationMaster::Stop() {
  job_loop_.Stop();
  event_loop_.Stop();
}

}  // namespace howdah::am
