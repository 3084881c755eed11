#include "howdah/base/exit_status.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(ExitStatus, TextNamesCodeOrSignal) {
  EXPECT_EQ(ToText({.code = 7}), "exit code 7");
  EXPECT_EQ(ToText({.signal = 11}), "signal 11 (SIGSEGV)");
  EXPECT_EQ(ToText({.signal = 42}), "signal 42 (SIG42)");
  EXPECT_EQ(DescribeEnd({.code = 0}), "ended with exit code 0");
  EXPECT_EQ(DescribeEnd({.signal = 9}), "was killed by signal 9 (SIGKILL)");
}

TEST(ExitStatus, OnlyCodeZeroIsSuccess) {
  EXPECT_TRUE((ExitStatus{.code = 0}).success());
  EXPECT_FALSE((ExitStatus{.code = 1}).success());
  EXPECT_FALSE((ExitStatus{.signal = 15}).success());
  EXPECT_FALSE(ExitStatus{}.success());
}

TEST(ExitStatus, ShellCodesAbove128AreSignals) {
  const struct {
    int code;
    ExitStatus exit;
  } rows[] = {{0, {.code = 0}},     {127, {.code = 127}},  {128, {.code = 128}}, {129, {.signal = 1}},
              {137, {.signal = 9}}, {192, {.signal = 64}}, {193, {.code = 193}}, {255, {.code = 255}}};
  for (const auto& row : rows) EXPECT_EQ(FromShellCode(row.code), row.exit) << row.code;
}

TEST(ExitStatus, SignalNameIsConvertedBackToItsNumber) {
  const struct {
    int number;
    const char* name;
  } rows[] = {{1, "SIGHUP"},   {6, "SIGABRT"}, {9, "SIGKILL"}, {11, "SIGSEGV"},
              {15, "SIGTERM"}, {42, "SIG42"},  {64, "SIG64"}};
  for (const auto& row : rows) {
    EXPECT_EQ(SignalName(row.number), row.name);
    EXPECT_EQ(SignalNumber(row.name), row.number) << row.name;
  }
  EXPECT_EQ(SignalNumber("SIGIOT"), 6);
  for (const char* text : {"", "SIG", "SIG0", "SIG65", "SIG-1", "SIG042", "SIG9x", "KILL", "9", "sigterm"}) {
    EXPECT_EQ(SignalNumber(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace howdah
