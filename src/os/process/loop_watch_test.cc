#include "howdah/os/process/loop_watch.h"

#include <gtest/gtest.h>

namespace howdah::os::process {
namespace {

class LoopWatch : public testing::Test {
 protected:
  void Tick(int seconds) {
    for (int i = 0; i < seconds; ++i) watchdog_.Tick();
  }
  LoopPulse pulse_ = *LoopPulse::Make();
  LoopWatchdog watchdog_{pulse_};
};

TEST_F(LoopWatch, LoopWithoutFurtherTurnsIsHung) {
  Tick(1000);
  EXPECT_FALSE(watchdog_.hung());  // the loop has not begun
  pulse_.Turned();
  Tick(1 + LoopWatchdog::kLimit - 1);
  EXPECT_FALSE(watchdog_.hung());
  Tick(1);
  EXPECT_TRUE(watchdog_.hung());
  EXPECT_EQ(watchdog_.Text(), "did not turn its event loop for 30 s");
  pulse_.Turned();
  Tick(1);
  EXPECT_FALSE(watchdog_.hung());
}

TEST_F(LoopWatch, SuspendedLoopIsNotHung) {
  pulse_.Turned();
  pulse_.Suspend();
  Tick(1000);
  watchdog_.Require(10);
  Tick(1000);
  EXPECT_FALSE(watchdog_.hung());
  pulse_.Turned();
  Tick(1 + 10);
  EXPECT_TRUE(watchdog_.hung());
}

TEST_F(LoopWatch, LoopWithoutARequiredFirstTurnIsHung) {
  watchdog_.Require(10);
  Tick(9);
  EXPECT_FALSE(watchdog_.hung());
  Tick(1);
  EXPECT_TRUE(watchdog_.hung());
  EXPECT_EQ(watchdog_.Text(), "did not turn its event loop for 10 s");
  pulse_.Turned();  // a call of the child that ran before the restart
  watchdog_.Restart();
  Tick(1000);
  EXPECT_FALSE(watchdog_.hung());
}

}  // namespace
}  // namespace howdah::os::process
