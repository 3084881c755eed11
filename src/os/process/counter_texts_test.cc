// The texts were recorded on real machines, unless the row says otherwise.
#include "counter_texts.h"

#include <gmock/gmock.h>

#include <string>
#include <utility>

namespace howdah::os::process {
namespace {

TEST(CounterTexts, PressureIsTheTotalOfTheSomeLine) {
  const std::pair<const char*, std::optional<int64_t>> rows[] = {
      {"some avg10=53.02 avg60=53.11 avg300=32.35 total=148985976\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
       148'985'976},
      // Linux 5.10: cpu.pressure has no line "full"
      {"some avg10=0.00 avg60=0.00 avg300=0.00 total=17\n", 17},
      {"full avg10=0.00 avg60=0.00 avg300=0.00 total=4\n", std::nullopt},
      {"", std::nullopt},
      {"some avg10=0.00\n", std::nullopt},
      {"some total=\n", std::nullopt},
      {"some total=-1\n", std::nullopt},
      {"some total=99999999999999999999\n", std::nullopt},
      {"some total=12x\n", std::nullopt},
      {"\0\xff some total=1", std::nullopt},
  };
  for (const auto& [text, want] : rows) EXPECT_EQ(ParsePressure(text), want) << text;
}

TEST(CounterTexts, CountsFollowTheirKeys) {
  // The texts are cpu.stat of cgroup v2 with a limit, cpu.stat of cgroup v2 without the cpu controller, cpu.stat of
  // cgroup v1, and /proc/PID/io.
  const std::string v2 =
      "usage_usec 2517341\nuser_usec 1904532\nsystem_usec 612809\nnr_periods 812\nnr_throttled 37\n"
      "throttled_usec 1830211\nnr_bursts 0\nburst_usec 0\n";
  const std::string without = "usage_usec 48125632\nuser_usec 31852105\nsystem_usec 16273527\n";
  const std::string v1 = "nr_periods 6012\nnr_throttled 5100\nthrottled_time 401283745210\n";
  const std::string io =
      "rchar: 323934931\nwchar: 323929600\nsyscr: 632687\nsyscw: 632675\nread_bytes: 4096\nwrite_bytes: 323932160\n"
      "cancelled_write_bytes: 0\n";
  EXPECT_EQ(CountAfter(v2, "usage_usec"), 2'517'341);
  EXPECT_EQ(CountAfter(v2, "nr_periods"), 812);
  EXPECT_EQ(CountAfter(v2, "nr_throttled"), 37);
  EXPECT_EQ(CountAfter(without, "usage_usec"), 48'125'632);
  EXPECT_EQ(CountAfter(without, "nr_periods"), std::nullopt);
  EXPECT_EQ(CountAfter(v1, "nr_throttled"), 5100);
  EXPECT_EQ(CountAfter(v1, "usage_usec"), std::nullopt);
  EXPECT_EQ(CountAfter(io, "read_bytes:"), 4096);
  EXPECT_EQ(CountAfter(io, "write_bytes:"), 323'932'160);
  for (const char* text : {"", "usage_usec", "usage_usec ", "usage_usec x", "usage_usec -5", "usage_usec 1e9",
                           "xusage_usec 5", "usage_usec 18446744073709551615", "other usage_usec 5"}) {
    EXPECT_EQ(CountAfter(text, "usage_usec"), std::nullopt) << text;
  }
}

TEST(CounterTexts, FileWithOneNumberIsRead) {
  EXPECT_EQ(ParseCount("40128374521\n"), 40'128'374'521);
  EXPECT_EQ(ParseCount("0"), 0);
  for (const char* text : {"", "\n", "N/A (no PMA)\n", "-1", "0x10", "99999999999999999999"}) {
    EXPECT_EQ(ParseCount(text), std::nullopt) << text;
  }
}

constexpr std::string_view kNetDev =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier "
    "compressed\n"
    "    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0   "
    " "
    "      0\n"
    "bond0: 60400000    2405    0    0    0     0          0         0    70000     969    0    0    0     0       0   "
    "       0\n"
    "  eth0: 60393810    1405    0    0    0     0          0         0    68586     769    0    0    0     0       0  "
    " "
    "       0\n"
    "eth1:7190 5 0 0 0 0 0 0 1414 7 0 0 0 0 0 0\n";

TEST(CounterTexts, TrafficIsTheSumOfTheCountedInterfaces) {
  const auto all_but_lo = [](std::string_view name) { return name != "lo"; };
  const auto adapters = [](std::string_view name) { return name == "eth0" || name == "eth1"; };
  EXPECT_EQ(ParseTraffic(kNetDev, adapters), (Traffic{60'393'810 + 7190, 68'586 + 1414}));
  EXPECT_EQ(ParseTraffic(kNetDev, all_but_lo), (Traffic{60'400'000 + 60'393'810 + 7190, 70'000 + 68'586 + 1414}));
  EXPECT_EQ(ParseTraffic(kNetDev, [](std::string_view) { return false; }), std::nullopt);
  for (const char* text :
       {"", "eth0:", "eth0: 1 2 3", "eth0: x 1 2 3 4 5 6 7 8", "eth0: 1 1 2 3 4 5 6 7 -8", "eth0 1 2"}) {
    EXPECT_EQ(ParseTraffic(text, all_but_lo), std::nullopt) << text;
  }
}

TEST(CounterTexts, EstablishedConnectionsToDataNodesAreFound) {
  // As /proc/net/tcp of Linux 6.1 shows them: a listener, one connection to this node, two to others, one that is
  // being closed, and one to another port.
  constexpr const char* kTcp =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
      "   0: 00000000:268A 00000000:0000 0A 00000000:00000000 00:00000000 00000000   993        0 31 1 0 100 0 0 10 0\n"
      "   1: 0500000A:9C40 0500000A:268A 01 00000000:00000000 00:00000000 00000000  1000        0 32 1 0 20 4 30 10 "
      "-1\n"
      "   2: 0500000A:9C41 0600000A:268A 01 00000000:00000000 00:00000000 00000000  1000        0 33 1 0 20 4 30 10 "
      "-1\n"
      "   3: 0500000A:9C42 0700000A:03EC 01 00000000:00000000 00:00000000 00000000  1000        0 34 1 0 20 4 30 10 "
      "-1\n"
      "   4: 0500000A:9C43 0600000A:268A 08 00000000:00000000 00:00000000 00000000  1000        0 35 1 0 20 4 30 10 "
      "-1\n"
      "   5: 0500000A:9C44 0600000A:01BB 01 00000000:00000000 00:00000000 00000000  1000        0 36 1 0 20 4 30 10 "
      "-1\n";
  EXPECT_EQ(ParseDataNodeConnections(kTcp), (std::vector<DataNodeConnection>{{32, true}, {33, false}, {34, false}}));
  constexpr const char* kTcp6 =
      "   0: 0000000000000000FFFF00000500000A:9C40 0000000000000000FFFF00000600000A:C35A 01 00000000:00000000 "
      "00:00000000 00000000  1000        0 41 1 0 20 4 30 10 -1\n";
  EXPECT_EQ(ParseDataNodeConnections(kTcp6), (std::vector<DataNodeConnection>{{41, false}}));
  for (const char* text : {"", "\n\n", "1: a b 01", "1: 0:0 0:268A 01 0 0 0 0 0 x", "1: 0:0 0:268AAAAAAAAAAAAA 01"})
    EXPECT_TRUE(ParseDataNodeConnections(text).empty()) << text;
}

TEST(CounterTexts, CgroupDirectoriesOfBothVersionsAreFound) {
  struct Row {
    const char* name;
    std::string cgroups, mounts;
    CgroupDirectories want;
  };
  const std::string v2_mount =
      "30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev,noexec,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
  const std::string v1_mounts =
      "24 23 0:21 / /sys rw,relatime shared:2 - sysfs sysfs rw\n"
      "31 24 0:27 / /sys/fs/cgroup ro,nosuid shared:9 - tmpfs tmpfs ro,mode=755\n"
      "32 31 0:28 / /sys/fs/cgroup/unified rw,nosuid shared:10 - cgroup2 cgroup2 rw\n"
      "33 31 0:29 / /sys/fs/cgroup/systemd rw,nosuid shared:11 - cgroup cgroup rw,xattr,name=systemd\n"
      "36 31 0:32 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:14 - cgroup cgroup rw,cpu,cpuacct\n"
      "37 31 0:33 / /sys/fs/cgroup/memory rw,nosuid shared:15 - cgroup cgroup rw,memory\n";
  const Row rows[] = {
      {"YARN on cgroup v2",
       "0::/hadoop-yarn/container_1_0001_01_000002\n",
       v2_mount,
       {"/sys/fs/cgroup/hadoop-yarn/container_1_0001_01_000002", "", ""}},
      {"YARN on cgroup v1",
       "12:memory:/\n9:cpu,cpuacct:/hadoop-yarn/container_1_0001_01_000002\n"
       "1:name=systemd:/system.slice/hadoop.service\n0::/system.slice/hadoop.service\n",
       v1_mounts,
       {"/sys/fs/cgroup/unified/system.slice/hadoop.service",
        "/sys/fs/cgroup/cpu,cpuacct/hadoop-yarn/container_1_0001_01_000002",
        "/sys/fs/cgroup/cpu,cpuacct/hadoop-yarn/container_1_0001_01_000002"}},
      {"container with a cgroup namespace", "0::/\n", v2_mount, {"/sys/fs/cgroup", "", ""}},
      {"container with the path of the host",
       "4:cpu,cpuacct:/docker/4f2a\n",
       "36 31 0:32 /docker/4f2a /sys/fs/cgroup/cpu,cpuacct ro,nosuid master:14 - cgroup cgroup rw,cpu,cpuacct\n",
       {"", "/sys/fs/cgroup/cpu,cpuacct", "/sys/fs/cgroup/cpu,cpuacct"}},
      {"separate mounts of the controllers",
       "2:cpuacct:/a\n1:cpu:/b\n",
       "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
       "33 31 0:30 / /sys/fs/cgroup/cpuacct rw - cgroup cgroup rw,cpuacct\n",
       {"", "/sys/fs/cgroup/cpu/b", "/sys/fs/cgroup/cpuacct/a"}},
      {"hierarchy that is not mounted", "0::/a\n", "24 23 0:21 / /sys rw - sysfs sysfs rw\n", {}},
      {"nothing", "", "", {}},
      {"garbage", "0:\n::\n:::::\n\xff\n", " - \n - cgroup2\n - cgroup2 x\na - cgroup x cpu\n", {}},
  };
  for (const Row& row : rows) EXPECT_EQ(ParseCgroupDirectories(row.cgroups, row.mounts), row.want) << row.name;
}

TEST(CounterTexts, IdsAreRead) {
  EXPECT_THAT(ParseIds("17\n4711\n0\n"), testing::ElementsAre(17, 4711, 0));
  EXPECT_THAT(ParseIds("\nx\n12y\n99999999999\n5"), testing::ElementsAre(5));
}

}  // namespace
}  // namespace howdah::os::process
