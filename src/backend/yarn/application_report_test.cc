#include "howdah/backend/yarn/application_report.h"

#include <gtest/gtest.h>

#include "howdah/core/states.h"

namespace howdah::backend::yarn {
namespace {

// Diagnostics that ResourceManagers of Hadoop 3.3 to 3.5 write (RMAppImpl, RMAppAttemptImpl, ClientRMService).
const char kAmKilled[] =
    "Application application_1_0001 failed 1 times due to AM Container for appattempt_1_0001_000001 exited with  "
    "exitCode: 137\nFailing this attempt.Diagnostics: [2026-11-21 18:00:00.000]Container killed on request. Exit code "
    "is "
    "137\n[2026-11-21 18:00:00.001]Container exited with a non-zero exit code 137. \n. Failing the application.";
const char kAmNotStarted[] =
    "Application application_1_0001 failed 2 times due to AM Container for appattempt_1_0001_000002 exited with  "
    "exitCode: -1000\nFailing this attempt.Diagnostics: [2026-11-21 18:00:00.000]File does not exist: hdfs://ns/a\n";

TEST(ApplicationReport, DiagnosticsGiveTheCauseOfTheAmDeath) {
  EXPECT_EQ(DescribeAmDeath(kAmKilled), "was killed by signal 9 (SIGKILL)");
  EXPECT_EQ(DescribeAmDeath(kAmNotStarted), "could not be started: File does not exist: hdfs://ns/a");
  EXPECT_EQ(
      DescribeAmDeath("ApplicationMaster for attempt appattempt_1_0001_000001 timed out. Failing the application."),
      "stopped sending heartbeats to the ResourceManager");
  EXPECT_EQ(DescribeAmDeath("something else"), "");
}

TEST(ApplicationReport, KillingUserIsReadFromTheDiagnostics) {
  EXPECT_EQ(KilledBy("Application application_1_0001 was killed by user ann at 10.0.0.7"),
            "ann on 10.0.0.7 with YARN's own tools");
  EXPECT_EQ(
      KilledBy("Application application_1_0001 was killed by user ann at 10.0.0.7 with diagnostic message: ann on "
               "gateway3 with `howdah kill`"),
      "ann on gateway3 with `howdah kill`");
  EXPECT_EQ(KilledBy("no such thing"), "");
}

TEST(ApplicationReport, FailedOrKilledApplicationGivesStateExitCodeAndReasonOfTheJob) {
  ::hadoop::yarn::ApplicationReportProto report;
  report.set_yarn_application_state(::hadoop::yarn::FAILED);
  report.mutable_currentapplicationattemptid()->set_attemptid(2);
  report.set_diagnostics(kAmKilled);
  const core::JobChanged end = EndFromReport(report);
  EXPECT_EQ(end.state, core::JobState::kFailed);
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.reason, "the application master (attempt 1) was killed by signal 9 (SIGKILL)");

  report.set_yarn_application_state(::hadoop::yarn::KILLED);
  report.set_diagnostics("Application application_1_0001 was killed by user ann at 10.0.0.7");
  EXPECT_EQ(EndFromReport(report).state, core::JobState::kKilled);
  EXPECT_EQ(EndFromReport(report).exit_code, 4);
  EXPECT_EQ(EndFromReport(report).reason, "killed by ann on 10.0.0.7 with YARN's own tools");
  report.set_starttime(1700000001000);
  report.set_finishtime(1700000042000);
  EXPECT_EQ(EndFromReport(report).reason,
            "killed by ann on 10.0.0.7 with YARN's own tools, 41.0s after it was submitted");
}

TEST(ApplicationReport, NumbersOutOfRangeDoNotChangeTheReason) {
  ::hadoop::yarn::ApplicationReportProto report;
  report.set_yarn_application_state(::hadoop::yarn::FAILED);
  report.mutable_currentapplicationattemptid()->set_attemptid(INT32_MIN);
  report.set_diagnostics(kAmKilled);
  report.set_starttime(1);
  report.set_finishtime(INT64_MAX);
  EXPECT_EQ(ViewFromReport(report).reason, "the application master (attempt 0) was killed by signal 9 (SIGKILL)");
  report.set_yarn_application_state(::hadoop::yarn::KILLED);
  report.set_starttime(INT64_MIN);
  EXPECT_EQ(ViewFromReport(report).reason,
            "killed: Application application_1_0001 failed 1 times due to AM Container "
            "for appattempt_1_0001_000001 exited with  exitCode: 137");
}

TEST(ApplicationReport, JobOfAcceptedApplicationIsQueued) {
  ::hadoop::yarn::ApplicationReportProto report;
  report.mutable_applicationid()->set_cluster_timestamp(1700000000000);
  report.mutable_applicationid()->set_id(7);
  report.set_name("mnist");
  report.set_user("ann");
  report.set_yarn_application_state(::hadoop::yarn::ACCEPTED);
  report.set_starttime(1700000001000);
  report.set_trackingurl("N/A");
  const journal::JobView view = ViewFromReport(report);
  EXPECT_EQ(view.id, "application_1700000000000_0007");
  EXPECT_EQ(view.state, core::JobState::kQueued);
  EXPECT_EQ(view.on, "yarn");
  EXPECT_EQ(view.tracking_url, "");
  EXPECT_EQ(view.submitted, Instant(std::chrono::milliseconds(1700000001000)));
  EXPECT_FALSE(HasEnded(report));
}

}  // namespace
}  // namespace howdah::backend::yarn
