#include "job_host.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "howdah/os/files/files.h"
#include "job_fixture.h"

namespace howdah::backend::local {
namespace {

const Host kHere{"login1", "boot1"};

// Only process 100 exists.
std::optional<uint64_t> StartTicks(pid_t pid) {
  if (pid == 100) return 5000;
  return std::nullopt;
}

TEST(JobHost, JobIsDeclaredDeadOnlyOnItsOwnHost) {
  struct Row {
    const char* what;
    std::optional<JobHost> recorded;
    std::string submitted_on;
    Life life;
  };
  const Row rows[] = {
      {"another host", JobHost{{"login2", "boot2"}, {{100, 5000}}}, "login2", Life::kElsewhere},
      {"another host, the same kernel", JobHost{{"login2", "boot1"}, {{7, 5000}}}, "login2", Life::kElsewhere},
      {"its process lives", JobHost{{"login1", "boot1"}, {{7, 1}, {100, 5000}}}, "login1", Life::kAlive},
      {"its pid was reused", JobHost{{"login1", "boot1"}, {{100, 4999}}}, "login1", Life::kDead},
      {"its processes are gone", JobHost{{"login1", "boot1"}, {{7, 1}, {8, 2}}}, "login1", Life::kDead},
      {"rebooted, and the pid was reused", JobHost{{"login1", "boot0"}, {{100, 5000}}}, "login1", Life::kDead},
      {"of a version without host.json", std::nullopt, "login1", Life::kUnrecorded},
      {"of a version without host.json, on another host", std::nullopt, "login2", Life::kElsewhere},
      {"of a version without host names", std::nullopt, "", Life::kUnrecorded},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(JudgeLife(row.recorded, row.submitted_on, kHere, StartTicks), row.life) << row.what;
  }
}

TEST(JobHost, RecordOfThisProcessIsReadBack) {
  const JobFixture job;
  EXPECT_FALSE(ReadJobHost(job.files())->has_value());
  ASSERT_TRUE(WriteJobHost(job.files(), {getpid()}).ok());
  const auto recorded = ReadJobHost(job.files());
  ASSERT_TRUE(recorded.ok() && *recorded);
  EXPECT_EQ((*recorded)->host.name, ThisHost().name);
  EXPECT_FALSE(ThisHost().boot_id.empty());
  EXPECT_EQ(FindWhereabouts(job.files())->life, Life::kAlive);
}

TEST(JobHost, DamagedRecordIsAnError) {
  const JobFixture job;
  ASSERT_TRUE(WriteJobHost(job.files(), {getpid()}).ok());
  const std::string whole = *os::files::ReadFile(job.files().host());
  for (size_t kept = 0; kept + 1 < whole.size(); ++kept) {
    ASSERT_TRUE(os::files::WriteFileAtomically(job.files().host(), whole.substr(0, kept)).ok());
    EXPECT_FALSE(FindWhereabouts(job.files()).ok()) << kept;
  }
  std::string fraction = whole;
  fraction.replace(fraction.find("\"pid\":"), 6, "\"pid\":1e300,\"x\":");
  ASSERT_TRUE(os::files::WriteFileAtomically(job.files().host(), fraction).ok());
  EXPECT_FALSE(FindWhereabouts(job.files()).ok());
}

TEST(JobHost, LivenessCheckWaitsForAnExitingProcess) {
  const JobFixture job;
  int go[2];
  ASSERT_EQ(pipe(go), 0);
  const pid_t child = fork();
  if (child == 0) {
    close(go[1]);
    char byte = 0;
    _exit(static_cast<int>(read(go[0], &byte, 1)));
  }
  close(go[0]);
  ASSERT_TRUE(WriteJobHost(job.files(), {child}).ok());
  EXPECT_EQ(*LifeAfterExits(job.files()), Life::kAlive);
  close(go[1]);
  EXPECT_EQ(*LifeAfterExits(job.files()), Life::kDead);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(*LifeAfterExits(job.files()), Life::kDead);
}

}  // namespace
}  // namespace howdah::backend::local
