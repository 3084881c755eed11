#include "howdah/os/process/resources.h"

#include <gmock/gmock.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

#include "howdah/os/files/testing.h"
#include "howdah/os/process/testing.h"
#include "howdah/os/process/tree.h"

namespace howdah::os::process {
namespace {

constexpr int kTask = 500, kOther = 900;

// A machine whose files are below a scratch directory. The processes of the task have ids below kOther.
class Machine {
 public:
  Machine() {
    EXPECT_TRUE(files::MakeDirectories(dir_ / "dev/shm").ok());
    Process(kTask);
  }
  void Process(int pid) { EXPECT_TRUE(files::MakeDirectories(dir_ / ("proc/" + std::to_string(pid))).ok()); }
  void File(const std::string& path, const std::string& text) {
    EXPECT_TRUE(files::MakeDirectories(dir_ / path.substr(0, path.find_last_of('/'))).ok());
    EXPECT_TRUE(files::WriteFileAtomically(dir_ / path, text).ok());
  }
  void Pressure(const std::string& directory, const std::string& end, int micros) {
    for (const char* resource : {"cpu", "io", "memory"}) {
      File(directory + resource + end, "some avg10=0.00 total=" + std::to_string(micros) + "\n");
    }
  }
  void Node() {
    Process(kOther);
    File("proc/sys/net/core/netdev_budget", "300\n");
  }
  const Measurements& Read(const Usage& usage = {}) { return meter_.Read(usage); }

  static constexpr const char* kV2Mount = "30 23 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";

 private:
  files::Scratch dir_;
  ResourceMeter meter_{[](int pid) { return pid > 0 && pid < kOther; }, dir_.path()};
};

TEST(Resources, OwnCgroupV2IsMeasured) {
  Machine machine;
  machine.Node();
  machine.Pressure("proc/pressure/", "", 7'000'000);
  machine.File("proc/self/cgroup", "0::/yarn/c1\n");
  machine.File("proc/self/mountinfo", Machine::kV2Mount);
  machine.File("sys/fs/cgroup/yarn/c1/cgroup.procs", "500\n501\n");
  machine.File("sys/fs/cgroup/yarn/c1/cpu.stat", "usage_usec 2500000\nnr_periods 80\nnr_throttled 20\n");
  machine.Pressure("sys/fs/cgroup/yarn/c1/", ".pressure", 3'000'000);
  const Measurements& now = machine.Read();
  EXPECT_EQ(now[Measure::kCgroupCpuSeconds].value, 2.5);
  EXPECT_EQ(now[Measure::kPeriods].value, 80);
  EXPECT_EQ(now[Measure::kThrottledPeriods].value, 20);
  for (const Measure pressure : {Measure::kCpuPressure, Measure::kIoPressure, Measure::kMemoryPressure}) {
    EXPECT_EQ(now[pressure].value, 3);
    EXPECT_FALSE(now[pressure].of_node);
  }
}

TEST(Resources, CgroupWithOtherProcessesIsNotTheTasksOwn) {
  for (const char* processes : {"500\n900\n", "500\n0\n", ""}) {
    Machine machine;
    machine.Node();
    machine.Pressure("proc/pressure/", "", 7'000'000);
    machine.File("proc/self/cgroup", "0::/user.slice\n");
    machine.File("proc/self/mountinfo", Machine::kV2Mount);
    machine.File("sys/fs/cgroup/user.slice/cgroup.procs", processes);
    machine.File("sys/fs/cgroup/user.slice/cpu.stat", "usage_usec 2500000\nnr_periods 80\nnr_throttled 20\n");
    machine.Pressure("sys/fs/cgroup/user.slice/", ".pressure", 3'000'000);
    const Measurements& now = machine.Read();
    EXPECT_EQ(now[Measure::kCgroupCpuSeconds].value, std::nullopt) << processes;
    EXPECT_EQ(now[Measure::kPeriods].absent, "the task has no cgroup of its own");
    EXPECT_EQ(now[Measure::kCpuPressure].value, 7) << processes;
    EXPECT_TRUE(now[Measure::kCpuPressure].of_node);
  }
}

TEST(Resources, CgroupV2WithoutCpuControllerHasNoLimits) {
  Machine machine;
  machine.File("proc/self/cgroup", "0::/a\n");
  machine.File("proc/self/mountinfo", Machine::kV2Mount);
  machine.File("sys/fs/cgroup/a/cgroup.procs", "500\n");
  machine.File("sys/fs/cgroup/a/cpu.stat", "usage_usec 2500000\n");
  const Measurements& now = machine.Read();
  EXPECT_EQ(now[Measure::kCgroupCpuSeconds].value, 2.5);
  EXPECT_EQ(now[Measure::kPeriods].value, std::nullopt);
  EXPECT_EQ(now[Measure::kPeriods].absent, "the task's cgroup does not control CPU time");
}

TEST(Resources, OwnCgroupV1IsMeasuredAndPressureIsThatOfTheNode) {
  Machine machine;
  machine.Node();
  machine.Pressure("proc/pressure/", "", 7'000'000);
  machine.File("proc/self/cgroup", "9:cpu,cpuacct:/yarn/c1\n");
  machine.File("proc/self/mountinfo", "36 31 0:32 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n");
  machine.File("sys/fs/cgroup/cpu/yarn/c1/cgroup.procs", "500\n");
  machine.File("sys/fs/cgroup/cpu/yarn/c1/cpu.stat", "nr_periods 80\nnr_throttled 20\nthrottled_time 1\n");
  machine.File("sys/fs/cgroup/cpu/yarn/c1/cpuacct.usage", "2500000000\n");
  const Measurements& now = machine.Read();
  EXPECT_EQ(now[Measure::kCgroupCpuSeconds].value, 2.5);
  EXPECT_EQ(now[Measure::kPeriods].value, 80);
  EXPECT_EQ(now[Measure::kThrottledPeriods].value, 20);
  EXPECT_EQ(now[Measure::kIoPressure].value, 7);
  EXPECT_TRUE(now[Measure::kIoPressure].of_node);
}

TEST(Resources, MissingMeasuresHaveReasons) {
  Machine machine;
  machine.File("proc/self/cgroup", "\xff:::garbage");
  const Measurements& now = machine.Read();
  EXPECT_EQ(now[Measure::kCpuPressure].absent, "the kernel has no pressure stall information (PSI)");
  EXPECT_EQ(now[Measure::kNetReceived].absent, "the node has no network interface");
  EXPECT_EQ(now[Measure::kRdmaSent].absent, "the node has no RDMA device");
  EXPECT_EQ(now[Measure::kDiskRead].absent, "the kernel does not show the disk use of the task's processes");
  for (const Measure measure : {Measure::kCpuPressure, Measure::kNetReceived, Measure::kRdmaSent, Measure::kDiskRead,
                                Measure::kCgroupCpuSeconds, Measure::kPeriods}) {
    EXPECT_EQ(now[measure].value, std::nullopt);
  }
}

constexpr const char* kNetDev =
    "lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\nbond0: 600 1 0 0 0 0 0 0 60 1 0 0 0 0 0 0\n"
    "eth0: 200 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\neth1: 400 1 0 0 0 0 0 0 40 1 0 0 0 0 0 0\n";

TEST(Resources, TrafficOfANodeIsThatOfItsAdapters) {
  Machine machine;
  machine.Node();
  machine.File("proc/self/net/dev", kNetDev);
  machine.File("sys/class/net/eth0/device/vendor", "");
  machine.File("sys/class/net/eth1/device/vendor", "");
  const Measurements& now = machine.Read();
  EXPECT_EQ(now[Measure::kNetReceived].value, 600);
  EXPECT_EQ(now[Measure::kNetSent].value, 60);
  EXPECT_TRUE(now[Measure::kNetReceived].of_node);
  EXPECT_TRUE(now[Measure::kShm].of_node);
}

TEST(Resources, TrafficIsThatOfTheNodeUnlessTheTaskHasItsOwnContainer) {
  const struct {
    bool first_namespace, others, of_node;
  } rows[] = {{false, false, false}, {true, false, true}, {false, true, true}};
  for (const auto& row : rows) {
    Machine machine;
    if (row.first_namespace) machine.File("proc/sys/net/core/netdev_budget", "300\n");
    if (row.others) machine.Process(kOther);
    machine.File("proc/self/net/dev",
                 "lo: 1 1 0 0 0 0 0 0 1 1 0 0 0 0 0 0\neth0: 200 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n");
    const Measurements& now = machine.Read();
    EXPECT_EQ(now[Measure::kNetReceived].value, 200);
    EXPECT_EQ(now[Measure::kNetReceived].of_node, row.of_node);
    EXPECT_EQ(now[Measure::kShm].of_node, row.others);
  }
}

TEST(Resources, SpeedOfTheCountedInterfacesIsAdded) {
  Machine machine;
  machine.Node();
  machine.File("proc/self/net/dev", kNetDev);
  for (const char* adapter : {"eth0", "eth1"}) {
    machine.File(std::string("sys/class/net/") + adapter + "/device/vendor", "");
    machine.File(std::string("sys/class/net/") + adapter + "/speed", "25000\n");
  }
  machine.File("sys/class/net/bond0/speed", "50000\n");
  EXPECT_EQ(machine.Read()[Measure::kNetSpeed].value, 2 * 25e9 / 8);
  Machine other;
  other.File("proc/self/net/dev", kNetDev);
  other.File("sys/class/net/eth0/speed", "-1\n");
  EXPECT_EQ(other.Read()[Measure::kNetSpeed].value, std::nullopt);
}

// A child process with an open socket, whose inode is inode().
class Client {
 public:
  Client() {
    int ends[2];
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    struct stat status {};
    EXPECT_EQ(::fstat(ends[0], &status), 0);
    inode_ = status.st_ino;
    child_ = ::fork();
    char byte = 0;
    if (child_ == 0) _exit(::close(ends[1]) == 0 && ::read(ends[0], &byte, 1) == 0 ? 0 : 1);
    ::close(ends[0]);
    end_ = files::Fd(ends[1]);
  }
  ~Client() {
    end_ = files::Fd();
    EXPECT_EQ(::waitpid(child_, nullptr, 0), child_);
  }
  std::string inode() const { return std::to_string(inode_); }

 private:
  ino_t inode_ = 0;
  pid_t child_ = -1;
  files::Fd end_;
};

TEST(Resources, ConnectionsToDataNodesAreThoseOfTheTasksProcesses) {
  const Client client;
  const auto line = [](const std::string& from, const std::string& to, const std::string& inode) {
    return "0: " + from + ":9C40 " + to + ":268A 01 0:0 0:0 0 1000 0 " + inode + " 1\n";
  };
  Machine machine;
  machine.File("proc/self/net/tcp", line("0500000A", "0600000A", "1") + line("0500000A", "0600000A", client.inode()));
  const Measurements& now = machine.Read();
  EXPECT_EQ(now[Measure::kDataNodesRemote].value, 1) << "another program has the first connection";
  EXPECT_EQ(now[Measure::kDataNodesLocal].value, 0);
  Machine busy;
  std::string table;
  for (int i = 2; i < 2000; ++i) table += line("0500000A", "0600000A", std::to_string(i));
  busy.File("proc/self/net/tcp6", table + line("0500000A", "0600000A", client.inode()));
  EXPECT_EQ(busy.Read()[Measure::kDataNodesRemote].value, 1) << "the table is longer than the memory for it";
  Machine other;
  other.File("proc/self/net/tcp", line("0500000A", "0600000A", "1"));
  EXPECT_EQ(other.Read()[Measure::kDataNodesRemote].value, std::nullopt) << "the task never had a connection";
}

TEST(Resources, RdmaCountersOfAllPortsAreAdded) {
  Machine machine;
  const std::string ports = "sys/class/infiniband/";
  machine.File(ports + "mlx5_0/ports/1/counters/port_rcv_data", "100\n");
  machine.File(ports + "mlx5_0/ports/1/counters/port_xmit_data", "10\n");
  machine.File(ports + "mlx5_1/ports/1/counters/port_rcv_data", "200\n");
  machine.File(ports + "mlx5_1/ports/1/counters/port_xmit_data", "N/A\n");
  const Measurements& now = machine.Read();
  EXPECT_EQ(now[Measure::kRdmaReceived].value, 1200);
  EXPECT_EQ(now[Measure::kRdmaSent].value, 40);
  EXPECT_TRUE(now[Measure::kRdmaSent].of_node);
}

TEST(Resources, MeasurementsIncludeTheGivenUsage) {
  Machine machine;
  Usage usage;
  usage.memory_bytes = 5;
  usage.memory_peak_bytes = 9;
  usage.cpu_seconds = 1.5;
  usage.processes = 2;
  usage.threads = 7;
  usage.disk = {4096, 512};
  const Measurements& now = machine.Read(usage);
  EXPECT_EQ(now[Measure::kMemory].value, 5);
  EXPECT_EQ(now[Measure::kMemoryPeak].value, 9);
  EXPECT_EQ(now[Measure::kCpuSeconds].value, 1.5);
  EXPECT_EQ(now[Measure::kProcesses].value, 2);
  EXPECT_EQ(now[Measure::kThreads].value, 7);
  EXPECT_EQ(now[Measure::kDiskRead].value, 4096);
  EXPECT_EQ(now[Measure::kDiskWritten].value, 512);
  EXPECT_GT(now[Measure::kShmSize].value, 0);
}

TEST(Resources, OnlyThisProcessItsDescendantsAndAncestorsInItsSessionAreOfTheTask) {
  auto child = SpawnOrError(Bash("exec sleep 86400", "/"));
  ASSERT_TRUE(child.ok());
  EXPECT_TRUE(IsOfThisTask(child->pid));
  EXPECT_TRUE(IsOfThisTask(::getpid()));
  EXPECT_FALSE(IsOfThisTask(0));
  EXPECT_FALSE(IsOfThisTask(-1));
  // The child is in a new session, so its parent does not belong to its task.
  const pid_t other = ::fork();
  if (other == 0) {
    ::setsid();
    ::_exit(IsOfThisTask(::getpid()) && !IsOfThisTask(child->pid) && !IsOfThisTask(::getppid()) ? 0 : 1);
  }
  EXPECT_EQ(WaitFor({other, files::Fd()}).code, 0);
  ::kill(child->pid, SIGKILL);
  WaitFor(*child);
  EXPECT_TRUE(IsOfThisTask(child->pid)) << "it has ended";
}

}  // namespace
}  // namespace howdah::os::process
