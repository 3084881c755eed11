#include "howdah/client/saved_applications.h"

#include <gtest/gtest.h>

#include "howdah/os/files/testing.h"

namespace howdah::client {
namespace {

using os::files::Content;
using os::files::ModeOf;
using os::files::Scratch;

TEST(SavedApplications, ApplicationKeepsItsJobFileAndNewestJob) {
  const Scratch scratch;
  const SavedApplications saved("slider", scratch / "apps/slider");
  EXPECT_EQ(*saved.Names(), std::vector<std::string>());

  const auto directory = saved.Create("tf-1");
  ASSERT_TRUE(directory.ok()) << directory.error().message;
  EXPECT_EQ(*directory, scratch / "apps/slider/tf-1");
  EXPECT_EQ(ModeOf(*directory), 0700u);
  ASSERT_TRUE(saved.SetJobFile("tf-1", "name: tf-1\n").ok());
  EXPECT_EQ(*saved.JobFile("tf-1"), "name: tf-1\n");
  EXPECT_EQ(Content(*directory + "/job.yaml"), "name: tf-1\n");
  EXPECT_EQ(ModeOf(*directory + "/job.yaml"), 0600u);

  EXPECT_EQ(*saved.Job("tf-1"), std::nullopt);
  ASSERT_TRUE(saved.SetJob("tf-1", {"application_1_0001"}).ok());
  ASSERT_TRUE(saved.SetJob("tf-1", {"application_1_0002"}).ok());
  EXPECT_EQ(*saved.Job("tf-1"), JobId{"application_1_0002"});

  ASSERT_TRUE(saved.Create("abc").ok());
  EXPECT_EQ(*saved.Names(), (std::vector<std::string>{"abc", "tf-1"}));
  ASSERT_TRUE(saved.Remove("tf-1").ok());
  EXPECT_EQ(*saved.Names(), std::vector<std::string>{"abc"});
}

TEST(SavedApplications, SecondCreationIsRefusedAndChangesNothing) {
  const Scratch scratch;
  const SavedApplications saved("slider", scratch / "apps");
  ASSERT_TRUE(saved.Create("tf").ok());
  ASSERT_TRUE(saved.SetJobFile("tf", "name: tf\n").ok());
  const auto again = saved.Create("tf");
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, ErrorCode::kUsage);
  EXPECT_EQ(again.error().message, "the slider application 'tf' already exists in " + scratch.path() +
                                       "/apps/tf; destroy it first, or choose another name");
  EXPECT_EQ(*saved.JobFile("tf"), "name: tf\n");
}

TEST(SavedApplications, UnknownNamesAreNotFoundWithTheNamesThatExist) {
  const Scratch scratch;
  const SavedApplications saved("slider", scratch / "apps");
  const auto message = [&](const std::string& name) {
    const auto job = saved.Job(name);
    EXPECT_FALSE(job.ok());
    EXPECT_EQ(job.error().code, ErrorCode::kNotFound);
    return job.error().message;
  };
  EXPECT_EQ(message("tf"), "there is no slider application 'tf'; none has been created");
  ASSERT_TRUE(saved.Create("mnist").ok());
  ASSERT_TRUE(saved.Create("web").ok());
  EXPECT_EQ(message("minst"), "there is no slider application 'minst'; did you mean 'mnist'?");
  EXPECT_EQ(message("tensorflow"), "there is no slider application 'tensorflow'; there are: mnist, web");
  EXPECT_EQ(saved.JobFile("other").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(saved.SetJob("other", {"x"}).error().code, ErrorCode::kNotFound);
  EXPECT_EQ(saved.Remove("other").error().code, ErrorCode::kNotFound);
}

TEST(SavedApplications, NamesCannotLeaveTheDirectory) {
  const Scratch scratch;
  const SavedApplications saved("slider", scratch / "apps");
  for (const char* name : {"", ".", "..", "../x", "a/b", "/etc", "-rf", "a b", "a\nb", "\xc3\xa4"}) {
    EXPECT_EQ(saved.Create(name).error().code, ErrorCode::kUsage) << name;
    EXPECT_EQ(saved.Remove(name).error().code, ErrorCode::kUsage) << name;
  }
  EXPECT_EQ(saved.Create(std::string(201, 'a')).error().code, ErrorCode::kUsage);
  EXPECT_TRUE(saved.Create("a.b_c-D9").ok());
}

TEST(SavedApplications, OtherFilesInTheDirectoryAreNotApplications) {
  const Scratch scratch;
  const SavedApplications saved("slider", scratch.path());
  ASSERT_TRUE(saved.Create("tf").ok());
  os::files::WriteWithParents(scratch / "notes", "x");
  os::files::WriteWithParents(scratch / ".hidden/job", "x");
  EXPECT_EQ(*saved.Names(), std::vector<std::string>{"tf"});
  EXPECT_EQ(saved.Job("notes").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace howdah::client
