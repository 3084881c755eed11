#include "howdah/client/find_job.h"

#include <gtest/gtest.h>

namespace howdah::client {
namespace {

journal::JobView JobOf(const std::string& id, const std::string& name, core::JobState state) {
  journal::JobView view;
  view.id = id;
  view.name = name;
  view.state = state;
  return view;
}

// Newest first.
const std::vector<journal::JobView> kJobs = {
    JobOf("howdah-20261123-101500-aaaa", "train", core::JobState::kSucceeded),
    JobOf("howdah-20261123-101400-bbbb", "train", core::JobState::kRunning),
    JobOf("howdah-20261123-101300-cccc", "eval", core::JobState::kFailed),
    JobOf("howdah-20261122-101200-dddd", "eval", core::JobState::kSucceeded),
    JobOf("howdah-20261121-101100-eeee", "sweep", core::JobState::kQueued),
    JobOf("howdah-20261121-101000-ffff", "sweep", core::JobState::kRunning),
};

TEST(BackendOfId, FormatOfTheIdSelectsTheBackend) {
  const std::vector<std::pair<std::string, std::optional<std::string>>> cases = {
      {"application_1700000000000_0001", "yarn"},
      {"application_1700000000000_", std::nullopt},
      {"application_17x_0001", std::nullopt},
      {"application_1700000000000", std::nullopt},
      {"howdah-20261121-064512-x7k2", "local"},
      {"howdah-20261121-064512", std::nullopt},
      {"howdah-20261121-06451x-x7k2", std::nullopt},
      {"mnist", std::nullopt},
      {"", std::nullopt},
  };
  for (const auto& [id, backend] : cases) EXPECT_EQ(BackendOfId(id), backend) << id;
}

TEST(MatchJob, PrefersNamesToPartsOfIdsAndLiveJobsToEndedOnes) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"train", "howdah-20261123-101400-bbbb"},            // the running job of this name
      {"eval", "howdah-20261123-101300-cccc"},             // the newest job of this name, because none is running
      {"howdah-20261122", "howdah-20261122-101200-dddd"},  // the beginning of only one id
      {"aaaa", "howdah-20261123-101500-aaaa"},             // the random ending of an id
  };
  for (const auto& [text, id] : cases) {
    const auto found = MatchJob(text, kJobs);
    ASSERT_TRUE(found.ok() && *found) << text;
    EXPECT_EQ((*found)->text, id) << text;
  }
}

TEST(MatchJob, ReturnsNothingForUnknownAndShortTexts) {
  for (const char* text : {"tra", "aaa", "", "101500", "howdah-20270101"}) {
    const auto found = MatchJob(text, kJobs);
    ASSERT_TRUE(found.ok()) << text;
    EXPECT_FALSE(*found) << text;
  }
}

TEST(MatchJob, AmbiguousTextIsAnErrorWithTheCandidates) {
  for (const char* text : {"sweep", "howdah-20261121"}) {
    const auto found = MatchJob(text, kJobs);
    ASSERT_FALSE(found.ok()) << text;
    EXPECT_EQ(found.error().code, ErrorCode::kUsage);
    for (const char* id : {"howdah-20261121-101100-eeee", "howdah-20261121-101000-ffff"}) {
      EXPECT_NE(found.error().message.find(id), std::string::npos) << found.error().message;
    }
  }
}

}  // namespace
}  // namespace howdah::client
