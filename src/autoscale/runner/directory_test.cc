#include "howdah/autoscale/runner/directory.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include "howdah/os/files/temporary_directory.h"

namespace howdah::autoscale::runner {
namespace {

using testing::HasSubstr;

class DirectoryTest : public testing::Test {
 protected:
  os::files::TemporaryDirectory home_ = *os::files::TemporaryDirectory::Make("autoscale");
  Directory directory_ = *Directory::Open(home_.path(), "prod");
};

TEST_F(DirectoryTest, SecondProcessIsRefused) {
  EXPECT_EQ(directory_.Runner(), "");
  {
    const auto lock = directory_.Lock();
    ASSERT_TRUE(lock.ok()) << lock.error().message;
    EXPECT_EQ(directory_.Runner(), std::to_string(::getpid()));
    const auto second = directory_.Lock();
    ASSERT_FALSE(second.ok());
    EXPECT_THAT(second.error().message,
                HasSubstr("the process " + std::to_string(::getpid()) + " runs this autoscaler"));
  }
  EXPECT_TRUE(directory_.Lock().ok()) << "the lock ends with its owner";
}

TEST_F(DirectoryTest, PidOfAnEarlierProcessDoesNotRunIt) {
  ASSERT_TRUE(os::files::WriteFileAtomically(directory_.path() + "/pid", std::to_string(::getpid()) + " 1\n").ok());
  EXPECT_EQ(directory_.Runner(), "");
}

TEST_F(DirectoryTest, DamagedStateIsAnErrorAndNotANewState) {
  EXPECT_THAT(directory_.ReadState("x")->prefix, HasSubstr("x-"));
  ASSERT_TRUE(directory_.WriteState("{").ok());
  EXPECT_THAT(directory_.ReadState("x").error().message, HasSubstr("state.json is not a state file of the autoscaler"));
}

TEST_F(DirectoryTest, EachWishIsANewOne) {
  EXPECT_FALSE(directory_.ReadWish()->paused);
  EXPECT_EQ(directory_.ReadWish()->id, "");
  ASSERT_TRUE(directory_.WriteWish(true).ok());
  const Directory::Wish first = *directory_.ReadWish();
  EXPECT_TRUE(first.paused);
  ASSERT_TRUE(directory_.WriteWish(true).ok());
  EXPECT_NE(directory_.ReadWish()->id, first.id);
}

TEST_F(DirectoryTest, UnreadableWishIsAnError) {
  ASSERT_TRUE(os::files::MakeDirectories(directory_.path() + "/wish", 0700).ok());
  EXPECT_FALSE(directory_.ReadWish().ok());
}

TEST_F(DirectoryTest, NamesAreFileNames) {
  for (const char* name : {"", "..", "a/b", "a b"}) EXPECT_FALSE(Directory::Open(home_.path(), name).ok()) << name;
}

}  // namespace
}  // namespace howdah::autoscale::runner
