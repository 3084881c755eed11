#include "howdah/core/submission.h"

#include <gmock/gmock.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

TEST(Submission, RolesWithFinishDependenciesAreMarkedAsStartingLater) {
  auto spec = JobOf({RoleOf("prepare", 1, [](auto& role) { role.kind = jobspec::RoleKind::kSetup; }), RoleOf("ps", 2),
                     RoleOf("worker", 4)});
  spec.framework = jobspec::Framework::kTensorflow;
  const JobSubmitted submitted = SubmissionOf(spec, "j1", "local", "ann", "node1");
  EXPECT_THAT(submitted.roles,
              ::testing::ElementsAre(JobSubmitted::Role{"prepare", 1, false}, JobSubmitted::Role{"ps", 2, true},
                                     JobSubmitted::Role{"worker", 4, true}));
  EXPECT_EQ(submitted.id + submitted.on + submitted.framework + submitted.user + submitted.host,
            "j1localtensorflowannnode1");
}

}  // namespace
}  // namespace howdah::core::testing
