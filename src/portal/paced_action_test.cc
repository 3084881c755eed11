#include "paced_action.h"

#include <gtest/gtest.h>

#include <chrono>

namespace howdah::portal {
namespace {

using namespace std::chrono_literals;

class PacedActionTest : public testing::Test {
 protected:
  boost::asio::io_context loop;
  int runs = 0;
};

TEST_F(PacedActionTest, FirstRequestRunsTheActionAtOnce) {
  PacedAction action(loop, 1h, [&] { ++runs; });
  EXPECT_EQ(runs, 0);
  action.Request();
  EXPECT_EQ(runs, 1);
}

TEST_F(PacedActionTest, RequestsDuringThePauseAreAnsweredByOneRun) {
  PacedAction action(loop, 1ms, [&] { ++runs; });
  for (int i = 0; i < 5; ++i) action.Request();
  EXPECT_EQ(runs, 1);
  loop.run();
  EXPECT_EQ(runs, 2);
}

TEST_F(PacedActionTest, RequestAfterThePauseRunsTheActionAtOnce) {
  PacedAction action(loop, 1ms, [&] { ++runs; });
  action.Request();
  loop.run();
  action.Request();
  EXPECT_EQ(runs, 2);
}

TEST_F(PacedActionTest, PauseIsInProportionToTheRun) {
  std::chrono::steady_clock::time_point ended, again;
  PacedAction action(loop, 0ms, [&] {
    if (++runs == 2) again = std::chrono::steady_clock::now();
    if (runs == 1) {
      const auto begin = std::chrono::steady_clock::now();
      do ended = std::chrono::steady_clock::now();
      while (ended - begin < 2ms);
    }
  });
  action.Request();
  action.Request();
  loop.run();
  EXPECT_EQ(runs, 2);
  EXPECT_GE(again - ended, 19 * 2ms);
}

TEST_F(PacedActionTest, RequestByTheActionIsOneMoreRun) {
  PacedAction* action = nullptr;
  PacedAction made(loop, 1ms, [&] {
    if (++runs == 1) action->Request();
  });
  action = &made;
  made.Request();
  loop.run();
  EXPECT_EQ(runs, 2);
}

TEST_F(PacedActionTest, NothingRunsAfterTheDestructor) {
  {
    PacedAction action(loop, 0ms, [&] { ++runs; });
    action.Request();
    action.Request();
  }
  loop.run();
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace howdah::portal
