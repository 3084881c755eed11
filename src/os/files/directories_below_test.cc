#include "howdah/os/files/directories_below.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

TEST(DirectoriesBelow, LinkIsFollowedOnlyAtTheTop) {
  Scratch scratch;
  ASSERT_EQ(Shell(scratch, "mkdir top other && ln -s ../other top/link && ln -s top way && echo x >top/file"), 0);
  const auto made = MakeDirectoriesBelow(scratch / "way", "a//./b/");
  ASSERT_TRUE(made.ok());
  struct stat by_path {
  }, by_fd{};
  ASSERT_EQ(::stat((scratch / "top/a/b").c_str(), &by_path), 0);
  ASSERT_EQ(::fstat(made->get(), &by_fd), 0);
  EXPECT_EQ(by_path.st_ino, by_fd.st_ino);
  EXPECT_TRUE(MakeDirectoriesBelow(scratch / "way", "a/b").ok());
  EXPECT_TRUE(MakeDirectoriesBelow(scratch / "way", ".").ok());
  for (const std::string name : {"link", "file"}) {
    for (const std::string& below : {name, name + "/c"}) {
      const auto refused = MakeDirectoriesBelow(scratch / "way", below);
      ASSERT_FALSE(refused.ok()) << below;
      EXPECT_EQ(refused.error().message, name + " exists and is not a directory");
    }
  }
  EXPECT_TRUE(ListDirectory(scratch / "other")->empty());
  EXPECT_EQ(MakeDirectoriesBelow(scratch / "none", "a").error().code, ErrorCode::kNotFound);
}

TEST(DirectoriesBelow, ExactModeAppliesToNewDirectories) {
  Scratch scratch;
  ASSERT_EQ(Shell(scratch, "mkdir -m 0700 old && chmod g+s old"), 0);
  ASSERT_TRUE(MakeDirectoriesBelow(scratch.path(), "old/new", {0777, /*exact=*/true}).ok());
  struct stat info {};
  ASSERT_EQ(::stat((scratch / "old/new").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 02777u);
  ASSERT_EQ(::stat((scratch / "old").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777, 02700u);
}

}  // namespace
}  // namespace howdah::os::files
