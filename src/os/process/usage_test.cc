#include "howdah/os/process/usage.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "cgroup.h"
#include "howdah/os/process/machine.h"
#include "howdah/os/process/testing.h"
#include "howdah/os/process/tree.h"

namespace howdah::os::process {
namespace {

constexpr int64_t kMiB = 1 << 20;

TEST(Usage, RunningAndEndedProcessesAreCounted) {
  // Two processes with 64 MiB of their own memory each. After both have ended, peak and CPU time remain.
  const std::string script =
      "exec python3 -c 'import sys\nb = bytearray(64 << 20)\nfor i in range(2000000): pass\nopen(sys.argv[1], "
      "\"w\").close()\nsys.stdin.read()' ";
  const pid_t watcher = ::fork();
  if (watcher == 0) {
    files::Scratch scratch;
    UsageMeter meter;
    int ends[2];
    if (!BecomeSubreaper().ok() || ::pipe2(ends, O_CLOEXEC) != 0) ::_exit(1);
    files::Fd read_end(ends[0]), write_end(ends[1]);
    for (const char* name : {"a", "b"}) {
      SpawnRequest request = Bash(script + name, scratch.path());
      request.stdin_fd = read_end.get();
      if (!SpawnOrError(request).ok()) ::_exit(2);
    }
    if (!Eventually([&] { return files::ReadFile(scratch / "a").ok() && files::ReadFile(scratch / "b").ok(); }))
      ::_exit(3);
    const Usage running = meter.Sample();
    if (running.memory_bytes < 128 * kMiB || running.memory_bytes > 400 * kMiB) ::_exit(4);
    if (running.memory_peak_bytes < running.memory_bytes || running.cpu_seconds <= 0) ::_exit(5);
    if (running.processes != 2 || running.threads != 2) ::_exit(9);
    write_end = files::Fd();
    if (!Eventually([&] { return ReapAny(), !HasChildren(); })) ::_exit(6);
    const Usage ended = meter.Sample();
    if (ended.memory_bytes != 0 || ended.memory_peak_bytes < running.memory_bytes) ::_exit(7);
    ::_exit(ended.cpu_seconds < running.cpu_seconds ? 8 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(watcher, &status, 0), watcher);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Usage, NvidiaSmiOutputIsParsed) {
  const auto usage = ParseGpuUsage("0, 37, 1024, 81920\n1, [N/A], 5, 9\n2, 100, 0, [N/A]\n");
  ASSERT_EQ(usage.size(), 2u);
  EXPECT_EQ(usage[0].index, 0);
  EXPECT_DOUBLE_EQ(usage[0].utilisation, 0.37);
  EXPECT_EQ(usage[0].memory_bytes, 1024 * kMiB);
  EXPECT_EQ(usage[0].memory_total_bytes, 81920 * kMiB);
  EXPECT_EQ(usage[1].index, 2);
  EXPECT_EQ(usage[1].memory_total_bytes, 0);
  EXPECT_EQ(usage[0].power_watts, std::nullopt);
  EXPECT_EQ(usage[0].slowed_down, std::nullopt);
  const auto gpus =
      ParseGpus("0, NVIDIA H200, 143771\nNVIDIA-SMI has failed\n1, NVIDIA H200, 143771, GPU-5c1d, 00000000:01:00.0\n");
  ASSERT_EQ(gpus.size(), 2u);
  EXPECT_EQ(gpus[0].uuid, "");
  EXPECT_EQ(gpus[1].uuid, "GPU-5c1d");
  EXPECT_EQ(gpus[1].bus_id, "00000000:01:00.0");
  EXPECT_EQ(gpus[0].name, "NVIDIA H200");
  EXPECT_EQ(gpus[0].memory_bytes, 143'771 * kMiB);
}

TEST(Usage, PowerAndSlowdownOfGpusAreParsed) {
  const struct {
    const char* line;
    std::optional<double> power;
    std::optional<bool> slowed_down;
  } rows[] = {
      // The rows are: idle; normal power limit; software thermal; hardware slowdown with power brake; several reasons.
      {"0, 0, 4, 81559, 00000000:3B:00.0, 69.41, 0x0000000000000001", 69.41, false},
      {"0, 100, 79000, 81559, 00000000:3B:00.0, 699.87, 0x0000000000000004", 699.87, false},
      {"0, 98, 79000, 81559, 00000000:3B:00.0, 512.02, 0x0000000000000020", 512.02, true},
      {"0, 98, 79000, 81559, 00000000:3B:00.0, 150.00, 0x0000000000000088", 150, true},
      {"0, 98, 79000, 81559, 00000000:3B:00.0, 512.02, 0x0000000000000044", 512.02, true},
      {"0, 98, 79000, 81559, 00000000:3B:00.0, [N/A], [N/A]", std::nullopt, std::nullopt},
      {"0, 98, 79000, 81559, 00000000:3B:00.0, [Not Supported], Not Active", std::nullopt, std::nullopt},
      {"0, 98, 79000, 81559, 00000000:3B:00.0", std::nullopt, std::nullopt},
      {"0, 98, 79000, 81559, 00000000:3B:00.0, 1e, 0x", std::nullopt, std::nullopt},
  };
  for (const auto& row : rows) {
    const auto usage = ParseGpuUsage(row.line);
    ASSERT_EQ(usage.size(), 1u) << row.line;
    EXPECT_EQ(usage[0].pci_address, "00000000:3B:00.0");
    EXPECT_EQ(usage[0].power_watts, row.power) << row.line;
    EXPECT_EQ(usage[0].slowed_down, row.slowed_down) << row.line;
  }
  for (const char* line :
       {"", ",,,,,,", "0", "0, 37", "-, 1, 2", "0, 37, -5", "0, 37, 99999999999999", "x\n\xff, 1, 2"}) {
    EXPECT_TRUE(ParseGpuUsage(line).empty()) << line;
  }
}

TEST(Usage, RefusedQueryOfGpusIsRecognised) {
  EXPECT_TRUE(RefusesGpuUsageQuery("Field \"clocks_throttle_reasons.active\" is not a valid field to query.\n\n"));
  EXPECT_FALSE(RefusesGpuUsageQuery("0, 37, 1024, 81920\n"));
  for (int i = 1; i < kGpuUsageQueries; ++i) EXPECT_NE(GpuUsageQuery(i), GpuUsageQuery(i - 1));
}

TEST(Cgroup, LimitsOfBothVersionsAreFound) {
  const Cgroup v2 = ParseCgroup("0::/a/b\n", "/sys/fs/cgroup");
  EXPECT_EQ(v2.memory_directory, "/sys/fs/cgroup/a/b");
  EXPECT_EQ(v2.memory_limits, (std::vector<std::string>{"/sys/fs/cgroup/a/b/memory.max", "/sys/fs/cgroup/a/memory.max",
                                                        "/sys/fs/cgroup/memory.max"}));
  const Cgroup v1 = ParseCgroup("5:cpu,cpuacct:/x\n4:memory:/y\n0::/z\n", "/sys/fs/cgroup");
  EXPECT_EQ(v1.memory_directory, "/sys/fs/cgroup/memory/y");
  EXPECT_EQ(v1.memory_limits, (std::vector<std::string>{"/sys/fs/cgroup/memory/y/memory.limit_in_bytes",
                                                        "/sys/fs/cgroup/memory/memory.limit_in_bytes"}));
  EXPECT_EQ(ParseCgroup("0::/\n", "/m").memory_limits, std::vector<std::string>{"/m/memory.max"});
  EXPECT_EQ(ParseCgroup("", "/m").memory_limits, std::vector<std::string>{"/m/memory.max"});
}

TEST(Machine, FactsOfThisMachineArePlausible) {
  EXPECT_FALSE(NodeName().empty());
  EXPECT_GE(Cores(), 1);
  EXPECT_GT(TotalMemoryBytes(), 64 * kMiB);
}

TEST(Machine, HangingNvidiaSmiIsKilled) {
  files::Scratch scratch;
  const auto program = [&](const std::string& text) {
    EXPECT_TRUE(files::WriteFileAtomically(scratch / "nvidia-smi", "#!/bin/sh\n" + text, 0755).ok());
    return ListGpus(scratch.path(), std::chrono::milliseconds(500)).size();
  };
  EXPECT_EQ(ListGpus("/nonexistent", std::chrono::seconds(1)).size(), 0u);
  EXPECT_EQ(program("echo '0, A, 5'; echo '1, B, 5'\n"), 2u);
  EXPECT_EQ(program("echo '0, A, 5'; exit 9\n"), 0u);
  EXPECT_EQ(program("exec >&-; exec /bin/sleep 86306\n"), 0u);
  EXPECT_EQ(program("exec /bin/sleep 86306\n"), 0u);
}

}  // namespace
}  // namespace howdah::os::process
