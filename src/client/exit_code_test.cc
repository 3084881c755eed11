#include "howdah/client/exit_code.h"

#include <gtest/gtest.h>

namespace howdah::client {
namespace {

TEST(ExitCode, ExitCodeInJournalTakesPrecedenceOverState) {
  journal::JobView view;
  const std::pair<core::JobState, int> expected[] = {
      {core::JobState::kSucceeded, 0}, {core::JobState::kFailed, 1}, {core::JobState::kKilled, 4}};
  for (const auto& [state, code] : expected) {
    view.state = state;
    EXPECT_EQ(ExitCodeOf(view), code);
  }
  view.exit_code = 3;  // the exit code if the allocation of a gang times out
  EXPECT_EQ(ExitCodeOf(view), 3);
  for (const int damaged : {-1, 2, 5, 256, 2'000'000'000}) {
    view.exit_code = damaged;
    EXPECT_EQ(ExitCodeOf(view), 4) << damaged << ": the state KILLED decides";
  }
}

}  // namespace
}  // namespace howdah::client
