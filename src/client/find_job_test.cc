#include "howdah/client/find_job.h"

#include <gmock/gmock.h>

#include "test_cluster.h"

namespace howdah::client {
namespace {

using core::JobState;
using testing::ElementsAre;
using testing::HasSubstr;

journal::JobView JobOf(const std::string& id, const std::string& name, JobState state) {
  journal::JobView view;
  view.id = id;
  view.name = name;
  view.state = state;
  return view;
}

// Newest first.
const std::vector<journal::JobView> kJobs = {
    JobOf("howdah-20261123-101500-aaaa", "train", JobState::kSucceeded),
    JobOf("howdah-20261123-101400-bbbb", "train", JobState::kRunning),
    JobOf("howdah-20261123-101300-cccc", "eval", JobState::kFailed),
    JobOf("howdah-20261122-101200-dddd", "eval", JobState::kSucceeded),
    JobOf("howdah-20261121-101100-eeee", "sweep", JobState::kQueued),
    JobOf("howdah-20261121-101000-ffff", "sweep", JobState::kRunning),
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

using Jobs = std::optional<std::vector<journal::JobView>>;
constexpr char kOnLocal[] = "howdah-20261123-101500-aaaa", kOnYarn[] = "application_1700000000000_0001";

Jobs One(const std::string& id, const std::string& name, JobState state, int submitted) {
  journal::JobView job = JobOf(id, name, state);
  job.submitted = Instant(std::chrono::seconds(submitted));
  return std::vector{job};
}

// A client that looks jobs up on both backends; nullopt is a backend that cannot be reached.
Connection ConnectionTo(const Jobs& local, const Jobs& yarn) {
  Connection connection([=](const std::string& name, const ClusterSettings&) {
    return Result<std::unique_ptr<backend::Cluster>>(std::make_unique<FakeCluster>(name == "local" ? local : yarn));
  });
  connection.SetOn("local,yarn");
  return connection;
}

const OnNote kIgnoreNotes = [](const std::string&) {};

struct TwoBackendsCase {
  std::string text;
  Jobs local, yarn;
  std::string read, change;  // the id that is found, or the beginning of the error
};

std::string Outcome(const Result<Job>& job) {
  return job.ok() ? job->id.text : std::to_string(static_cast<int>(job.error().code)) + " " + job.error().message;
}

TEST(FindJob, TextsAreMatchedWithTheJobsOfAllBackends) {
  const Jobs none = std::vector<journal::JobView>();
  const std::string unavailable = std::to_string(static_cast<int>(ErrorCode::kUnavailable)) + " looking for job ";
  const std::string not_found = std::to_string(static_cast<int>(ErrorCode::kNotFound)) + " ";
  const auto local = [](JobState state, int submitted) { return One(kOnLocal, "mnist", state, submitted); };
  const auto yarn = [](JobState state, int submitted) { return One(kOnYarn, "mnist", state, submitted); };
  const std::vector<TwoBackendsCase> cases = {
      {"mnist", local(JobState::kSucceeded, 2), yarn(JobState::kRunning, 1), kOnYarn, kOnYarn},
      {"mnist", local(JobState::kRunning, 1), yarn(JobState::kFailed, 2), kOnLocal, kOnLocal},
      {"mnist", local(JobState::kSucceeded, 1), yarn(JobState::kFailed, 2), kOnYarn, kOnYarn},
      {"mnist", none, yarn(JobState::kRunning, 1), kOnYarn, kOnYarn},
      {"mnist", local(JobState::kRunning, 1), std::nullopt, kOnLocal, unavailable},
      {"mnist", none, std::nullopt, unavailable, unavailable},
      {"mnist", none, none, not_found, not_found},
      {"last", local(JobState::kRunning, 1), yarn(JobState::kFailed, 2), kOnYarn, kOnYarn},
      {"last", local(JobState::kRunning, 1), std::nullopt, kOnLocal, unavailable},
      {"last", none, std::nullopt, unavailable, unavailable},
      {"last", none, none, not_found, not_found},
  };
  for (const TwoBackendsCase& each : cases) {
    Connection connection = ConnectionTo(each.local, each.yarn);
    EXPECT_THAT(Outcome(FindJob(connection, each.text, kIgnoreNotes)), testing::StartsWith(each.read)) << each.text;
    EXPECT_THAT(Outcome(FindJobToChange(connection, each.text, kIgnoreNotes)), testing::StartsWith(each.change))
        << each.text;
  }
}

TEST(FindJob, JobsOfOneNameThatRunOnTwoBackendsAreAmbiguous) {
  Connection connection =
      ConnectionTo(One(kOnLocal, "mnist", JobState::kRunning, 1), One(kOnYarn, "mnist", JobState::kQueued, 2));
  const auto found = FindJob(connection, "mnist", kIgnoreNotes);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message, AllOf(HasSubstr(kOnLocal), HasSubstr(kOnYarn)));
}

TEST(LiveJobs, ReturnsTheJobsOfReachableBackendsAndTheNamesOfOthers) {
  Connection both =
      ConnectionTo(One(kOnLocal, "mnist", JobState::kSucceeded, 1), One(kOnYarn, "mnist", JobState::kQueued, 2));
  const auto live = LiveJobs(both, "mnist", kIgnoreNotes);
  ASSERT_TRUE(live.ok() && live->jobs.size() == 1);
  EXPECT_EQ(live->jobs.front().id.text, kOnYarn);
  EXPECT_TRUE(live->unreachable.empty());

  Connection half = ConnectionTo(One(kOnLocal, "mnist", JobState::kRunning, 1), std::nullopt);
  const auto known = LiveJobs(half, "", kIgnoreNotes);
  ASSERT_TRUE(known.ok() && known->jobs.size() == 1);
  EXPECT_EQ(known->jobs.front().id.text, kOnLocal);
  EXPECT_THAT(known->unreachable, ElementsAre("yarn"));
}

}  // namespace
}  // namespace howdah::client
