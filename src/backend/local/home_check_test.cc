#include "home_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::backend::local {
namespace {

using ::testing::HasSubstr;

constexpr uid_t kMe = 1000, kOther = 1001;

struct stat Facts(mode_t mode, uid_t owner) {
  struct stat facts {};
  facts.st_mode = mode;
  facts.st_uid = owner;
  return facts;
}

TEST(HomeCheck, DirectoryOwnedOrWritableByOtherUsersIsRefused) {
  struct Row {
    struct stat facts;
    std::string problem;
  };
  const Row rows[] = {
      {Facts(S_IFDIR | 0700, kMe), ""},
      {Facts(S_IFDIR | 0755, kMe), ""},
      {Facts(S_IFDIR | 0775, kMe), "chmod go-w '/h'"},
      {Facts(S_IFDIR | 0757, kMe), "chmod go-w '/h'"},
      {Facts(S_IFDIR | 01777, kMe), "chmod go-w '/h'"},
      {Facts(S_IFDIR | 0700, kOther), "belongs to user 1001, and you are user 1000"},
      {Facts(S_IFDIR | 0755, 0), "belongs to user 0"},
      {Facts(S_IFLNK | 0777, kMe), "is not a directory"},
      {Facts(S_IFREG | 0600, kMe), "is not a directory"},
  };
  for (const Row& row : rows) {
    const std::string problem = PrivacyProblem(row.facts, kMe, "/h");
    EXPECT_EQ(problem.empty(), row.problem.empty()) << problem;
    EXPECT_THAT(problem, HasSubstr(row.problem));
  }
}

TEST(HomeCheck, ParentThatOtherUsersCanReplaceIsRefused) {
  struct Row {
    struct stat facts;
    std::string problem;
  };
  const Row rows[] = {
      {Facts(S_IFDIR | 0755, 0), ""},
      {Facts(S_IFDIR | 0755, kMe), ""},
      {Facts(S_IFDIR | 0775, kMe), ""},
      {Facts(S_IFDIR | 01777, 0), ""},
      {Facts(S_IFDIR | 0755, 65534), ""},
      {Facts(S_IFLNK | 0777, kMe), ""},
      {Facts(S_IFDIR | 0777, 0), "chmod +t '/p'"},
      {Facts(S_IFDIR | 0700, kOther), "belongs to user 1001"},
      {Facts(S_IFLNK | 0777, kOther), "belongs to user 1001"},
  };
  for (const Row& row : rows) {
    const std::string problem = ParentProblem(row.facts, kMe, "/p");
    EXPECT_EQ(problem.empty(), row.problem.empty()) << problem;
    EXPECT_THAT(problem, HasSubstr(row.problem));
  }
}

TEST(HomeCheck, LinkToTheHomeIsAcceptedAndLinkToItsJobsIsRefused) {
  const os::files::Scratch scratch;
  const std::string target = scratch / "target", link = scratch / "link", elsewhere = scratch / "elsewhere";
  EXPECT_TRUE(CheckHome(Layout(target)).ok()) << "it does not exist yet";
  ASSERT_TRUE(os::files::MakeDirectories(target, 0700).ok());
  ASSERT_TRUE(os::files::MakeDirectories(elsewhere, 0700).ok());
  ASSERT_EQ(symlink(target.c_str(), link.c_str()), 0);
  EXPECT_TRUE(CheckHome(Layout(link)).ok()) << CheckHome(Layout(link)).error().message;
  ASSERT_EQ(symlink(elsewhere.c_str(), (target + "/jobs").c_str()), 0);
  EXPECT_FALSE(CheckHome(Layout(target)).ok());
}

TEST(HomeCheck, WritableDirectoriesBelowTheHomeAreRefused) {
  for (const char* name : {"", "/jobs", "/leases"}) {
    const os::files::Scratch scratch;
    const std::string home = scratch / "home", job = home + "/jobs/howdah-1";
    ASSERT_TRUE(os::files::MakeDirectories(job, 0755).ok());
    ASSERT_TRUE(os::files::MakeDirectories(home + "/leases", 0755).ok());
    ASSERT_TRUE(CheckJobDirectory(job).ok()) << CheckJobDirectory(job).error().message;
    ASSERT_EQ(chmod((home + name).c_str(), 0775), 0);
    EXPECT_FALSE(CheckHome(Layout(home)).ok()) << name;
    EXPECT_FALSE(CheckJobDirectory(job).ok()) << name;
  }
  const os::files::Scratch scratch;
  const std::string job = scratch / "home/jobs/howdah-1";
  EXPECT_FALSE(CheckJobDirectory(job).ok());
  ASSERT_TRUE(os::files::MakeDirectories(job, 0700).ok());
  ASSERT_EQ(chmod(job.c_str(), 0770), 0);
  EXPECT_TRUE(CheckHome(Layout(scratch / "home")).ok());
  EXPECT_FALSE(CheckJobDirectory(job).ok());
}

}  // namespace
}  // namespace howdah::backend::local
