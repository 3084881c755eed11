#include "howdah/backend/yarn/container_exit.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

::hadoop::yarn::ContainerStatusProto Status(int code, const std::string& diagnostics) {
  ::hadoop::yarn::ContainerStatusProto status;
  status.set_exit_status(code);
  status.set_diagnostics(diagnostics);
  return status;
}

TEST(ContainerExit, EveryStatusHasItsClause) {
  const struct {
    int code;
    const char* diagnostics;
    const char* how;
  } rows[] = {
      {0, "", ""},
      {1, "Exception from container-launch.\nContainer id: container_1", "its executor ended with exit code 1"},
      {1,
       "[2026-11-21 19:00:00.000]Exception from container-launch.\nContainer id: container_1\nExit code: 1\n\n"
       "[2026-11-21 19:00:00.001]Container exited with a non-zero exit code 1. Error file: prelaunch.err.\n"
       "Last 4096 bytes of prelaunch.err :\nLast 4096 bytes of agent.stderr :\nhowdah-agent: one\n"
       "unpacking the python archive: it is none\n\n\n[2026-11-21 19:00:00.002]Container exited with a non-zero exit "
       "code 1.",
       "its executor ended with exit code 1: unpacking the python archive: it is none"},
      {154, "Container exited with a non-zero exit code 154",
       "nothing is known of how it ended: its NodeManager was restarted"},
      {-100, "Container expired since it was unused", "it was not started in time, so YARN took it back"},
      {137, "[2026-11-21 19:00:00.000]Container killed on request. Exit code is 137\n",
       "its executor was killed by signal 9 (SIGKILL)"},
      {143, "", "its executor was killed by signal 15 (SIGTERM)"},
      {-100, "Container released on a *lost* node", "its node was lost"},
      {-100, "Container released by application", "YARN took its container back: Container released by application"},
      {-102, "Container preempted by scheduler",
       "it was preempted: YARN needed its container for another queue or application"},
      {-104,
       "[2026-11-21 19:00:00.000]Container [pid=17,containerID=container_1] is running 4304896B beyond the 'PHYSICAL' "
       "memory limit. Current usage: 260.1 MB of 256 MB physical memory used; 2.9 GB of 537.6 MB virtual memory used. "
       "Killing container.\nDump of the process-tree",
       "out of memory: its container used 260.1 MiB of 256 MiB of memory, and YARN killed it; memory: 512MiB would "
       "have "
       "been enough until then"},
      {0,
       "[2026-11-21 20:00:00.000]Container [pid=17,containerID=container_1] is running 4304896B beyond the 'PHYSICAL' "
       "memory limit. Current usage: 1.2 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB virtual memory used. "
       "Killing container.\n[2026-11-21 20:00:00.500]Container killed on request. Exit code is 0\n",
       "out of memory: its container used 1.2 GiB of 1 GiB of memory, and YARN killed it; memory: 1536MiB would have "
       "been enough until then"},
      {-103,
       "Container [pid=17] is running beyond the 'VIRTUAL' memory limit. Current usage: 60.1 MB of 256 MB physical "
       "memory used; 2.9 GB of 537.6 MB virtual memory used. Killing container.",
       "out of memory: its container used 2.9 GiB of 537.6 MiB of virtual memory, and YARN killed it; that is a limit "
       "of "
       "the cluster (yarn.nodemanager.vmem-check-enabled), which administrators should switch off"},
      {-1000,
       "[2026-11-21 19:00:00.000]Resource hdfs://ns/user/ann/x.bin changed on src filesystem - expected: "
       "\"2026-11-21T18:00:00.000+0000\", was: \"2026-11-21T18:30:00.000+0000\", current time: "
       "\"2026-11-21T18:31:00.000+0000\"\n",
       "the file hdfs://ns/user/ann/x.bin was changed after the job was submitted: it was of "
       "2026-11-21T18:00:00.000+0000 and is of 2026-11-21T18:30:00.000+0000"},
      {-1000,
       "[2026-11-21 19:00:00.000]File does not exist: hdfs://ns/user/ann/x.bin\njava.io.FileNotFoundException: ...",
       "the file hdfs://ns/user/ann/x.bin is gone: it was removed after the job was submitted"},
      {-1000, "[2026-11-21 19:00:00.000]No space available in any of the local directories.\n",
       "it could not be started: No space available in any of the local directories"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(DescribeExit(Status(row.code, row.diagnostics)), row.how) << row.code;
  }
}

TEST(ContainerExit, HowFarAStartHasCome) {
  ::hadoop::yarn::ContainerStatusProto status;
  status.set_state(::hadoop::yarn::C_RUNNING);
  status.set_container_sub_state(::hadoop::yarn::CSS_SCHEDULED);
  EXPECT_EQ(DescribeStartProgress(status, "n7"), "its files were still being brought to n7 (localizing)");
  status.set_container_sub_state(::hadoop::yarn::CSS_RUNNING);
  EXPECT_EQ(DescribeStartProgress(status, "n7"), "its executor had been started on n7 and had not connected");
  status.set_state(::hadoop::yarn::C_COMPLETE);
  EXPECT_EQ(DescribeStartProgress(status, "n7"), "");
  EXPECT_EQ(DescribeStartProgress(Error{ErrorCode::kNotFound, "gone"}, "n7"), "");
  EXPECT_EQ(DescribeStartProgress(Error{ErrorCode::kTimeout, "no answer"}, "n7"),
            "its node n7 did not say how far it is: no answer");
}

TEST(Excused, WhatIsNotTheTasksDoing) {
  for (const int status : {-100, -101, -102, -106, -108}) EXPECT_TRUE(IsExcused(status)) << status;
  for (const int status : {-1000, -103, -104, -105, -107, 0, 1, 137, 143, 154})
    EXPECT_FALSE(IsExcused(status)) << status;
  for (const int status : {-102, -108}) EXPECT_TRUE(WasTaken(status)) << status;
  for (const int status : {-100, -101, -106, 0, 137}) EXPECT_FALSE(WasTaken(status)) << status;
}

TEST(ContainerExit, WhomItWasTakenForIsSaid) {
  EXPECT_EQ(DescribeExit(Status(-102, ""), "the queue a or b"),
            "it was preempted: YARN needed its container for the queue a or b");
  EXPECT_EQ(DescribePreemptionWarning("the queue a"), "the scheduler preempts it for the queue a");
  EXPECT_EQ(DescribePreemptionWarning(""), "the scheduler preempts it");
}

}  // namespace
}  // namespace howdah::backend::yarn
