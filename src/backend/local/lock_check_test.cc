#include "lock_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::local {
namespace {

using ::testing::HasSubstr;
using Level = backend::Finding::Level;

TEST(LockCheck, LocksThatFailOrDoNotExcludeEachOtherAreProblems) {
  struct Row {
    Result<bool> first, second;
    Level level;
    std::string text;
  };
  const Row rows[] = {
      {true, false, Level::kOk, "locks work on /data (ext4)"},
      {false, false, Level::kOk, "locks work on /data (ext4)"},  // another `howdah doctor` holds the lock
      {false, true, Level::kOk, "locks work on /data (ext4)"},   // it has just released the lock
      {true, true, Level::kProblem, "locks on /data (ext4) do not exclude each other"},
      {Failed("locking: no locks available"), true, Level::kProblem,
       "files cannot be locked on /data (ext4): locking: no locks available"},
      {true, Failed("locking: no locks available"), Level::kProblem,
       "files cannot be locked on /data (ext4): locking: no locks available"},
  };
  for (const Row& row : rows) {
    const auto finding = LockFinding({row.first, row.second}, {.mount_point = "/data", .type = "ext4"});
    EXPECT_EQ(finding.what, row.text);
    EXPECT_EQ(finding.level, row.level) << row.text;
    EXPECT_EQ(finding.advice.empty(), row.level == Level::kOk) << row.text;
  }
}

TEST(LockCheck, NetworkFileSystemThatMayNotShareLocksGivesWarning) {
  const std::pair<std::string, std::string> rows[] = {
      {"nfs", "nolock"}, {"nfs4", "local_lock"}, {"lustre", "localflock"}, {"beegfs", "tuneUseGlobalFileLocks"}};
  for (const auto& [type, setting] : rows) {
    const auto finding = LockFinding({true, false}, {.mount_point = "/home", .type = type});
    EXPECT_EQ(finding.level, Level::kWarning) << type;
    EXPECT_THAT(finding.what, HasSubstr("locks work on /home (" + type + ") between processes of this host"));
    EXPECT_THAT(finding.what, HasSubstr(setting));
    EXPECT_THAT(finding.advice, HasSubstr("set HOWDAH_HOME"));
    EXPECT_EQ(LockFinding({true, true}, {.mount_point = "/home", .type = type}).level, Level::kProblem) << type;
  }
}

}  // namespace
}  // namespace howdah::backend::local
