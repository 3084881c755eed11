// howdah-bench-attach N [PROCESSES]: an AM's server with N connected executors. Measures the time from the last
// registration until every executor has received its start order with the complete cluster, and from newer tokens of
// the job until all executors have stored them. The executors are simulated, but each has a real connection (TCP, TLS
// session, stream) made by the code of the executor.
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <memory>

#include "attach_stream.h"
#include "bench_process.h"
#include "howdah/os/files/files.h"
#include "howdah/rpc/am_server.h"
#include "test_loop.h"

namespace howdah::bench {
namespace {

constexpr int kConnectingAtOnce = 32;
constexpr auto kNoLimit = std::chrono::hours(1);
constexpr size_t kTokenBytes = 1000;  // of one HDFS, one KMS and one ResourceManager

// An executor stores newer tokens for itself and for its task.
constexpr const char* kTokenFiles[] = {"newer.tokens", "task.tokens"};

// howdah-bench-attach --executors ADDRESS COUNT: connects and registers COUNT executors, and prints the time at which
// the last one received its start order, and then the time at which the last one had stored newer tokens.
int RunExecutors(const std::string& address, size_t count) {
  rpc::Identity identity = ReadIdentity();
  rpc::TestLoop loop;
  rpc::Completions completions(std::make_unique<grpc::CompletionQueue>(), loop.post());
  std::vector<std::unique_ptr<rpc::AttachStream>> streams;
  size_t told = 0, wrong = 0, closed = 0, replaced = 0;
  std::string folder = "/tmp/howdah-bench-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  auto connect_next = [&](auto& self) -> void {
    if (streams.size() == count) return;
    rpc::ExecutorLink::Handlers handlers;
    handlers.on_message = [&](const wire::ToExecutor& message) {
      if (message.has_welcome()) self(self);
      if (message.has_start()) ++told;
      if (message.has_start() && message.cluster().port_size() != message.cluster().sizes(0)) ++wrong;
      if (!message.has_replace_tokens()) return;
      for (const char* name : kTokenFiles) {
        const std::string path = folder + "/" + std::to_string(replaced) + "-" + name;
        if (!os::files::WriteFileAtomically(path, message.replace_tokens().tokens(), 0600).ok()) ++wrong;
      }
      ++replaced;
    };
    handlers.on_closed = [&](const std::string& why) {
      std::fprintf(stderr, "%s\n", why.c_str());
      ++closed;
    };
    auto channel = rpc::MakeExecutorChannel(address, identity);
    streams.push_back(std::make_unique<rpc::AttachStream>(completions, *channel, address, handlers, kNoLimit));
    wire::FromExecutor hello;
    hello.mutable_register_()->set_container("container-" + std::to_string(streams.size()));
    hello.mutable_register_()->set_host("127.0.0.1");
    hello.mutable_register_()->set_port(32768 + static_cast<uint32_t>(streams.size()));
    streams.back()->Send(hello);
  };
  for (int i = 0; i < kConnectingAtOnce; ++i) connect_next(connect_next);
  loop.RunUntil([&] { return told + closed >= count; }, std::chrono::hours(1));
  std::printf("%.6f %zu\n", Now(), wrong + closed);
  std::fflush(stdout);
  loop.RunUntil([&] { return replaced + closed >= count; }, std::chrono::hours(1));
  std::printf("%.6f %zu\n", Now(), wrong + closed);
  std::fflush(stdout);
  (void)os::files::RemoveTree(folder);
  ReadLine(0);  // wait until the AM's process has read the figures
  _exit(0);     // skip closing thousands of connections
}

wire::ToExecutor Welcome() {
  wire::ToExecutor message;
  message.mutable_welcome()->set_heartbeat_millis(5000);
  return message;
}

// Returns the latest of the times that the processes print next, and adds up their errors. The loop must keep running:
// it writes the rest of the data when the peers' flow-control windows open.
double LatestTime(rpc::TestLoop& loop, const std::vector<Child>& children, long& wrong) {
  double time = 0;
  bool read = false;
  std::thread reader([&, post = loop.post()] {
    for (const Child& child : children) {
      std::string line = ReadLine(child.out);
      char* rest = nullptr;
      time = std::max(time, std::strtod(line.c_str(), &rest));
      wrong += std::strtol(rest, nullptr, 10);
    }
    post([&] { read = true; });
  });
  loop.RunUntil([&] { return read; }, std::chrono::hours(1));
  reader.join();
  return time;
}

int RunAm(size_t count, size_t processes) {
  auto identities = rpc::MakeJobIdentities("bench");
  if (!identities) return 1;
  rpc::TestLoop loop;
  std::vector<rpc::ConnectionId> ids;
  wire::Cluster cluster;
  cluster.add_hosts("127.0.0.1");
  cluster.add_sizes(static_cast<int>(count));
  std::unique_ptr<rpc::AmServer> server;
  double last_registered = 0, queued = 0;
  size_t bytes = 0;
  rpc::AmServer::Handlers handlers;
  handlers.on_message = [&](rpc::ConnectionId id, const wire::FromExecutor& message) {
    ids.push_back(id);
    cluster.add_host(0);
    cluster.add_port(message.register_().port());
    server->Send(id, Welcome(), nullptr);
    if (ids.size() < count) return;
    last_registered = Now();
    auto shared = rpc::EncodeCluster(cluster);
    wire::ToExecutor start;
    start.mutable_start()->set_generation(1);
    for (rpc::ConnectionId to : ids) server->Send(to, start, shared);
    queued = Now();
    bytes = count * (cluster.ByteSizeLong() + start.ByteSizeLong() + 4);
  };
  handlers.on_closed = [](rpc::ConnectionId) {};
  handlers.on_control = [](const wire::ControlRequest&, const std::function<void(wire::ControlReply)>&) {};
  auto started = rpc::AmServer::Start("127.0.0.1", identities->am, loop.post(), handlers);
  if (!started) return std::fprintf(stderr, "%s\n", started.error().message.c_str()), 1;
  server = std::move(*started);
  long idle_kib = Figure(getpid(), "status", "VmRSS"), threads = Figure(getpid(), "status", "Threads");

  double begin = Now();
  std::vector<Child> children;
  std::string address = "127.0.0.1:" + std::to_string(server->port());
  for (size_t i = 0; i < processes; ++i) {
    size_t share = count / processes + (i < count % processes ? 1 : 0);
    children.push_back(
        Spawn({"howdah-bench-attach", "--executors", address, std::to_string(share)}, identities->executor));
  }
  loop.RunUntil([&] { return last_registered != 0; }, std::chrono::hours(1));
  long connected_kib = Figure(getpid(), "status", "VmRSS");
  long wrong = 0;
  const double last_told = LatestTime(loop, children, wrong);
  const double replacing = Now();
  wire::ToExecutor tokens;
  tokens.mutable_replace_tokens()->set_tokens(std::string(kTokenBytes, 't'));
  for (rpc::ConnectionId to : ids) server->Send(to, tokens, nullptr);
  const double last_replaced = LatestTime(loop, children, wrong);
  long peak_kib = Figure(getpid(), "status", "VmHWM");
  double destroying = Now();
  server.reset();
  double destroyed = Now();
  std::printf(
      "{\"executors\": %zu, \"told_ms\": %.1f, \"tokens_ms\": %.1f, \"queued_ms\": %.1f, \"connect_all_s\": %.2f, "
      "\"bytes_sent\": %zu, "
      "\"server_resident_bytes\": %ld, \"server_idle_bytes\": %ld, \"server_peak_bytes\": %ld, \"server_threads\": "
      "%ld, "
      "\"destroy_ms\": %.1f, \"wrong\": %ld}\n",
      count, (last_told - last_registered) * 1e3, (last_replaced - replacing) * 1e3, (queued - last_registered) * 1e3,
      last_registered - begin, bytes, connected_kib * 1024, idle_kib * 1024, peak_kib * 1024, threads,
      (destroyed - destroying) * 1e3, wrong);
  for (Child& child : children) {
    close(child.in);
    waitpid(std::abs(child.pid), nullptr, 0);
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace howdah::bench

int main(int argc, char** argv) {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  setrlimit(RLIMIT_NOFILE, &files);
  if (argc == 4 && std::string(argv[1]) == "--executors") {
    return howdah::bench::RunExecutors(argv[2], std::strtoul(argv[3], nullptr, 10));
  }
  size_t count = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 0;
  if (count == 0) return std::fprintf(stderr, "howdah-bench-attach EXECUTORS [PROCESSES]\n"), 2;
  return howdah::bench::RunAm(count, argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2);
}
