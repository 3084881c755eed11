#include "keytab_renewer.h"

#include <gtest/gtest.h>

#include "howdah/base/epoch.h"

namespace howdah::backend::yarn::am {
namespace {

TEST(KeytabRenewer, RenewalTimeIsLongBeforeTheEndOfTheTokens) {
  using std::chrono::days;
  using std::chrono::hours;
  using std::chrono::seconds;
  const Instant issued = FromMillis(1'790'000'000'000);
  EXPECT_EQ(RenewalTime(issued, issued + hours(24)), issued + hours(18)) << "three quarters of the renewal interval";
  EXPECT_EQ(RenewalTime(issued, issued + days(7)), issued + days(7) - hours(6));
  EXPECT_EQ(RenewalTime(issued, issued + seconds(60)), issued + seconds(45));
  EXPECT_EQ(RenewalTime(issued, issued - seconds(1)), issued - seconds(1)) << "a wrong clock";
}

}  // namespace
}  // namespace howdah::backend::yarn::am
