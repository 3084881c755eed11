#include "am_attempts.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn::am {
namespace {

constexpr Instant kNow(std::chrono::milliseconds(1'700'000'000'000));

::hadoop::yarn::ApplicationAttemptReportProto Attempt(int number, Duration ago, const std::string& diagnostics) {
  ::hadoop::yarn::ApplicationAttemptReportProto report;
  report.mutable_application_attempt_id()->set_attemptid(number);
  report.set_finishtime(std::chrono::duration_cast<std::chrono::milliseconds>((kNow - ago).time_since_epoch()).count());
  report.set_diagnostics(diagnostics);
  return report;
}

// Returns the diagnostics that RMAppAttemptImpl writes for an AM that exited with `code`.
std::string Exited(int code) {
  return "AM Container for appattempt_1_0001_000001 exited with  exitCode: " + std::to_string(code) +
         "\nFailing this attempt.Diagnostics: Container killed on request. ";
}

TEST(AmAttempts, PreemptedLostAndOldAttemptsAreNotCountedAsFailed) {
  const std::string silent = "ApplicationMaster for attempt appattempt_1_0001_000001 timed out";
  const Duration recent = std::chrono::minutes(59), old = std::chrono::minutes(61);
  const struct {
    const char* name;
    std::vector<::hadoop::yarn::ApplicationAttemptReportProto> attempts;
    int64_t failed;
  } rows[] = {
      {"first attempt", {}, 0},
      {"killed", {Attempt(1, recent, Exited(137))}, 1},
      {"killed long ago", {Attempt(1, old, Exited(137))}, 0},
      {"no heartbeats", {Attempt(1, recent, silent)}, 1},
      {"preempted", {Attempt(1, recent, Exited(-102))}, 0},
      {"lost with its node", {Attempt(1, recent, Exited(-100))}, 0},
      {"its node's disks failed", {Attempt(1, recent, Exited(-101))}, 0},
      {"killed by the ResourceManager", {Attempt(1, recent, Exited(-106))}, 0},
      {"exceeded memory", {Attempt(1, recent, Exited(-104))}, 1},
      {"mixed",
       {Attempt(1, old, Exited(1)), Attempt(2, recent, Exited(1)), Attempt(3, recent, Exited(-102)),
        Attempt(4, recent, Exited(1))},
       2},
  };
  for (const auto& row : rows) {
    std::vector<::hadoop::yarn::ApplicationAttemptReportProto> attempts = row.attempts;
    const int32_t running = static_cast<int32_t>(attempts.size()) + 1;
    attempts.insert(attempts.begin(), Attempt(running, Duration(0), "N/A"));
    EXPECT_EQ(CountFailedAttempts(running, attempts, kNow), row.failed) << row.name;
  }
}

TEST(AmAttempts, LaterAttemptIsFoundInAnyOrder) {
  const std::vector<::hadoop::yarn::ApplicationAttemptReportProto> attempts = {
      Attempt(3, Duration(0), "N/A"), Attempt(2, Duration(0), Exited(-100)), Attempt(1, Duration(0), Exited(137))};
  EXPECT_TRUE(HasLaterAttempt(2, attempts));
  EXPECT_FALSE(HasLaterAttempt(3, attempts));
}

TEST(AmAttempts, MaximumOfTheClusterLimitsAmAttempts) {
  jobspec::JobSpec spec;
  spec.am.attempts = 5;
  hadoop::conf::Configuration configuration({});
  EXPECT_EQ(MaxAttempts(spec, configuration), 2);
  configuration.Set("yarn.resourcemanager.am.max-attempts", "4", "test");
  EXPECT_EQ(MaxAttempts(spec, configuration), 4);
  configuration.Set("yarn.resourcemanager.am.global.max-attempts", "9", "test");
  EXPECT_EQ(MaxAttempts(spec, configuration), 5);
}

}  // namespace
}  // namespace howdah::backend::yarn::am
