#include "howdah/hadoop/yarn/ids.h"

#include <gtest/gtest.h>

namespace howdah::hadoop::yarn {
namespace {

constexpr int64_t kTs = 1410901177871;

TEST(Ids, TextMatchesHadoop) {
  const ApplicationId application{kTs, 1};
  EXPECT_EQ(ToText(application), "application_1410901177871_0001");
  EXPECT_EQ(ToText(ApplicationId{kTs, 12345}), "application_1410901177871_12345");
  EXPECT_EQ(ToText(AttemptId{application, 1}), "appattempt_1410901177871_0001_000001");
  EXPECT_EQ(ToText(ContainerId{{application, 1}, 5}), "container_1410901177871_0001_01_000005");
  // This example is from the documentation of ContainerId.
  EXPECT_EQ(ToText(ContainerId{{application, 1}, int64_t{17} << 40 | 5}), "container_e17_1410901177871_0001_01_000005");
  EXPECT_EQ(ToText(ContainerId{{{kTs, 10001}, 123}, int64_t{1} << 40 | 1234567}),
            "container_e01_1410901177871_10001_123_1234567");
  EXPECT_EQ(ToText(NodeId{"node7", 45454}), "node7:45454");
}

TEST(Ids, TextIsParsed) {
  const AttemptId attempt{{kTs, 10001}, 2};
  for (const int64_t epoch : {0, 1, 17, 8388607}) {
    for (const int64_t number : {int64_t{0}, int64_t{5}, int64_t{1234567}, (int64_t{1} << 40) - 1}) {
      const ContainerId id{attempt, epoch << 40 | number};
      EXPECT_EQ(ParseContainerId(ToText(id)), id) << ToText(id);
      EXPECT_EQ(FromProto(ToProto(id)), id) << ToText(id);
    }
  }
  EXPECT_EQ(ParseApplicationId(ToText(attempt.application)), attempt.application);
  EXPECT_EQ(ParseAttemptId(ToText(attempt)), attempt);
  EXPECT_EQ(FromProto(ToProto(attempt)), attempt);
  EXPECT_EQ(ParseNodeId("node7:45454"), (NodeId{"node7", 45454}));
  EXPECT_EQ(ParseNodeId("fe80::1:8041"), (NodeId{"fe80::1", 8041}));
}

TEST(Ids, InvalidTextIsRejected) {
  for (const char* text :
       {"", "_", "application", "application_", "application_1_", "application__1", "application_1_1_1",
        "Application_1_1", " application_1_1", "application_1_1 ", "application_-1_1", "application_+1_1",
        "application_1_2147483648", "application_9223372036854775808_1", "application_1_0x1", "job_1_1"}) {
    EXPECT_FALSE(ParseApplicationId(text)) << text;
  }
  for (const char* text : {"appattempt_1_1", "appattempt_1_1_1_1", "application_1_1_1", "appattempt_1_1_x"}) {
    EXPECT_FALSE(ParseAttemptId(text)) << text;
  }
  for (const char* text :
       {"container_1_1_1", "container_1_1_1_1_1", "container_e_1_1_1_1", "container_17_1_1_1_1", "container_e1_1_1_1",
        "container_e8388608_1_1_1_1", "container_1_1_1_1099511627776", "container_e-1_1_1_1_1",
        "container_e1_1_1_1_1_1", "container_1_1_99999999999_1", "container_1_1_1_1\n"}) {
    EXPECT_FALSE(ParseContainerId(text)) << text;
  }
  for (const char* text : {"", "node", ":1", "node:", "node:x", "node:65536", "node:-1"}) {
    EXPECT_FALSE(ParseNodeId(text)) << text;
  }
}

}  // namespace
}  // namespace howdah::hadoop::yarn
