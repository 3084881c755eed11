#include "howdah/journal/days.h"

#include <gtest/gtest.h>

namespace howdah::journal {
namespace {

using namespace std::chrono_literals;
using std::chrono::November;
using std::chrono::October;

Instant TimeOn(std::chrono::year_month_day date, Duration time) { return std::chrono::sys_days(date) + time; }
Day DayOf(std::chrono::year_month_day date) { return std::chrono::local_days(date); }

constexpr std::chrono::year_month_day kDay{std::chrono::year(2026) / November / 21};

TEST(Days, DaysOfUtcBeginAtMidnight) {
  const Days days;
  EXPECT_EQ(days.Of(TimeOn(kDay, 0us)), DayOf(kDay));
  EXPECT_EQ(days.Of(TimeOn(kDay, 24h - 1us)), DayOf(kDay));
  EXPECT_EQ(days.EndAfter(TimeOn(kDay, 0us)), TimeOn(kDay, 24h));
  EXPECT_EQ(days.EndAfter(TimeOn(kDay, 24h - 1us)), TimeOn(kDay, 24h));
}

TEST(Days, FixedOffsetMovesMidnight) {
  const Days days([](Instant) -> Duration { return 5h + 30min; });
  EXPECT_EQ(days.Of(TimeOn(kDay, 18h + 29min)), DayOf(kDay));
  EXPECT_EQ(days.Of(TimeOn(kDay, 18h + 30min)), DayOf(std::chrono::year(2026) / November / 22));
  EXPECT_EQ(days.EndAfter(TimeOn(kDay, 1h)), TimeOn(kDay, 18h + 30min));
}

// Central Europe: 2026-10-25 has 25 hours, because clocks are set back at 01:00 UTC.
TEST(Days, DayOnWhichClocksAreSetBackIsLonger) {
  const std::chrono::year_month_day day{std::chrono::year(2026) / October / 25};
  const Days days([day](Instant at) -> Duration { return at < TimeOn(day, 1h) ? 2h : 1h; });
  const Instant begin = TimeOn(day, -2h);
  EXPECT_EQ(days.Of(begin), DayOf(day));
  EXPECT_EQ(days.Of(begin - 1us), DayOf(std::chrono::year(2026) / October / 24));
  EXPECT_EQ(days.EndAfter(begin), begin + 25h);
  EXPECT_EQ(days.EndAfter(TimeOn(day, 2h)), begin + 25h);
}

// Clocks are set forward at midnight, so that the day begins at 01:00.
TEST(Days, DayMayBeginAfterMidnight) {
  const Days days([](Instant at) -> Duration { return at < TimeOn(kDay, 3h) ? -3h : -2h; });
  EXPECT_EQ(days.EndAfter(TimeOn(kDay, 2h)), TimeOn(kDay, 3h));
  EXPECT_EQ(days.EndAfter(TimeOn(kDay, 3h)), TimeOn(kDay, 26h));
}

}  // namespace
}  // namespace howdah::journal
