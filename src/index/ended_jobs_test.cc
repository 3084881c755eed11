#include "howdah/index/ended_jobs.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "howdah/index/store.h"
#include "howdah/os/files/testing.h"
#include "test_rows.h"

namespace howdah::index {
namespace {

using os::files::Scratch;
using query::JobRow;

TEST(EndedJobs, OnlyEndedJobsAreRead) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  EXPECT_FALSE(EndedJobs::Open(path).has_value());
  EXPECT_NE(access(path.c_str(), F_OK), 0) << "a reader does not create the file";
  JobRow foreign = Ended("d");
  foreign.status_json = Ended("e").status_json;
  Store(path, "").Apply({Ended("a"), Running("b"), foreign}, {});
  auto jobs = EndedJobs::Open(path);
  ASSERT_TRUE(jobs.has_value());
  const auto found = jobs->Find("local", "a");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->state, core::JobState::kFailed);
  EXPECT_EQ(found->user, "ann");
  EXPECT_FALSE(jobs->Find("local", "b").has_value());
  EXPECT_FALSE(jobs->Find("local", "c").has_value());
  EXPECT_FALSE(jobs->Find("local", "d").has_value()) << "the status of another job";
}

TEST(EndedJobs, JobOfAnotherBackendWithTheSameIdIsNotReturned) {
  const Scratch scratch;
  const std::string path = scratch / "index.db";
  JobRow yarn = Running("application_1_0001"), tony = Ended("application_1_0001");
  yarn.backend = "yarn", tony.backend = "tony";
  Store(path, "").Apply({yarn, tony}, {});
  auto jobs = EndedJobs::Open(path);
  ASSERT_TRUE(jobs.has_value());
  EXPECT_TRUE(jobs->Find("tony", tony.id).has_value());
  EXPECT_FALSE(jobs->Find("yarn", yarn.id).has_value());
}

}  // namespace
}  // namespace howdah::index
