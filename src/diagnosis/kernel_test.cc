#include "kernel.h"

#include <gtest/gtest.h>

#include "howdah/diagnosis/diagnosis.h"

namespace howdah::diagnosis {
namespace {

TEST(Kernel, PciAddressesAreNormalized) {
  EXPECT_EQ(PciAddress("00000000:3B:00.0"), "0000:3b:00");
  EXPECT_EQ(PciAddress("0000:3b:00"), "0000:3b:00");
  EXPECT_EQ(PciAddress("00010000:AF:01.0"), "10000:af:01");
  EXPECT_EQ(PciAddress("3b:00.0"), "0000:3b:00");
  EXPECT_EQ(PciAddress("[N/A]"), "");
  EXPECT_EQ(PciAddress(""), "");
}

TEST(Kernel, XidLinesOfAllFormatsAreRead) {
  const std::vector<Xid> xids = XidsIn(
      "usb 1-1: new high-speed USB device\n"
      "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.\n"
      "NVRM: Xid (0000:af:00): 31, Ch 0000000b, engmask 00000120, intr 10000000\n"
      "Nov 22 10:00:00 n1 kernel: [12.5] NVRM: Xid (PCI:0000:B0:00): 48, pid=7, name=python, DBE\n"
      "NVRM: Xid (PCI:nonsense): 13, pid=1\n"
      "NVRM: Xid (PCI:0000:3b:00): , pid=1\n"
      "NVRM: Xid (PCI:0000:3b:00\n");
  ASSERT_EQ(xids.size(), 3u);
  EXPECT_EQ(xids[0].pci + " " + std::to_string(xids[0].number), "0000:3b:00 79");
  EXPECT_EQ(xids[1].pci + " " + std::to_string(xids[1].number), "0000:af:00 31");
  EXPECT_EQ(xids[2].pci + " " + std::to_string(xids[2].number), "0000:b0:00 48");
}

TEST(Kernel, OnlyErrorsOfTheTasksOwnGpusCount) {
  const std::string cuda = "RuntimeError: CUDA error: unspecified launch failure";
  const struct {
    int gpus;
    std::map<int, std::string> own;
    const char* log;
    const char* cause;
    bool node_fault;
  } rows[] = {
      {2,
       {{0, "00000000:3B:00.0"}, {1, "00000000:AF:00.0"}},
       "NVRM: Xid (PCI:0000:af:00): 79, pid=1, GPU has\n",
       "GPU 1 (PCI 0000:af:00) on n1 failed: Xid 79, the GPU has fallen off the bus; stderr ends with: ",
       true},
      {1, {{0, "00000000:3B:00.0"}}, "NVRM: Xid (PCI:0000:af:00): 79, of another task\n", "stderr ends with: ", false},
      {1,
       {},
       "NVRM: Xid (PCI:0000:af:00): 74, NVLink\n",
       "the GPU at PCI 0000:af:00 on n1 failed: Xid 74, NVLink failure; stderr ends with: ",
       true},
      {0, {}, "NVRM: Xid (PCI:0000:af:00): 79, GPU has\n", "stderr ends with: ", false},
      // The most severe error is reported, regardless of the order in the log.
      {1,
       {},
       "NVRM: Xid (PCI:0000:af:00): 63, x\nNVRM: Xid (PCI:0000:af:00): 45, x\n"
       "NVRM: Xid (PCI:0000:af:00): 48, x\n",
       "the GPU at PCI 0000:af:00 on n1 failed: Xid 48, uncorrectable memory error (ECC); stderr "
       "ends with: ",
       true},
      {1, {}, "NVRM: Xid (PCI:0000:af:00): 154, GPU recovery action changed\n", "stderr ends with: ", false},
  };
  for (const auto& row : rows) {
    Evidence e;
    e.exit.code = 1;
    e.host = "n1";
    e.stderr_tail = cuda + "\n";
    e.gpus = row.gpus;
    e.pci_addresses = row.own;
    e.kernel_log = row.log;
    const core::Diagnosis d = Diagnose(e);
    EXPECT_EQ(d.cause, row.cause + cuda) << row.log;
    EXPECT_EQ(d.node_fault, row.node_fault) << row.log;
  }
}

TEST(Kernel, OutOfMemoryKillIsAttributedToNodeOrCgroup) {
  const struct {
    ExitStatus exit;
    const char* log;
    bool counted, cgroup_full;
    const char* begins;
  } rows[] = {
      {{.signal = 9},
       "Out of memory: Killed process 812 (python3) total-vm:8kB, anon-rss:4kB\n",
       false,
       false,
       "killed by the kernel because n1 was out of memory (the node, not the container); the task had used 3 GiB"},
      {{.signal = 9},
       "Memory cgroup out of memory: Killed process 812 (python3) total-vm:8kB\n",
       true,
       false,
       "killed by the kernel because its cgroup on n1 had reached its memory limit; the task had used 3 GiB of the 4 "
       "GiB "
       "requested"},
      // The log has only the kill of another pid. It counts if the cgroup's counter shows a kill, because the pid may
      // be of another namespace.
      {{.signal = 9}, "Out of memory: Killed process 7 (mysqld)\n", false, false, "stderr ends with: epoch 3"},
      {{.signal = 9},
       "Memory cgroup out of memory: Killed process 7 (python3)\n",
       true,
       false,
       "killed by the kernel because its cgroup on n1"},
      {{.code = 137},
       "Out of memory: Kill process 813 (python3) score 9 or sacrifice child\n",
       false,
       false,
       "killed by the kernel because n1 was out of memory"},
      {{.signal = 9}, "", true, true, "killed by the kernel because its cgroup on n1 had reached its memory limit"},
      {{.signal = 9}, "", true, false, "killed by the kernel because n1 was out of memory"},
      {{.signal = 11}, "Out of memory: Killed process 812 (python3)\n", true, false, "stderr ends with: epoch 3"},
  };
  for (const auto& row : rows) {
    Evidence e;
    e.exit = row.exit;
    e.host = "n1";
    e.pid = 812;
    e.stderr_tail = "epoch 3\n";
    e.kernel_log = row.log;
    e.kernel_oom = row.counted;
    e.cgroup_full = row.cgroup_full;
    e.memory_requested_bytes = int64_t{4} << 30;
    e.memory_peak_bytes = int64_t{3} << 30;
    EXPECT_TRUE(Diagnose(e).cause.starts_with(row.begins)) << row.log << Diagnose(e).cause;
  }
}

// The cause contains the error, but the node is not at fault.
TEST(Kernel, ProgramErrorIsNotANodeFault) {
  Evidence e;
  e.exit.signal = 11;
  e.host = "n1";
  e.gpus = 1;
  e.pci_addresses = {{3, "00000000:3B:00.0"}};
  e.kernel_log = "NVRM: Xid (PCI:0000:3b:00): 31, pid=7, name=a.out, Ch 00000008\n";
  const core::Diagnosis d = Diagnose(e);
  EXPECT_EQ(d.cause, "GPU 3 (PCI 0000:3b:00) on n1: Xid 31, the program accessed GPU memory that it does not own");
  EXPECT_FALSE(d.node_fault);
}

}  // namespace
}  // namespace howdah::diagnosis
