// The journal's entries about delegation tokens.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

// A job whose tasks need no heartbeats.
Story Running() {
  return {
      JobOf({RoleOf("worker", 1)}, [](jobspec::JobSpec& spec) { spec.timeouts.heartbeat = std::chrono::hours(1000); })};
}

TEST(JobTokens, ExpiryIsAnnouncedOneDayBefore) {
  Reads(Running(), R"(
0s up
0s tokens 604800 rm
  tokens issued until 28T00:00 by rm
0s tokens 604800 rm
518399s tick
518400s tick
  tokens expiring until 28T00:00 by rm
518401s tick
)");
}

TEST(JobTokens, NewerTokensDelayTheAnnouncement) {
  Reads(Running(), R"(
0s up
0s tokens 604800 rm
  tokens issued until 28T00:00 by rm
500000s tokens 586400 client renewed
540000s tokens 626400 client renewed
  tokens renewed until 28T06:00 by client
604799s tick
604800s tick
  tokens expiring until 28T06:00 by client
604801s tokens 700000 client renewed
  tokens renewed until 29T02:26 by client
)");
}

TEST(JobTokens, TokensThatTheAmReplacesAreAnnouncedIfItFails) {
  Reads(Running(), R"(
0s up
0s tokens 800 rm
  tokens issued until 21T00:13 by rm
600s tokens 1400 keytab renewed
  tokens renewed until 21T00:23 by keytab
1200s tokens 2000 keytab renewed
  tokens renewed until 21T00:33 by keytab
1899s tick
1900s tick
  tokens expiring until 21T00:33 by keytab
)");
}

// The tokens of a test cluster live for minutes. The announcement must not come with their issue.
TEST(JobTokens, ShortLivedTokensAreAnnouncedInTheirLastQuarter) {
  Reads(Running(), R"(
0s up
0s tokens 150
  tokens issued until 21T00:02
112s tick
113s tick
  tokens expiring until 21T00:02
)");
}

}  // namespace
}  // namespace howdah::core::testing
