#include "local_backend.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "howdah/base/exit_status.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/machine.h"
#include "job_processes.h"

namespace howdah::backend::local {
namespace {

using namespace std::chrono_literals;

// The longest time for a guardian to kill all processes of its task.
constexpr auto kKillLimit = 2000ms;
constexpr auto kRequestInterval = 1000ms;

// Whether the events in an inotify buffer include one for a lease file or a priority (not only for the file `lock`).
bool ConcernsLease(const char* bytes, size_t size) {
  for (size_t at = 0; at + sizeof(inotify_event) <= size;) {
    const auto* event = reinterpret_cast<const inotify_event*>(bytes + at);
    const std::string_view name = event->len > 0 ? event->name : "";
    if ((event->mask & IN_Q_OVERFLOW) != 0 || name.ends_with(".lease") || name.ends_with(".priority")) return true;
    at += sizeof(inotify_event) + event->len;
  }
  return false;
}

core::Resources GrantedResources(const Lease& lease) {
  return {lease.memory_bytes, lease.vcores, static_cast<int64_t>(lease.gpus.size())};
}

}  // namespace

LocalBackend::LocalBackend(boost::asio::io_context& loop, backend::Sink& sink, AgentJob& job, const AmStart& start,
                           const std::string& path, LeaseRegistry& leases, AmEndpoint am,
                           const os::process::Clock& clock)
    : loop_(loop),
      sink_(sink),
      job_(job),
      start_(start),
      capacity_(MachineCapacity(path, RequestsGpus(job.spec()))),
      leases_(leases),
      am_(std::move(am)),
      clock_(clock),
      leases_changed_(loop),
      request_timer_(loop),
      machine_has_gpus_(os::process::LookUpCommand("nvidia-smi", path, "/").error == 0) {}

LocalBackend::~LocalBackend() = default;

void LocalBackend::Inherit(const std::vector<backend::Inherited>& inherited, int am_attempt) {
  name_prefix_ += std::to_string(am_attempt) + "-";
  if (const Status reloaded = leases_.Reload(); !reloaded.ok())
    return sink_.OnEvent(core::RequestsRefused{reloaded.error().message});
  std::vector<Lease> leases = leases_.job_leases().held;
  for (const backend::Inherited& one : inherited) {
    const auto lease =
        std::find_if(leases.begin(), leases.end(), [&](const Lease& l) { return l.container == one.container.text; });
    if (lease == leases.end()) {  // the earlier AM released the lease and died before it could report the exit
      sink_.OnEvent(core::ContainerExited{.container = one.container});
      continue;
    }
    Container& container = containers_.try_emplace(one.container, loop_, std::move(*lease)).first->second;
    leases.erase(lease);
    if (const Status adopted = Adopt(container, one); !adopted.ok())
      return sink_.OnEvent(core::RequestsRefused{adopted.error().message});
  }
  for (const Lease& lease : leases) {  // the earlier AM died before it could report the grant
    if (const Status released = leases_.Release(lease.container); !released.ok())
      sink_.OnEvent(core::RequestsRefused{released.error().message});
    sink_.OnEvent(core::ContainerGranted{{lease.container}, -1, os::process::NodeName(), GrantedResources(lease)});
    sink_.OnEvent(core::ContainerExited{.container = {lease.container}});
  }
}

// Watches the processes that an earlier AM launched in the container.
Status LocalBackend::Adopt(Container& container, const backend::Inherited& inherited) {
  const std::string alive = job_.files().alive() + "/" + inherited.container.text;
  if (!inherited.task || access(alive.c_str(), F_OK) != 0) return {};
  container.inherited = true;
  container.log = LogOf(*inherited.task);
  HOWDAH_TRY_STATUS(OpenAlive(container, inherited.container));
  const pid_t guardian = FindGuardian(job_.files(), inherited.container);
  container.guardian.pid = guardian;
  if (guardian >= 0) container.guardian.pidfd = os::files::Fd(static_cast<int>(syscall(SYS_pidfd_open, guardian, 0)));
  WatchAlive(container, inherited.container);
  return {};
}

void LocalBackend::Request(const core::RequestContainers& request) {
  Pending group;
  for (const auto& ask : request.asks) {
    const jobspec::RoleSpec& role = job_.spec().roles[static_cast<size_t>(ask.role)];
    for (int i = 0; i < ask.count; ++i) {
      group.requests.push_back({name_prefix_ + std::to_string(++containers_made_), role.memory_bytes, role.vcores,
                                role.gpus, request.optional});
      group.roles.push_back(ask.role);
      if (request.together) continue;
      Enqueue(std::move(group));
      group = {};
    }
  }
  if (!group.requests.empty()) Enqueue(std::move(group));
  RequestNext();
}

// Inserts the group so that required requests come before optional ones.
void LocalBackend::Enqueue(Pending group) {
  const auto after = group.requests.front().optional
                         ? pending_.end()
                         : std::find_if(pending_.begin(), pending_.end(),
                                        [](const Pending& other) { return other.requests.front().optional; });
  pending_.insert(after, std::move(group));
}

void LocalBackend::CancelRequests() {
  pending_.clear();
  StopWatching();
  if (auto cleared = leases_.Request({}, {}, clock_.Now()); !cleared.ok())
    sink_.OnEvent(core::RequestsRefused{cleared.error().message});
}

// Requests the pending groups in order. Stops at the first group that has to wait.
void LocalBackend::RequestNext() {
  while (!pending_.empty()) {
    Pending& group = pending_.front();
    if (const std::string never = ImpossibleRequest(capacity_, group.requests); !never.empty()) {
      sink_.OnEvent(core::RequestsRefused{never});
      return;
    }
    auto decision = leases_.Request(capacity_, group.requests, clock_.Now());
    if (decision.ok() && !decision->granted && !leases_changed_.is_open()) {
      // Watch the leases only while a request waits, because the kernel takes some 10 ms to end a watch. Then request
      // once more: the leases may have changed before the watch began.
      if (!WatchLeases()) RequestLater();
      decision = leases_.Request(capacity_, group.requests, clock_.Now());
    }
    if (!decision.ok() && decision.error().code == ErrorCode::kNoSpace) {
      // Wait instead of failing: a full disk usually gets cleaned up soon, because it disturbs other users, too.
      waiting_ = true;
      RequestLater();
      return sink_.OnEvent(core::RequestsDelayed{decision.error().message});
    }
    if (!decision.ok()) return sink_.OnEvent(core::RequestsRefused{decision.error().message});
    if (!decision->granted) {
      waiting_ = true;
      return sink_.OnEvent(core::RequestsDelayed{decision->waits_for, decision->queued});
    }
    for (size_t i = 0; i < group.requests.size(); ++i) {
      const ContainerId id{group.requests[i].container};
      Lease& lease = (*decision->granted)[i];
      const core::Resources granted = GrantedResources(lease);
      containers_.try_emplace(id, loop_, std::move(lease));
      sink_.OnEvent(core::ContainerGranted{id, group.roles[i], os::process::NodeName(), granted});
    }
    pending_.pop_front();
  }
  StopWatching();
  if (std::exchange(waiting_, false)) sink_.OnEvent(core::RequestsDelayed{""});
}

void LocalBackend::RequestLater() {
  request_timer_.expires_after(kRequestInterval);
  request_timer_.async_wait([this](const boost::system::error_code& stopped) {
    if (!stopped) RequestNext();
  });
}

// Returns false if the user has no inotify instance or watch left: all programs of the user share them.
bool LocalBackend::WatchLeases() {
  os::files::Fd fd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  constexpr uint32_t kChanges = IN_MODIFY | IN_CLOSE_WRITE | IN_DELETE | IN_MOVED_TO;
  if (!fd.valid() || inotify_add_watch(fd.get(), start_.lease_dir.c_str(), kChanges) < 0) return false;
  leases_changed_.assign(fd.Release());
  const auto again = [this](auto self) -> void {
    leases_changed_.async_read_some(boost::asio::buffer(changes_),
                                    [this, self](const boost::system::error_code& error, size_t size) {
                                      if (error) return;
                                      if (ConcernsLease(changes_.data(), size)) RequestNext();
                                      if (leases_changed_.is_open()) self(self);
                                    });
  };
  again(again);
  return true;
}

void LocalBackend::StopWatching() {
  request_timer_.cancel();
  boost::system::error_code ignored;
  leases_changed_.close(ignored);
}

void LocalBackend::Launch(const ContainerId& id, const TaskId& task) {
  const auto it = containers_.find(id);
  if (it == containers_.end() || it->second.alive.is_open()) return;
  if (const Status spawned = Spawn(it->second, id, task); !spawned.ok()) {
    Remove(id, "executor could not be started: " + spawned.error().message);
  }
}

void LocalBackend::Remove(const ContainerId& id, const std::string& how) {
  if (const Status released = leases_.Release(id.text); !released.ok())
    sink_.OnEvent(core::RequestsRefused{released.error().message});
  unlink((job_.files().alive() + "/" + id.text).c_str());
  containers_.erase(id);
  sink_.OnEvent(core::ContainerExited{.container = id, .how = how});
}

std::string LocalBackend::LogOf(const TaskId& task) const {
  const std::string& role = job_.spec().roles[static_cast<size_t>(task.role)].name;
  return job_.files().agents() + "/" + JobFiles::TaskName(role, task.index) + ".log";
}

Status LocalBackend::OpenAlive(Container& container, const ContainerId& id) {
  const std::string path = job_.files().alive() + "/" + id.text;
  const int fd = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) return os::files::SystemError("opening " + path);
  container.alive.assign(fd);
  return {};
}

void LocalBackend::WatchAlive(Container& container, const ContainerId& id) {
  container.alive.async_read_some(boost::asio::buffer(container.byte),
                                  [this, id](const boost::system::error_code& error, size_t) {
                                    if (error != boost::asio::error::operation_aborted) OnProcessesExited(id);
                                  });
}

Status LocalBackend::Spawn(Container& container, const ContainerId& id, const TaskId& task) {
  container.log = LogOf(task);
  HOWDAH_TRY(auto log, os::files::OpenForAppend(container.log, 0600));
  const std::string alive = job_.files().alive() + "/" + id.text;
  HOWDAH_TRY_STATUS(os::files::MakeDirectories(job_.files().alive(), 0700));
  if (mkfifo(alive.c_str(), 0600) != 0) return os::files::SystemError("making the pipe " + alive);
  HOWDAH_TRY_STATUS(OpenAlive(container, id));
  const os::files::Fd held_by_child(open(alive.c_str(), O_WRONLY | O_CLOEXEC));
  if (!held_by_child.valid()) return os::files::SystemError("opening " + alive);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0) {
    return os::files::SystemError("making a socket pair");
  }
  os::files::Fd own(ends[0]);
  const os::files::Fd of_executor(ends[1]);
  std::vector<std::string> arguments = TaskArguments(container, id, task);
  arguments.insert(arguments.end(), {"--am-socket", std::to_string(of_executor.get())});
  HOWDAH_TRY(auto child, os::process::SpawnOrError({
                             .program = start_.agent,
                             .argv = std::move(arguments),
                             .environment = job_.ToolEnvironment(),
                             .directory = start_.job_dir,
                             .stdout_fd = log.get(),
                             .stderr_fd = log.get(),
                             .kept = {held_by_child.get(), of_executor.get()},
                             .open_files = start_.open_files,
                         }));
  container.guardian = std::move(child);
  am_.add_executor(std::move(own));
  WatchAlive(container, id);
  return {};
}

// Called when guardian and executor have exited.
void LocalBackend::OnProcessesExited(const ContainerId& id) {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  const std::string log = it->second.log;
  if (it->second.inherited) {  // the exit status went to the guardian's parent, the earlier AM; only the log is left
    const std::string last_line = os::files::LastLine(log);
    return Remove(id, "executor exited" + (last_line.empty() ? "" : ": " + last_line));
  }
  const ExitStatus status = os::process::WaitFor(it->second.guardian);
  std::string how = status.success() ? "" : "executor " + DescribeEnd(status);
  const std::string last_line = status.code.value_or(0) != 0 ? os::files::LastLine(log) : "";
  if (!last_line.empty()) how += ": " + last_line;
  Remove(id, how);
}

std::vector<std::string> LocalBackend::TaskArguments(const Container& container, const ContainerId& id,
                                                     const TaskId& task) const {
  const std::string& role = job_.spec().roles[static_cast<size_t>(task.role)].name;
  const JobFiles& files = job_.files();
  std::vector<std::string> arguments = {"howdah-agent",  "task",
                                        "--job",         job_.id().text,
                                        "--job-file",    files.spec(),
                                        "--container",   id.text,
                                        "--role",        role,
                                        "--index",       std::to_string(task.index),
                                        "--am",          am_.address,
                                        "--tls",         files.tls(),
                                        "--staging",     files.staging(),
                                        "--work",        files.task_work(role, task.index),
                                        "--logs",        files.task_logs(role, task.index),
                                        "--environment", files.environment()};
  const auto add = [&](const char* flag, std::string value) {
    arguments.push_back(flag);
    arguments.push_back(std::move(value));
  };
  if (access(files.keep_work().c_str(), F_OK) == 0) arguments.push_back("--keep-work");
  if (!job_.spec().python_archive.empty()) add("--python", files.python());
  if (machine_has_gpus_) {
    std::string gpus;
    for (const int gpu : container.lease.gpus) gpus += (gpus.empty() ? "" : ",") + std::to_string(gpu);
    add("--gpus", gpus);
  }
  return arguments;
}

void LocalBackend::Release(const ContainerId& id) {
  const auto it = containers_.find(id);
  if (it != containers_.end() && !it->second.alive.is_open()) Remove(id, "");
}

void LocalBackend::Kill(const ContainerId& id) {
  const auto it = containers_.find(id);
  if (it == containers_.end()) return;
  if (!it->second.alive.is_open()) return Release(id);
  KillAfter(id, 0ms, SIGTERM);
}

// On SIGTERM the guardian kills all processes of the task. If the guardian does not exit, it receives SIGKILL, and the
// executor then kills all processes of the task.
void LocalBackend::KillAfter(const ContainerId& id, std::chrono::milliseconds wait, int signal) {
  boost::asio::steady_timer& kill_timer = containers_.at(id).kill_timer;
  kill_timer.expires_after(wait);
  kill_timer.async_wait([this, id, signal](const boost::system::error_code& error) {
    const auto it = containers_.find(id);
    if (error || it == containers_.end()) return;
    // Use the pidfd, because the pid may have been reused.
    syscall(SYS_pidfd_send_signal, it->second.guardian.pidfd.get(), signal, nullptr, 0);
    if (signal == SIGTERM) KillAfter(id, kKillLimit, SIGKILL);
  });
}

void LocalBackend::Finish(const core::JobChanged&, const std::string&) {
  StopWatching();
  job_.CleanUp();
}

}  // namespace howdah::backend::local
