#include "howdah/client/outputs_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::client {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(OutputsNotes, PatternsThatNoTaskMatchedAreNamed) {
  jobspec::JobSpec spec;
  spec.outputs = {"*.pt", "out/"};
  spec.roles.resize(2);
  spec.roles[0].name = "worker";
  spec.roles[1].name = "eval-all";
  spec.roles[1].outputs = {"scores/*.txt"};
  EXPECT_THAT(OutputsNotes(spec, {"worker-0/a.pt", "eval-all-1/out/deep/x", "eval-all-0/scores/a.txt"}), IsEmpty());
  EXPECT_THAT(OutputsNotes(spec, {"worker-0/out/a.pt", "worker-0/scores/a.txt"}),
              ElementsAre("outputs: no task made a file that matches '*.pt'; it matches only at the top of the working "
                          "directory, '**/*.pt' at any depth",
                          "outputs: no task made a file that matches 'scores/*.txt'; patterns are relative to the "
                          "working directory of the task"));
  spec.outputs.clear();
  spec.roles[1].outputs.clear();
  EXPECT_THAT(OutputsNotes(spec, {}), IsEmpty());
}

}  // namespace
}  // namespace howdah::client
