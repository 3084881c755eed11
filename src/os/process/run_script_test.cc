#include "howdah/os/process/run_script.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>

#include <chrono>

#include "howdah/os/files/fd.h"

namespace howdah::os::process {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

TEST(RunScript, PassesInputAndVariablesAndReturnsBothOutputs) {
  const auto result = RunScript({.script = "cat; echo \"$A $HOME\"; echo problem >&2; exit 3",
                                 .variables = {{"A", "x y"}, {"HOME", "/nowhere"}},
                                 .directory = "/",
                                 .input = "text\n",
                                 .limit = minutes(1)});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "text\nx y /nowhere\n");
  EXPECT_EQ(result->errors, "problem\n");
  EXPECT_EQ(result->status.code, 3);
  EXPECT_FALSE(result->timed_out);
}

TEST(RunScript, LongOutputsDoNotBlock) {
  const auto result =
      RunScript({.script = "head -c 9000000 /dev/zero; head -c 9000000 /dev/zero >&2", .limit = minutes(1)});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output.size(), size_t{4} << 20);
  EXPECT_EQ(result->status.code, 0);
}

TEST(RunScript, EndsAtTheLimitWithItsChildren) {
  const auto result =
      RunScript({.script = "echo begin; trap 'echo term; exit 1' TERM; sleep 600 & wait", .limit = milliseconds(300)});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->output, "begin\nterm\n");
}

TEST(RunScript, EndsWhenItIsStopped) {
  const files::Fd event(::eventfd(1, EFD_CLOEXEC));
  const auto result = RunScript({.script = "sleep 600", .limit = minutes(10), .stop = event.get()});
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(result->timed_out);
}

TEST(RunScript, ChildThatKeepsTheOutputOpenIsNotWaitedFor) {
  const auto result = RunScript({.script = "sleep 5 & echo started", .limit = minutes(1)});
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->output, "started\n");
  EXPECT_FALSE(result->timed_out);
}

}  // namespace
}  // namespace howdah::os::process
