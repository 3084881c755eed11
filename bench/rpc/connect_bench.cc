// howdah-bench-connect [RUNS]: measures the time from the exec of an executor's process to the AM's first response, and
// the memory of the idle executor and AM.
#include <sys/wait.h>

#include <algorithm>

#include "bench_process.h"
#include "howdah/rpc/am_server.h"
#include "howdah/rpc/executor_link.h"
#include "test_loop.h"

namespace howdah::bench {
namespace {

struct Marks {
  double main = 0, connecting = 0, welcomed = 0;
};

// howdah-bench-connect --executor ADDRESS: registers, prints its timestamps after the Welcome, and runs until its input
// is closed.
int RunExecutor(const std::string& address, double entered) {
  rpc::Identity identity = ReadIdentity();
  Marks marks{.main = entered};
  rpc::TestLoop loop;
  rpc::ExecutorLink::Handlers handlers;
  handlers.on_message = [&](const wire::ToExecutor&) { marks.welcomed = Now(); };
  handlers.on_closed = [&](const std::string& why) { std::fprintf(stderr, "%s\n", why.c_str()), std::exit(1); };
  auto link = rpc::ExecutorLink::Connect(address, identity, loop.post(), handlers);
  wire::FromExecutor hello;
  hello.mutable_register_()->set_container("c");
  link->Send(hello);
  marks.connecting = Now();
  loop.RunUntil([&] { return marks.welcomed != 0; });
  std::printf("%.6f %.6f %.6f\n", marks.main, marks.connecting, marks.welcomed);
  std::fflush(stdout);
  ReadLine(0);
  return 0;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2] * 1e3;
}

int RunAm(int runs) {
  double before_identities = Now();
  auto identities = rpc::MakeJobIdentities("bench");
  double after_identities = Now();
  if (!identities) return 1;
  rpc::TestLoop loop;
  std::unique_ptr<rpc::AmServer> server;
  rpc::AmServer::Handlers handlers;
  handlers.on_message = [&](rpc::ConnectionId id, const wire::FromExecutor&) {
    wire::ToExecutor welcome;
    welcome.mutable_welcome()->set_heartbeat_millis(5000);
    server->Send(id, welcome, nullptr);
  };
  handlers.on_closed = [](rpc::ConnectionId) {};
  auto started = rpc::AmServer::Start("127.0.0.1", identities->am, loop.post(), handlers);
  if (!started) return std::fprintf(stderr, "%s\n", started.error().message.c_str()), 1;
  double after_start = Now();
  server = std::move(*started);
  std::vector<double> to_main, to_connecting, to_welcome;
  for (int i = 0; i < runs; ++i) {
    double spawned = Now();
    Child child = Spawn({"howdah-bench-connect", "--executor", "127.0.0.1:" + std::to_string(server->port())},
                        identities->executor);
    std::string line;
    std::thread reader([&, post = loop.post()] {
      std::string got = ReadLine(child.out);
      post([&, got] { line = got; });
    });
    loop.RunUntil([&] { return !line.empty(); });
    reader.join();
    Marks marks;
    std::sscanf(line.c_str(), "%lf %lf %lf", &marks.main, &marks.connecting, &marks.welcomed);
    to_main.push_back(marks.main - spawned);
    to_connecting.push_back(marks.connecting - spawned);
    to_welcome.push_back(marks.welcomed - spawned);
    if (i == runs - 1) {
      auto mib = [](long kib) { return static_cast<double>(kib) / 1024; };
      for (auto [who, pid] : {std::pair{"executor", child.pid}, std::pair{"server", getpid()}}) {
        std::printf("%s_rss_mib %.1f\n%s_anonymous_mib %.2f\n%s_threads %ld\n", who,
                    mib(Figure(pid, "smaps_rollup", "Rss")), who, mib(Figure(pid, "smaps_rollup", "Anonymous")), who,
                    Figure(pid, "status", "Threads"));
      }
    }
    close(child.in);
    close(child.out);
    waitpid(child.pid, nullptr, 0);
  }
  std::printf(
      "identities_ms %.2f\nserver_start_ms %.2f\nexec_to_main_ms %.2f\nexec_to_connecting_ms %.2f\nexec_to_welcome_ms "
      "%.2f\n",
      (after_identities - before_identities) * 1e3, (after_start - after_identities) * 1e3, Median(to_main),
      Median(to_connecting), Median(to_welcome));
  return 0;
}

}  // namespace
}  // namespace howdah::bench

int main(int argc, char** argv) {
  double entered = howdah::bench::Now();
  if (argc == 3 && std::string(argv[1]) == "--executor") return howdah::bench::RunExecutor(argv[2], entered);
  return howdah::bench::RunAm(argc > 1 ? std::max(1, std::atoi(argv[1])) : 51);
}
