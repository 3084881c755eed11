// For tests: a task with real guardian and executor processes. The test acts as the AM.
#pragma once

#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "guardian.h"
#include "howdah/jobspec/job_file.h"
#include "howdah/os/process/testing.h"
#include "run_executor.h"

namespace howdah::executor {

// A link over a socket that keeps message boundaries.
class SocketLink final : public rpc::ExecutorLink {
 public:
  SocketLink(int fd, rpc::Post post, Handlers handlers) : fd_(fd), post_(post), on_sent_(handlers.on_sent) {
    // As with gRPC, a thread of the link delivers the messages. It ends when the process calls _exit.
    std::thread([fd, post = std::move(post), handlers = std::move(handlers)] {
      std::string bytes(1 << 20, '\0');
      for (;;) {
        const ssize_t size = ::recv(fd, bytes.data(), bytes.size(), 0);
        if (size <= 0) return post([handlers] { handlers.on_closed("end of the stream"); });
        wire::ToExecutor message;
        if (message.ParseFromArray(bytes.data(), static_cast<int>(size))) {
          post([handlers, message] { handlers.on_message(message); });
        }
      }
    }).detach();
  }
  void Send(const wire::FromExecutor& message) override {
    const std::string bytes = message.SerializeAsString();
    ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    post_(on_sent_);
  }
  void Finish() override { ::shutdown(fd_, SHUT_WR); }

 private:
  int fd_;
  rpc::Post post_;
  std::function<void()> on_sent_;
};

// The bytes of a message, whose texts are readable. Messages of protobuf's lite runtime have no other text form.
inline std::string Shown(const google::protobuf::MessageLite& message) {
  return testing::PrintToString(message.SerializeAsString());
}

inline sockaddr_un AddressOf(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// Connects to the AM that listens at `path`. If no AM listens there, the returned link soon closes.
inline std::unique_ptr<rpc::ExecutorLink> ConnectTo(const std::string& path, rpc::Post post,
                                                    rpc::ExecutorLink::Handlers handlers) {
  constexpr int kHangUpMillis = 20;
  const sockaddr_un address = AddressOf(path);
  int ends[2] = {::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0), -1};
  if (::connect(ends[0], reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(ends[0]);
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
    std::thread([peer = ends[1]] {
      ::poll(nullptr, 0, kHangUpMillis);
      ::close(peer);
    }).detach();
  }
  return std::make_unique<SocketLink>(ends[0], std::move(post), std::move(handlers));
}

// Task worker:0 of a job with the single role "worker", in a scratch directory.
class Task {
 public:
  Task() {
    spec.name = "test";
    spec.checkpoint.grace = std::chrono::seconds(20);
    // Tests of metrics set an interval; other tests expect no samples among their messages.
    spec.metrics_interval = Duration(0);
    spec.roles.resize(1);
    spec.roles[0].name = "worker";
    spec.roles[0].memory_bytes = 64 << 20;
    options.job_id = scratch.path().substr(scratch.path().find_last_of('/') + 1);
    options.job_file = scratch / "job.json";
    options.container = "c1";
    options.role = "worker";
    options.host = "127.0.0.1";
    options.staging_dir = scratch / "staging";
    options.work_dir = scratch / "work";
    options.logs_dir = scratch / "logs";
  }
  explicit Task(const std::string& script) : Task() {
    role().command.shell = script;
    Launch();
  }
  ~Task() {
    am = os::files::Fd();
    if (guardian > 0) Wait();
    EXPECT_TRUE(Left().empty());
  }

  jobspec::RoleSpec& role() { return spec.roles[0]; }

  // Starts guardian and executor, and receives the Register.
  void Launch() {
    int ends[2];
    ASSERT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    ASSERT_TRUE(os::files::WriteFileAtomically(options.job_file, jobspec::WriteEffective(spec)).ok());
    am = os::files::Fd(ends[0]);
    guardian = ::fork();
    if (guardian == 0) {
      ::close(ends[0]);
      ::_exit(RunGuardian(
          [&](const Guardian& as_seen) {
            return RunExecutor(
                options,
                [&, first = true](const std::string& am, rpc::Post post, rpc::ExecutorLink::Handlers handlers,
                                  Duration) mutable -> std::unique_ptr<rpc::ExecutorLink> {
                  if (!std::exchange(first, false)) {
                    return ConnectTo(am.empty() ? another_am() : am, std::move(post), std::move(handlers));
                  }
                  return std::make_unique<SocketLink>(ends[1], std::move(post), std::move(handlers));
                },
                [](const std::string&, const rpc::Post&) -> Result<std::unique_ptr<rpc::FrameChannel>> {
                  return Failed("a test");
                },
                as_seen);
          },
          [] {}));
    }
    ::close(ends[1]);
    const auto hello = Receive();
    ASSERT_TRUE(hello && hello->has_register_());
    port = hello->register_().port();
    callback = hello->register_().callback_address();
    executor = hello->register_().pid();
    EXPECT_EQ(hello->register_().container(), "c1");
    EXPECT_EQ(hello->register_().attempt(), -1);
  }

  std::string another_am() const { return scratch / "am"; }
  void LoseAm() { am = os::files::Fd(); }
  // Acts as the next AM: accepts a connection and receives the Register, which must name `attempt` as the newest
  // attempt.
  void TakeOver(int attempt) { TakeOver(attempt, another_am()); }
  void TakeOver(
      int attempt, const std::string& path, const std::function<void()>& listening = [] {}) {
    const os::files::Fd listener(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
    const sockaddr_un address = AddressOf(path);
    ASSERT_EQ(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(listener.get(), 1), 0);
    listening();
    pollfd caller{listener.get(), POLLIN, 0};
    ASSERT_EQ(::poll(&caller, 1, 60'000), 1) << "the executor did not connect to the next AM";
    am = os::files::Fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ::unlink(path.c_str());
    const auto hello = Receive();
    ASSERT_TRUE(hello && hello->has_register_());
    EXPECT_EQ(hello->register_().attempt(), attempt);
  }
  // am_timeout: how long the executor continues without an AM.
  void Welcome(Duration am_timeout = std::chrono::minutes(5)) {
    wire::ToExecutor message;
    message.mutable_welcome()->set_heartbeat_millis(3'600'000);
    message.mutable_welcome()->set_await_am_micros(am_timeout.count());
    Send(message);
  }

  void Send(const wire::ToExecutor& message) {
    const std::string bytes = message.SerializeAsString();
    ASSERT_EQ(::send(am.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
  }
  void Start(int attempt, int generation = 0) {
    wire::ToExecutor message;
    message.mutable_start()->set_attempt(attempt);
    message.mutable_start()->set_generation(generation);
    message.mutable_cluster()->add_hosts("127.0.0.1");
    message.mutable_cluster()->add_sizes(1);
    message.mutable_cluster()->add_host(0);
    message.mutable_cluster()->add_port(port);
    Send(message);
  }
  void Stop(int attempt, Duration grace) {
    wire::ToExecutor message;
    message.mutable_stop()->set_attempt(attempt);
    message.mutable_stop()->set_grace_micros(grace.count());
    Send(message);
  }
  void Leave(Duration linger = Duration(0), bool replaced = false) {
    wire::ToExecutor message;
    message.mutable_leave()->set_linger_micros(linger.count());
    message.mutable_leave()->set_replaced(replaced);
    Send(message);
  }

  // Returns the next message, or nullopt at the end of the stream or after a timeout.
  std::optional<wire::FromExecutor> Receive() {
    pollfd wanted{am.get(), POLLIN, 0};
    std::string bytes(1 << 17, '\0');
    if (!am.valid() || ::poll(&wanted, 1, 60'000) != 1) return std::nullopt;
    const ssize_t size = ::recv(am.get(), bytes.data(), bytes.size(), 0);
    wire::FromExecutor message;
    if (size > 0 && message.ParseFromArray(bytes.data(), static_cast<int>(size))) return message;
    am = os::files::Fd();
    return std::nullopt;
  }
  wire::Started ReceiveStarted() {
    const auto message = Receive();
    EXPECT_TRUE(message && message->has_started()) << (message ? Shown(*message) : "nothing");
    return message ? message->started() : wire::Started();
  }
  wire::RankExited ReceiveExit() {
    const auto message = Receive();
    EXPECT_TRUE(message && message->has_rank_exited()) << (message ? Shown(*message) : "nothing");
    return message ? message->rank_exited() : wire::RankExited();
  }
  void ExpectEnded(int attempt) { EXPECT_EQ(ReceiveEnded().attempt(), attempt); }
  wire::Ended ReceiveEnded() {
    const auto message = Receive();
    EXPECT_TRUE(message && message->has_ended()) << (message ? Shown(*message) : "nothing");
    EXPECT_TRUE(Left().empty()) << "Ended comes when no process is left";
    return message ? message->ended() : wire::Ended();
  }
  // Runs an attempt to its end. Returns the RankExited of rank 0.
  wire::RankExited RunAttempt(int attempt) {
    Start(attempt);
    EXPECT_EQ(ReceiveStarted().attempt(), attempt);
    const wire::RankExited exited = ReceiveExit();
    ExpectEnded(attempt);
    return exited;
  }
  // Waits until the task has written a file into its working directory.
  bool AwaitFile(const std::string& name) {
    return os::process::Eventually([&] { return os::files::ReadFile(options.work_dir + "/" + name).ok(); },
                                   std::chrono::seconds(60));
  }
  std::string Log(const std::string& name) { return os::files::Content(options.logs_dir + "/" + name); }

  // Waits for the end of the guardian. Returns its exit code, or the negative number of the signal that killed it.
  int Wait() {
    while (am.valid() && Receive()) {
    }
    int status = -1;
    ::waitpid(std::exchange(guardian, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

  // Returns the remaining processes of the task, found by the job's id in their environment.
  std::vector<std::string> Left() {
    std::vector<std::string> left;
    const auto names = os::files::ListDirectory("/proc");
    for (const std::string& name : *names) {
      if (name[0] < '0' || name[0] > '9') continue;
      const auto environment = os::files::ReadFile("/proc/" + name + "/environ");
      if (environment && environment->find("HOWDAH_JOB_ID=" + options.job_id) != std::string::npos)
        left.push_back(name);
    }
    return left;
  }

  os::files::Scratch scratch;
  jobspec::JobSpec spec;
  TaskOptions options;
  os::files::Fd am;
  pid_t guardian = -1, executor = -1;
  uint32_t port = 0;
  std::string callback;
};

}  // namespace howdah::executor
