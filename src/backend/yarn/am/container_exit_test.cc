#include "container_exit.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn::am {
namespace {

::hadoop::yarn::ContainerStatusProto Ended(int code, const std::string& diagnostics) {
  ::hadoop::yarn::ContainerStatusProto status;
  status.set_exit_status(code);
  status.set_diagnostics(diagnostics);
  return status;
}

TEST(ContainerExit, EachExitStatusIsDescribed) {
  const struct {
    int code;
    const char* diagnostics;
    const char* how;
  } rows[] = {
      {0, "", ""},
      {1, "Exception from container-launch.\nContainer id: container_1", "executor ended with exit code 1"},
      {1,
       "[2026-11-21 19:00:00.000]Exception from container-launch.\nContainer id: container_1\nExit code: 1\n\n"
       "[2026-11-21 19:00:00.001]Container exited with a non-zero exit code 1. Error file: prelaunch.err.\n"
       "Last 4096 bytes of prelaunch.err :\nLast 4096 bytes of agent.stderr :\nhowdah-agent: one\n"
       "unpacking the python archive: not an archive\n\n\n[2026-11-21 19:00:00.002]Container exited with a non-zero "
       "exit code 1.",
       "executor ended with exit code 1: unpacking the python archive: not an archive"},
      {154, "Container exited with a non-zero exit code 154",
       "exit status unknown because the NodeManager was restarted"},
      {-100, "Container expired since it was unused", "container expired because it was not started in time"},
      {137, "[2026-11-21 19:00:00.000]Container killed on request. Exit code is 137\n",
       "executor was killed by signal 9 (SIGKILL)"},
      {143, "", "executor was killed by signal 15 (SIGTERM)"},
      {-100, "Container released on a *lost* node", "node lost"},
      {-100, "Container released by application", "container reclaimed by YARN: Container released by application"},
      {-101, "", "disks of the node failed"},
      {-102, "Container preempted by scheduler", "preempted by YARN for another queue or application"},
      {-104,
       "[2026-11-21 19:00:00.000]Container [pid=17,containerID=container_1] is running 4304896B beyond the 'PHYSICAL' "
       "memory limit. Current usage: 260.1 MB of 256 MB physical memory used; 2.9 GB of 537.6 MB virtual memory used. "
       "Killing container.\nDump of the process-tree",
       "out of memory: container used 260.1 MiB of 256 MiB of memory and was killed by YARN; a request of 512MiB would "
       "have "
       "been enough for this peak"},
      {-104, "", "container exceeded its memory limit and was killed by YARN"},
      {0,
       "[2026-11-21 20:00:00.000]Container [pid=17,containerID=container_1] is running 4304896B beyond the 'PHYSICAL' "
       "memory limit. Current usage: 1.2 GB of 1 GB physical memory used; 2.9 GB of 2.1 GB virtual memory used. "
       "Killing container.\n[2026-11-21 20:00:00.500]Container killed on request. Exit code is 0\n",
       "out of memory: container used 1.2 GiB of 1 GiB of memory and was killed by YARN; a request of 1536MiB would "
       "have "
       "been enough for this peak"},
      {-103,
       "Container [pid=17] is running beyond the 'VIRTUAL' memory limit. Current usage: 60.1 MB of 256 MB physical "
       "memory used; 2.9 GB of 537.6 MB virtual memory used. Killing container.",
       "out of memory: container used 2.9 GiB of 537.6 MiB of virtual memory and was killed by YARN; administrators "
       "should disable this check of the cluster (yarn.nodemanager.vmem-check-enabled)"},
      {-1000,
       "[2026-11-21 19:00:00.000]Resource hdfs://ns/user/ann/x.bin changed on src filesystem - expected: "
       "\"2026-11-21T18:00:00.000+0000\", was: \"2026-11-21T18:30:00.000+0000\", current time: "
       "\"2026-11-21T18:31:00.000+0000\"\n",
       "file hdfs://ns/user/ann/x.bin changed after submission: modified at 2026-11-21T18:30:00.000+0000, expected "
       "2026-11-21T18:00:00.000+0000"},
      {-1000,
       "[2026-11-21 19:00:00.000]File does not exist: hdfs://ns/user/ann/x.bin\njava.io.FileNotFoundException: ...",
       "file hdfs://ns/user/ann/x.bin was deleted after submission"},
      {-1000, "[2026-11-21 19:00:00.000]No space available in any of the local directories.\n",
       "container could not be started: No space available in any of the local directories"},
      {-1000, "",
       "container could not be started, and the NodeManager gave no reason; if the job has an image, check that "
       "yarn.nodemanager.runtime.linux.allowed-runtimes contains docker, otherwise read the log of the NodeManager"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(DescribeExit(Ended(row.code, row.diagnostics)), row.how) << row.code;
  }
}

TEST(ContainerExit, OnlyRefusalsOfTheClusterAreFinal) {
  const std::string untrusted = "Shell error output: image: evil/torch is not trusted.\n";
  EXPECT_TRUE(IsRefusedByCluster(Ended(127, untrusted)));
  EXPECT_TRUE(IsRefusedByCluster(Ended(-1, "Exception message: Disallowed network:  'x' specified.\n")));
  EXPECT_TRUE(IsRefusedByCluster(Ended(-1000, "... (exitCode=255) with output: User bob not found\n")));
  EXPECT_FALSE(IsRefusedByCluster(Ended(7, "docker: Cannot connect to the Docker daemon at unix:///d.\n")));
  EXPECT_FALSE(IsRefusedByCluster(Ended(137, untrusted))) << "killed by a signal";
  EXPECT_FALSE(IsRefusedByCluster(Ended(0, untrusted)));
  EXPECT_FALSE(IsRefusedByCluster(Ended(-104, untrusted))) << "killed by YARN";
  EXPECT_FALSE(IsRefusedByCluster(Ended(1, untrusted + "Last 4096 bytes of agent.stderr :\nno such job\n")))
      << "the executor has run";
  EXPECT_FALSE(IsRefusedByCluster(Ended(1, "")));
}

TEST(ContainerExit, PreemptionIsDescribedWithTheQueue) {
  EXPECT_EQ(DescribeExit(Ended(-102, ""), "queue a or b"), "preempted by YARN for queue a or b");
  EXPECT_EQ(DescribePreemptionWarning("queue a"), "the scheduler is preempting it for queue a");
  EXPECT_EQ(DescribePreemptionWarning(""), "the scheduler is preempting it");
}

TEST(ContainerExit, StartProgressNamesThePhaseAndTheNode) {
  ::hadoop::yarn::ContainerStatusProto status;
  status.set_state(::hadoop::yarn::C_RUNNING);
  status.set_container_sub_state(::hadoop::yarn::CSS_SCHEDULED);
  EXPECT_EQ(DescribeStartProgress(status, "n7"), "localizing files on n7");
  status.set_container_sub_state(::hadoop::yarn::CSS_RUNNING);
  EXPECT_EQ(DescribeStartProgress(status, "n7"), "executor started on n7 but not connected");
  status.set_state(::hadoop::yarn::C_COMPLETE);
  EXPECT_EQ(DescribeStartProgress(status, "n7"), "");
  EXPECT_EQ(DescribeStartProgress(Error{ErrorCode::kNotFound, "gone"}, "n7"), "");
  EXPECT_EQ(DescribeStartProgress(Error{ErrorCode::kTimeout, "no answer"}, "n7"),
            "n7 did not report the container's status: no answer");
}

}  // namespace
}  // namespace howdah::backend::yarn::am
