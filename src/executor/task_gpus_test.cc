#include "howdah/executor/task_gpus.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <set>

#include "howdah/jobspec/job_file.h"
#include "howdah/os/files/files.h"
#include "howdah/os/process/testing.h"

namespace howdah::executor {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

// A node with an nvidia-smi that lists two GPUs, and a job with roles of 0, 1, 2 and 3 GPUs per task.
class LeaseOfGpus : public ::testing::Test {
 protected:
  LeaseOfGpus() {
    jobspec::JobSpec spec;
    spec.name = "test";
    for (const int gpus : {0, 1, 2, 3}) {
      jobspec::RoleSpec& role = spec.roles.emplace_back();
      role.name = "role" + std::to_string(gpus);
      role.memory_bytes = 64 << 20;
      role.command.shell = "true";
      role.gpus = gpus;
    }
    EXPECT_TRUE(os::files::WriteFileAtomically(job_file_, jobspec::WriteEffective(spec)).ok());
    EXPECT_TRUE(os::files::WriteFileAtomically(scratch_ / "nvidia-smi",
                                               "#!/bin/sh\necho '0, Test GPU, 81920, GPU-a, 00000000:0A:00.0'\n"
                                               "echo '1, Test GPU, 81920, GPU-b, 00000000:0B:00.0'\n",
                                               0755)
                    .ok());
    // The numbers of the devices are not nvidia-smi's indices.
    for (const auto& [bus_id, minor] : {std::pair("0a", 1), std::pair("0b", 0)}) {
      const std::string folder = scratch_ / ("driver/0000:" + std::string(bus_id) + ":00.0");
      EXPECT_TRUE(os::files::MakeDirectories(folder).ok());
      EXPECT_TRUE(os::files::WriteFileAtomically(folder + "/information",
                                                 "Model: \t Test GPU\nDevice Minor: \t " + std::to_string(minor) + "\n")
                      .ok());
    }
  }
  Result<std::optional<TaskGpus>> Lease(const std::string& role, const std::string& path) {
    const GpuDevices devices{.driver = scratch_ / "driver",
                             .may_open = [this](const std::string& device) { return !denied_.contains(device); },
                             .scope = scratch_.path()};
    return LeaseTaskGpus(job_file_, role, path, devices);
  }

  os::files::Scratch scratch_;
  std::set<std::string> denied_;  // devices that the container may not open
  std::string job_file_ = scratch_ / "job.json", path_ = scratch_.path() + ":/usr/bin:/bin";
};

TEST_F(LeaseOfGpus, TasksOfOneNodeGetDifferentGpus) {
  const auto first = Lease("role1", path_);
  ASSERT_TRUE(first.ok() && first->has_value());
  ASSERT_THAT((*first)->lease.gpus, SizeIs(1));
  const auto second = Lease("role1", path_);
  ASSERT_TRUE(second.ok() && second->has_value());
  EXPECT_NE((*first)->lease.gpus, (*second)->lease.gpus);
  const auto third = Lease("role1", path_);
  ASSERT_FALSE(third.ok());
  EXPECT_EQ(third.error().code, ErrorCode::kUnavailable);
}

TEST_F(LeaseOfGpus, TaskGetsAllGpusOfAnIsolatedContainer) {
  const auto lease = Lease("role2", path_);
  ASSERT_TRUE(lease.ok() && lease->has_value());
  EXPECT_THAT((*lease)->lease.gpus, ElementsAre(0, 1));
}

TEST_F(LeaseOfGpus, TaskGetsTheGpusThatItsContainerMayOpen) {
  denied_ = {"/dev/nvidia1"};
  for (int i = 0; i < 2; ++i) {
    const auto gpus = Lease("role1", path_);
    ASSERT_TRUE(gpus.ok() && gpus->has_value())
        << "the cluster has given this GPU to the container: no lease is needed";
    EXPECT_THAT((*gpus)->lease.gpus, ElementsAre(1));
    EXPECT_EQ((*gpus)->visible_devices, "GPU-b");
  }
  const auto more = Lease("role2", path_);
  ASSERT_FALSE(more.ok());
  EXPECT_EQ(more.error().code, ErrorCode::kUnavailable);
}

TEST_F(LeaseOfGpus, FewerGpusThanRequestedIsAnError) {
  const auto lease = Lease("role3", path_);
  ASSERT_FALSE(lease.ok());
  EXPECT_EQ(lease.error().code, ErrorCode::kUnavailable);
}

TEST_F(LeaseOfGpus, RoleWithoutGpusOrNodeWithoutNvidiaSmiLeasesNothing) {
  EXPECT_FALSE(Lease("role0", path_)->has_value());
  EXPECT_FALSE(Lease("role1", "/nonexistent")->has_value());
}

TEST_F(LeaseOfGpus, UnreadableJobFileIsAnError) {
  EXPECT_FALSE(LeaseTaskGpus(scratch_ / "nothing", "role1", path_).ok());
}

}  // namespace
}  // namespace howdah::executor
