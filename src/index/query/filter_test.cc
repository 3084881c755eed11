#include "howdah/index/query/filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace howdah::index::query {
namespace {

using core::JobState;
using testing::HasSubstr;
using namespace std::chrono_literals;

const Instant kNow = *ParseInstant("2026-11-21T12:00:00.000Z");

JobRow Resnet() {
  return {.id = "howdah-20261121-064512-x7k2",
          .name = "resnet50",
          .user = "ann",
          .queue = "ml",
          .backend = "local",
          .framework = "pytorch",
          .reason = "worker:1 failed with exit code 1: No module named 'torch'",
          .state = JobState::kFailed,
          .tags = {"team-a", "nightly"},
          .nodes = {"node7"},
          .checks = {"memory-over"},
          .submitted = kNow - 3h,
          .started = kNow - 2h,
          .finished = kNow - 1h,
          .gpus = 8,
          .goodput = 0.5};
}

bool Selects(const std::string& text, const JobRow& row) {
  const auto parsed = ParseFilter(text, "ann", kNow);
  const auto* filter = std::get_if<Filter>(&parsed);
  EXPECT_NE(filter, nullptr) << text << ": " << (filter ? "" : std::get<FilterMistake>(parsed).text);
  return filter != nullptr && Matches(*filter, row, kNow);
}

TEST(Filter, SelectsByEachKey) {
  struct Case {
    const char* text;
    bool selects;
  };
  for (const auto& [text, selects] : {
           Case{"", true},
           {"  ", true},
           {"resnet", true},
           {"RESNET torch", true},
           {"resnet bert", false},
           {"x7k2", true},
           {"nightly", true},
           {"-bert", true},
           {"-resnet", false},
           {"\"exit code 1\"", true},
           {"\"code exit\"", false},
           {"state:FAILED", true},
           {"state:running,failed", true},
           {"state:RUNNING", false},
           {"state:ended", true},
           {"state:live", false},
           {"state:waiting", false},
           {"-state:live", true},
           {"user:me", true},
           {"user:bob", false},
           {"user:bob,me", true},
           {"queue:ml", true},
           {"name:resnet", false},
           {"name:resnet*", true},
           {"name:*50", true},
           {"name:r*s*5*", true},
           {"name:\"resnet50\"", true},
           {"tag:nightly", true},
           {"tag:night", false},
           {"framework:pytorch", true},
           {"backend:yarn", false},
           {"node:node7", true},
           {"node:node*", true},
           {"check:memory-over", true},
           {"check:tail", false},
           {"since:2h", true},
           {"since:30m", false},
           {"since:2026-11-21", true},
           {"since:2026-11-21T11:30:00.000Z", false},
           {"until:2h", true},
           {"until:4h", false},
           {"took:>59m", true},
           {"took:>1h", false},
           {"took:>=1h", true},
           {"took:<2h", true},
           {"gpus:8", true},
           {"gpus:>8", false},
           {"gpus:<=8", true},
           {"goodput:<50%", false},
           {"goodput:<=50%", true},
           {"goodput:>0.4", true},
       }) {
    EXPECT_EQ(Selects(text, Resnet()), selects) << text;
  }
}

TEST(Filter, UnknownValueMatchesNoComparison) {
  const JobRow queued{.id = "a", .state = JobState::kQueued};
  for (const char* text : {"took:<1h", "took:>1h", "gpus:0", "goodput:<50%", "node:*", "until:0s"})
    EXPECT_FALSE(Selects(text, queued)) << text;
  EXPECT_TRUE(Selects("since:1s", queued)) << "a job that has not ended";
}

TEST(Filter, RunningJobCountsUntilNow) {
  JobRow running = Resnet();
  running.state = JobState::kRunning;
  running.finished = std::nullopt;
  EXPECT_TRUE(Selects("took:>119m", running));
  EXPECT_FALSE(Selects("took:>2h", running));
}

TEST(Filter, MistakeNamesPlaceAndRemedy) {
  struct Case {
    const char* text;
    size_t position;
    const char* says;
  };
  for (const auto& [text, position, says] : {
           Case{"resnet usr:ann", 7, "there is no key 'usr'; did you mean 'user'?"},
           {"zzz:1", 0, "there is no key 'zzz'; the keys are state, user, queue,"},
           {"state:RUNING", 0, "there is no state 'RUNING'; write QUEUED, STARTING,"},
           {"user:", 0, "user: a value is missing after the colon"},
           {"user:,", 0, "user: a value is missing after the colon"},
           {"since:yesterday", 0, "since: 'yesterday' is not a time; write a duration before now (7d, 12h)"},
           {"took:1h", 0, "took: '1h' is not a comparison with a duration; write >1h or <10m"},
           {"took:>long", 0, "took: '>long' is not a comparison"},
           {"gpus:many", 0, "gpus: 'many' is not a number; write 8, >8 or <=4"},
           {"gpus:>-1", 0, "gpus: '>-1' is not a number"},
           {"goodput:<half", 0, "goodput: '<half' is not a number; write <50% or >0.9"},
           {"check:memory-ovr", 0, "there is no check 'memory-ovr'; did you mean 'memory-over'?"},
           {"a \"b c", 2, "the quote in '\"b c' is not closed"},
       }) {
    const auto parsed = ParseFilter(text, "ann", kNow);
    const auto* mistake = std::get_if<FilterMistake>(&parsed);
    ASSERT_NE(mistake, nullptr) << text;
    EXPECT_EQ(mistake->position, position) << text;
    EXPECT_THAT(mistake->text, HasSubstr(says)) << text;
  }
}

TEST(Filter, LongTextIsRefused) {
  const auto parsed = ParseFilter(std::string(kLongestFilter + 1, 'a'), "ann", kNow);
  EXPECT_TRUE(std::holds_alternative<FilterMistake>(parsed));
}

TEST(Filter, ManyWildcardsTakeBoundedTime) {
  std::string pattern = "name:";
  for (int i = 0; i < 900; ++i) pattern += "*a";
  JobRow row{.id = "a", .name = std::string(10'000, 'a') + "b"};
  EXPECT_FALSE(Selects(pattern + "c", row));
}

}  // namespace
}  // namespace howdah::index::query
