#include "howdah/base/epoch.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(Epoch, NumberOutOfRangeIsClamped) {
  EXPECT_EQ(FormatInstant(FromMillis(1'795'000'000'123)), "2026-11-18T11:06:40.123Z");
  EXPECT_EQ(FromMicros(1'795'000'000'000'000), FromMillis(1'795'000'000'000));
  for (const int64_t late : {INT64_MAX, int64_t{253'402'300'800'000'000}}) {
    EXPECT_EQ(FormatInstant(FromMicros(late)), "9999-12-31T23:59:59.999Z");
    EXPECT_EQ(FormatInstant(FromMillis(late)), "9999-12-31T23:59:59.999Z");
  }
  for (const int64_t early : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
    EXPECT_EQ(FromMicros(early), Instant());
    EXPECT_EQ(FromMillis(early), Instant());
  }
}

TEST(Epoch, AnyNumberIsConvertedToADuration) {
  EXPECT_EQ(DurationFromMicros(1'500'000), std::chrono::milliseconds(1500));
  EXPECT_EQ(DurationFromMicros(INT64_MAX), std::chrono::hours(100 * 365 * 24));
  for (const int64_t none : {int64_t{0}, int64_t{-1}, INT64_MIN}) EXPECT_EQ(DurationFromMicros(none), Duration());
}

}  // namespace
}  // namespace howdah
