#include "howdah/base/time.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

using namespace std::chrono_literals;

TEST(Time, InstantIsFormattedAsUtcWithMilliseconds) {
  const Instant t =
      Instant(std::chrono::sys_days(std::chrono::year(2026) / 11 / 21).time_since_epoch() + 6h + 45min + 12s + 301ms);
  EXPECT_EQ(FormatInstant(t), "2026-11-21T06:45:12.301Z");
  EXPECT_EQ(ParseInstant("2026-11-21T06:45:12.301Z"), t);
  for (const char* bad : {"", "2026-11-21", "2026-13-21T06:45:12.301Z", "2026-11-21T24:45:12.301Z",
                          "2026-11-21T06:45:12.301Zx", "2026-02-30T06:45:12.301Z", "2026-11-21T-6:45:12.301Z",
                          "2026-11-21T 6:45:12.301Z", "+026-11-21T06:45:12.301Z"}) {
    EXPECT_EQ(ParseInstant(bad), std::nullopt) << bad;
  }
}

TEST(Time, DurationIsFormattedForPeople) {
  const struct {
    Duration d;
    const char* text;
  } rows[] = {{0ms, "0ms"},    {412ms, "412ms"},     {3200ms, "3.2s"}, {59999ms, "59.9s"},
              {192s, "3m12s"}, {2h + 5min, "2h05m"}, {76h, "3d04h"},   {-5s, "0ms"}};
  for (const auto& row : rows) EXPECT_EQ(FormatDuration(row.d), row.text);
}

TEST(Time, DurationInJobFileSyntaxIsParsedAndWritten) {
  const struct {
    const char* text;
    std::optional<Duration> d;
  } rows[] = {{"500ms", 500ms},
              {"10s", 10s},
              {"5m", 5min},
              {"2h", 2h},
              {"1d", 24h},
              {"0s", 0s},
              {"", std::nullopt},
              {"5", std::nullopt},
              {"-5s", std::nullopt},
              {"5 s", std::nullopt},
              {"5us", std::nullopt},
              {"s", std::nullopt},
              {"1.5s", std::nullopt},
              {"5S", std::nullopt},
              {"99999999999999d", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(ParseDuration(row.text), row.d) << row.text;
  for (const char* text : {"500ms", "10s", "5m", "2h", "1d", "90s", "36h", "0s"}) {
    EXPECT_EQ(DurationToText(*ParseDuration(text)), text);
  }
}

}  // namespace
}  // namespace howdah
