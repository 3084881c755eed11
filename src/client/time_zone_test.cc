#include "howdah/client/time_zone.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace howdah::client {
namespace {

TEST(TimeZone, OffsetsAndDatabaseNamesAreAccepted) {
  const Instant winter(std::chrono::seconds(1704067200)), summer(std::chrono::seconds(1719792000));
  const std::pair<const char*, int> kMinutes[] = {
      {"UTC", 0}, {"Z", 0}, {"GMT+6", 360}, {"+05:30", 330}, {"UTC-08:00", -480}};
  for (const auto& [name, minutes] : kMinutes) {
    const auto zone = TimeZone(name);
    ASSERT_TRUE(zone.ok()) << name;
    EXPECT_EQ((*zone)(winter), std::chrono::minutes(minutes)) << name;
  }
  for (const char* name : {"", "Nowhere/At_All", "../../../etc/passwd", "/etc/passwd", "UTC+", "+25", "GMT+5:99"}) {
    EXPECT_FALSE(TimeZone(name).ok()) << name;
  }
  if (const auto zone = TimeZone("Europe/Berlin"); zone.ok()) {  // only if tzdata is installed
    EXPECT_EQ((*zone)(winter), std::chrono::hours(1));
    EXPECT_EQ((*zone)(summer), std::chrono::hours(2));
    unsetenv("TZ");
  }
}

}  // namespace
}  // namespace howdah::client
