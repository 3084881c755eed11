#include "howdah/backend/yarn/container_exit_status.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

TEST(ContainerExitStatus, InfrastructureFailuresAreNotCharged) {
  for (const int status : {-100, -101, -102, -106, -108}) EXPECT_FALSE(MeaningOf(status).charged) << status;
  for (const int status : {-1000, -103, -104, -105, -107, -109, 0, 1, 137, 143, 154}) {
    EXPECT_TRUE(MeaningOf(status).charged) << status;
  }
}

TEST(ContainerExitStatus, KillBySchedulerIsAPreemption) {
  for (const int status : {-102, -108}) EXPECT_TRUE(MeaningOf(status).preempted) << status;
  for (const int status : {-100, -101, -106, 0, 137}) EXPECT_FALSE(MeaningOf(status).preempted) << status;
}

TEST(ContainerExitStatus, ExitCodeOfTheProcessHasNoExplanation) {
  for (const int code : {0, 1, 2, 127, 137, 255}) {
    EXPECT_EQ(MeaningOf(code).of_task, "") << code;
    EXPECT_EQ(MeaningOf(code).of_am, "") << code;
  }
}

}  // namespace
}  // namespace howdah::backend::yarn
