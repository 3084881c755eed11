#include "executor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/post.hpp>

#include "howdah/base/version.h"
#include "howdah/frameworks/framework.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/tree.h"
#include "own_address.h"
#include "say.h"
#include "start_support.h"
#include "workspace.h"

namespace howdah::executor {
namespace {

constexpr size_t kSpecLimit = size_t{16} << 20;
constexpr Duration kFirstConnectLimit = std::chrono::seconds(20);

}  // namespace

std::optional<core::PeerGroup> ReadCluster(const wire::Cluster& cluster, const jobspec::JobSpec& spec, TaskId task) {
  if (static_cast<size_t>(cluster.sizes_size()) != spec.roles.size()) return std::nullopt;
  core::PeerGroup out;
  int next = 0;
  const int count = std::min(cluster.host_size(), cluster.port_size());
  for (const int size : cluster.sizes()) {
    if (size < 0 || size > count - next) return std::nullopt;
    auto& role = out.emplace_back();
    role.reserve(static_cast<size_t>(size));
    for (int i = 0; i < size; ++i, ++next) {
      const uint32_t host = cluster.host(next), port = cluster.port(next);
      if (host >= static_cast<uint32_t>(cluster.hosts_size()) || port > UINT16_MAX) return std::nullopt;
      role.push_back({cluster.hosts(static_cast<int>(host)), static_cast<uint16_t>(port)});
    }
  }
  if (task.index < 0 || static_cast<size_t>(task.index) >= out[static_cast<size_t>(task.role)].size())
    return std::nullopt;
  return out;
}

jobspec::EnvVars ReadExports(const wire::Cluster& cluster, const jobspec::JobSpec& spec, TaskId task) {
  core::Exports exports(spec.roles.size());
  for (const wire::Exported& exported : cluster.exports()) {
    if (exported.role() >= exports.size()) continue;
    for (const wire::Variable& variable : exported.variables()) {
      exports[exported.role()].emplace_back(variable.name(), variable.value());
    }
  }
  return core::ExportsFor(spec, exports, task.role);
}

Executor::Executor(const TaskOptions& options, os::process::PortReservation port, pid_t guardian,
                   MakeChannelTo make_channel)
    : port_(std::move(port)),
      heartbeat_timer_(loop_),
      children_(loop_),
      guardian_(loop_),
      progress_(loop_, {[this](core::ProgressLine::Kind kind) { OnProgressLine(kind); },
                        [this](int rank, const std::string& line) {
                          Say("local rank " + std::to_string(rank) +
                              " wrote a line to HOWDAH_PROGRESS that is none of `step N`, `checkpoint N` and "
                              "`checkpointing`; it and any further one is left out: " +
                              line);
                        }}),
      tunnels_(
          loop_,
          [this, make_channel = std::move(make_channel)](rpc::Post post) {
            return make_channel(plan_.options.am_address, std::move(post));
          },
          [this](const jobspec::Command& command) -> std::optional<Launch> {
            if (!attempt_ || attempt_->stopping()) return std::nullopt;
            return PrepareCommand(plan_, surroundings_, place_, command);
          },
          [this](pid_t pid) {
            if (frameworks::HoldsPlace(plan_.spec, plan_.task)) attempt_->AddGuest(pid);
          }),
      farewell_(loop_) {
  plan_.options = options;
  plan_.task.index = options.index;
  sigset_t child_signal;
  ::sigemptyset(&child_signal);
  ::sigaddset(&child_signal, SIGCHLD);
  children_.assign(::signalfd(-1, &child_signal, SFD_CLOEXEC | SFD_NONBLOCK));
  WatchChildren();
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, guardian, 0));
  if (pidfd < 0 || ::getppid() != guardian) OnGuardianGone();
  guardian_.assign(pidfd);
  WatchGuardian();
}

Executor::~Executor() {
  if (filling_.joinable()) filling_.join();
}

Status Executor::Attach(Connect connect) {
  host_ = plan_.options.host;
  if (host_.empty()) {
    auto own = OwnAddressTowards(plan_.options.am_address);
    if (!own) return own.error();
    host_ = std::move(*own);
  }
  plan_.interface = InterfaceOf(host_);
  if (plan_.options.am_may_move) {
    auto callback =
        rpc::callback::CallbackListener::Listen(loop_, host_, [this](const std::string& am) { OnCallback(am); });
    if (!callback.ok()) return callback.error();
    callback_ = std::move(*callback);
  }
  connect_ = std::move(connect);
  Register();
  if (link_ == nullptr) return Failed("connecting to the application master");
  return {};
}

void Executor::Register() {
  link_ = connect_(
      plan_.options.am_address, [this](std::function<void()> task) { boost::asio::post(loop_, std::move(task)); },
      {[this](const wire::ToExecutor& message) { OnMessage(message); },
       [this](const std::string& why) { OnClosed(why); }, [this] { logs_.OnSent(); }},
      alone_since_ ? AwaitedFor() : kFirstConnectLimit);
  if (link_ == nullptr) return;
  connected_ = true;
  wire::FromExecutor message;
  wire::Register& hello = *message.mutable_register_();
  hello.set_container(plan_.options.container);
  hello.set_version(std::string(kVersion));
  hello.set_host(host_);
  hello.set_port(port_.port());
  hello.set_pid(::getpid());
  hello.set_attempt(last_attempt_);
  if (callback_) hello.set_callback_address(callback_->address());
  link_->Send(message);
  for (const wire::FromExecutor& report : reports_) link_->Send(report);
  progress_told_.reset();  // the next heartbeat tells it anew
}

Status Executor::Prepare() {
  const auto text = os::files::ReadFile(plan_.options.job_file, kSpecLimit);
  if (!text) return text.error();
  auto spec = jobspec::ReadEffective(*text);
  if (!spec) return spec.error().While("reading " + plan_.options.job_file);
  plan_.spec = std::move(*spec);
  const auto role = std::find_if(plan_.spec.roles.begin(), plan_.spec.roles.end(),
                                 [&](const jobspec::RoleSpec& r) { return r.name == plan_.options.role; });
  if (role == plan_.spec.roles.end()) return Failed("the job has no role '" + plan_.options.role + "'");
  plan_.task.role = static_cast<int>(role - plan_.spec.roles.begin());
  if (frameworks::NeedsTensorboardPort(plan_.spec, {plan_.task.role, plan_.options.index})) {
    auto port = os::process::PortReservation::Reserve();
    if (!port) return port.error();
    port->StopHolding();  // whose server it will be is not known
    plan_.tensorboard_port = port->port();
    tensorboard_port_ = std::move(*port);
  }
  auto inherited = ReadInherited(plan_.options.environment_file);
  if (!inherited) return inherited.error();
  plan_.inherited = std::move(*inherited);
  plan_.start_support = PlanStartSupport(plan_);
  logs_.Begin(plan_.options, plan_.role().processes);
  servers_bind_held_port_ = frameworks::ServersBindHeldPorts(plan_.spec.framework);
  gpus_ = std::make_unique<GpuSampler>(loop_, plan_.options.gpus.value_or(std::vector<int>()), plan_.inherited["PATH"]);
  if (!HasFiles(plan_.spec)) {
    OnWorkspace(FillWorkspace(plan_.options, plan_.spec));
    return {};
  }
  filling_ = std::thread([this] {
    const Status filled = FillWorkspace(plan_.options, plan_.spec);
    boost::asio::post(loop_, [this, filled] { OnWorkspace(filled); });
  });
  return {};
}

int Executor::Run() {
  loop_.run();
  return exit_code_.value_or(1);
}

void Executor::WatchChildren() {
  children_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                         if (error) return;
                         signalfd_siginfo told[8];
                         while (::read(children_.native_handle(), told, sizeof told) > 0) {
                         }
                         OnChildren();
                         WatchChildren();
                       });
}

void Executor::WatchGuardian() {
  guardian_.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                       [this](const boost::system::error_code& error) {
                         if (!error) OnGuardianGone();
                       });
}

void Executor::OnGuardianGone() {
  Say("the guardian is gone: ending everything");
  os::process::KillAllDescendants();
  ::_exit(1);
}

void Executor::OnChildren() {
  while (const auto child = os::process::ReapAny()) {
    if (attempt_) attempt_->OnReaped(*child);
    tunnels_.OnReaped(*child);
  }
  if (attempt_) attempt_->Advance();
}

void Executor::OnWorkspace(const Status& filled) {
  if (filling_.joinable()) filling_.join();
  workspace_ = filled;
  if (!pending_) return;
  const PendingStart start = std::move(*pending_);
  pending_.reset();
  StartAttempt(start);
}

}  // namespace howdah::executor
