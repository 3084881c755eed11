#include "howdah/client/time_zone.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace howdah::client {
namespace {

TEST(TimeZone, OffsetsAndDatabaseNamesAreAccepted) {
  const Instant winter(std::chrono::seconds(1704067200));
  const std::pair<const char*, int> kMinutes[] = {
      {"UTC", 0}, {"Z", 0}, {"GMT+6", 360}, {"+05:30", 330}, {"UTC-08:00", -480}};
  for (const auto& [name, minutes] : kMinutes) {
    const auto zone = TimeZone(name);
    ASSERT_TRUE(zone.ok()) << name;
    EXPECT_EQ((*zone)(winter), std::chrono::minutes(minutes)) << name;
  }
  for (const char* name :
       {"", "Nowhere/At_All", "../../../etc/passwd", "/etc/passwd", "UTC+", "+25", "GMT+5:99", "Europe"}) {
    EXPECT_FALSE(TimeZone(name).ok()) << name;
  }
}

TEST(TimeZone, ZonesAreIndependentOfEachOtherAndOfTheProcess) {
  const std::string before = getenv("TZ") == nullptr ? "" : getenv("TZ");
  const auto berlin = TimeZone("Europe/Berlin"), los_angeles = TimeZone("America/Los_Angeles");
  if (!berlin.ok() || !los_angeles.ok()) GTEST_SKIP() << "tzdata is not installed";
  const Instant winter(std::chrono::seconds(1704067200)), summer(std::chrono::seconds(1719792000));
  const Instant later(std::chrono::seconds(2540635200));  // July 2050: follows from the rule at the end of the file
  EXPECT_EQ((*berlin)(winter), std::chrono::hours(1));
  EXPECT_EQ((*los_angeles)(winter), std::chrono::hours(-8));
  EXPECT_EQ((*berlin)(summer), std::chrono::hours(2));
  EXPECT_EQ((*los_angeles)(later), std::chrono::hours(-7));
  EXPECT_EQ(getenv("TZ") == nullptr ? "" : getenv("TZ"), before) << "children of the process would inherit it";
}

}  // namespace
}  // namespace howdah::client
