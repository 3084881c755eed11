#include "howdah/os/files/open_regular.h"

#include <fcntl.h>
#include <gmock/gmock.h>

#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using testing::HasSubstr;

// Kinds of files that a task or another user can put in the place of its log, with their descriptions.
class OpenRegularTest : public testing::Test {
 protected:
  OpenRegularTest() {
    EXPECT_EQ(Shell(scratch_,
                    "mkfifo fifo && echo text >file && ln -s file link && ln -s nowhere dangling && "
                    "ln -s /dev/zero zero && mkdir directory && "
                    "python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"socket\")'"),
              0);
  }

  const struct {
    const char *name, *kind;
  } others_[6] = {{"fifo", "a FIFO"},          {"link", "a symbolic link"},  {"dangling", "a symbolic link"},
                  {"zero", "a symbolic link"}, {"directory", "a directory"}, {"socket", "a socket"}};
  Scratch scratch_;
};

TEST_F(OpenRegularTest, OtherKindOfFileIsNamedInTheErrorAndDoesNotBlock) {
  const Fd directory(::open(scratch_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (const auto& [name, kind] : others_) {
    const std::string path = scratch_ / name;
    const std::string message = "opening " + path + ": it is " + kind + ", not a regular file";
    EXPECT_EQ(OpenRegular(path).error().message, message);
    EXPECT_EQ(OpenRegularAt(directory.get(), name, path).error().message, message);
    EXPECT_EQ(OpenOrMakeRegular(path, 0600).error().message, message);
    EXPECT_EQ(OpenForAppend(path).error().message, message);
    EXPECT_EQ(ReadRegular(path, 100).error().message, message);
    EXPECT_EQ(ReadTail(path, 100).error().message, message);
    EXPECT_EQ(LastLine(path), "");
  }
  EXPECT_THAT(OpenRegular("/dev/zero").error().message, HasSubstr("it is a device"));
}

TEST_F(OpenRegularTest, FifoWithReaderIsNotWritten) {
  const Fd reader(::open((scratch_ / "fifo").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  EXPECT_THAT(OpenForAppend(scratch_ / "fifo").error().message, HasSubstr("it is a FIFO"));
}

TEST_F(OpenRegularTest, RegularFileIsReadAndExtended) {
  const auto log = OpenForAppend(scratch_ / "log");
  ASSERT_TRUE(log.ok());
  EXPECT_EQ(::fcntl(log->get(), F_GETFL) & (O_NONBLOCK | O_APPEND), O_APPEND);
  ASSERT_TRUE(WriteAll(log->get(), "one\ntwo\n", "log").ok());
  EXPECT_EQ(*ReadRegular(scratch_ / "log", 8), "one\ntwo\n");
  EXPECT_THAT(ReadRegular(scratch_ / "log", 7).error().message, HasSubstr("more than the 7 bytes allowed"));
  EXPECT_EQ(*ReadTail(scratch_ / "log", 4), "two\n");
  EXPECT_EQ(OpenRegular(scratch_ / "none").error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(OpenOrMakeRegular(scratch_ / "made", 0600).ok());
  EXPECT_EQ(Content(scratch_ / "made"), "");
}

}  // namespace
}  // namespace howdah::os::files
