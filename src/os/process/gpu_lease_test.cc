#include "howdah/os/process/gpu_lease.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>

namespace howdah::os::process {
namespace {

std::string Scope() { return "test-" + std::to_string(getpid()) + "-"; }

TEST(GpuLease, GpusIsolatedByClusterNeedNoLease) {
  const auto lease = LeaseGpus({2, 3}, 2, Scope());
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease->gpus, (std::vector<int>{2, 3}));
  // In another container, the same indices may belong to other devices.
  EXPECT_TRUE(LeaseGpus({2, 3}, 2, Scope()).ok());
}

TEST(GpuLease, VisibleGpuIsLeasedToOneContainerAtATime) {
  const auto first = LeaseGpus({0, 1, 2, 3}, 2, Scope());
  const auto second = LeaseGpus({0, 1, 2, 3}, 1, Scope());
  ASSERT_TRUE(first.ok() && second.ok());
  std::set<int> all(first->gpus.begin(), first->gpus.end());
  all.insert(second->gpus.begin(), second->gpus.end());
  EXPECT_EQ(all.size(), 3u);
  const auto third = LeaseGpus({0, 1, 2, 3}, 2, Scope());
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
  EXPECT_NE(third.error().message.find("only 1 of the 4 GPUs"), std::string::npos) << third.error().message;
}

TEST(GpuLease, LeaseEndsWhenLastProcessWithItsDescriptorsEnds) {
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  pid_t child = -1;
  {
    const auto lease = LeaseGpus({0, 1}, 1, Scope());
    ASSERT_TRUE(lease.ok());
    child = fork();
    if (child == 0) {
      char byte;
      _exit(read(go[0], &byte, 1) == 1 ? 0 : 1);
    }
  }
  EXPECT_EQ(LeaseGpus({0, 1}, 1, Scope())->gpus, (std::vector<int>{1}));  // the child still has the lease of GPU 0
  ASSERT_EQ(write(go[1], "x", 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(LeaseGpus({0, 1}, 1, Scope())->gpus, (std::vector<int>{0}));
}

TEST(GpuLease, MissingGpusAreReported) { EXPECT_FALSE(LeaseGpus({0}, 2, Scope()).ok()); }

}  // namespace
}  // namespace howdah::os::process
