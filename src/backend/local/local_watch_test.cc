#include "local_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "howdah/os/files/files.h"
#include "job_fixture.h"
#include "ranged_file.h"

namespace howdah::backend::local {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kLimitMillis = 60'000;
const JobId kFirst{"howdah-20261121-064512-x7k2"}, kSecond{"howdah-20261121-064513-aaaa"};

std::unique_ptr<backend::JobWatch> StartWatch(const JobFixture& job) {
  auto watch = LocalWatch::Start(Layout(job.home()));
  EXPECT_TRUE(watch.ok());
  return std::move(*watch);
}

// Waits until the watch reports changes, and returns them.
std::vector<JobId> Next(backend::JobWatch& watch) {
  pollfd readable{watch.fd(), POLLIN, 0};
  EXPECT_EQ(poll(&readable, 1, kLimitMillis), 1) << "no change was reported";
  auto changed = watch.Changed();
  EXPECT_TRUE(changed.ok());
  return *changed;
}

TEST(LocalWatch, NewJobIsReported) {
  JobFixture job;
  const auto watch = StartWatch(job);
  EXPECT_THAT(*watch->Changed(), IsEmpty());
  job.AddJob(kSecond.text);
  EXPECT_THAT(Next(*watch), ElementsAre(kSecond));
}

TEST(LocalWatch, NewJobIsReportedAgainWhenItsJournalGrows) {
  JobFixture job;
  const auto watch = StartWatch(job);
  ASSERT_TRUE(os::files::MakeDirectories(Layout(job.home()).job(kSecond)).ok());
  Next(*watch);
  job.AddJob(kSecond.text);
  EXPECT_THAT(Next(*watch), ElementsAre(kSecond));
}

TEST(LocalWatch, JobThatIsBeingSubmittedAtTheStartIsReportedWhenItsJournalAppears) {
  JobFixture job;
  ASSERT_TRUE(os::files::MakeDirectories(Layout(job.home()).job(kSecond)).ok());
  const auto watch = StartWatch(job);
  EXPECT_THAT(*watch->Changed(), IsEmpty());
  job.AddJob(kSecond.text);
  EXPECT_THAT(Next(*watch), ElementsAre(kSecond));
}

TEST(LocalWatch, OnlyIncludedJobsAreReported) {
  JobFixture job;
  const auto watch = StartWatch(job);
  job.Append(core::JobChanged{});
  EXPECT_THAT(*watch->Changed(), IsEmpty());
  watch->Include(kFirst);
  job.Append(core::JobChanged{});
  EXPECT_THAT(Next(*watch), ElementsAre(kFirst));
  watch->Exclude(kFirst);
  job.Append(core::JobChanged{});
  EXPECT_THAT(*watch->Changed(), IsEmpty());
}

TEST(LocalWatch, RemovedJobIsReported) {
  JobFixture job;
  const auto watch = StartWatch(job);
  watch->Include(kFirst);
  ASSERT_TRUE(os::files::RemoveTree(Layout(job.home()).job(kFirst)).ok());
  EXPECT_THAT(Next(*watch), Contains(kFirst));
}

TEST(RangedFile, PartsAreRead) {
  JobFixture job;
  const std::string path = Layout(job.home()).job(kFirst) + "/log";
  ASSERT_TRUE(os::files::WriteFileAtomically(path, "0123456789").ok());
  auto file = RangedFile::Open(path);
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(*file->Size(), 10);
  EXPECT_EQ(*file->Read(0, 4), "0123");
  EXPECT_EQ(*file->Read(8, 4), "89");
  EXPECT_EQ(*file->Read(10, 4), "");
  EXPECT_EQ(*file->Read(1000, 4), "");
  EXPECT_EQ(RangedFile::Open(path + "x").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace howdah::backend::local
