#include "answer_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "howdah/os/files/testing.h"

namespace howdah::feed::server {
namespace {

using os::files::Fd;
using testing::HasSubstr;

Fd MemoryFile(const std::string& content) {
  Fd file(::memfd_create("answer", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), content.data(), content.size()), static_cast<ssize_t>(content.size()));
  return file;
}

TEST(AnswerFile, FirstBytesOfAMemoryFileAreCopied) {
  const Fd file = MemoryFile("answer");
  EXPECT_EQ(ReadAnswerFile(file, 6).value(), "answer");
  EXPECT_EQ(ReadAnswerFile(file, 3).value(), "ans");
  EXPECT_EQ(ReadAnswerFile(file, 0).value(), "");
}

TEST(AnswerFile, ShorterFilesAndWrongSizesAreRefused) {
  const Fd file = MemoryFile("answer");
  EXPECT_THAT(ReadAnswerFile(file, 7).error().message, HasSubstr("fewer than 7 bytes"));
  EXPECT_FALSE(ReadAnswerFile(file, -1).ok());
  EXPECT_FALSE(ReadAnswerFile(file, kMostAnswerBytes + 1).ok());
}

TEST(AnswerFile, OtherFilesAreRefusedWithoutReadingThem) {
  const os::files::Scratch scratch;
  int ends[2], pair[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
  std::vector<Fd> files;
  for (const int fd : {ends[0], ends[1], pair[0], pair[1]}) files.emplace_back(fd);
  files.emplace_back(::open((scratch / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  files.emplace_back(::open(scratch.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  files.emplace_back(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  files.emplace_back(::open("/proc/self/maps", O_RDONLY | O_CLOEXEC));
  files.emplace_back(-1);
  for (const Fd& file : files) {
    const auto read = ReadAnswerFile(file, 1);
    ASSERT_FALSE(read.ok()) << &file - files.data();
    EXPECT_THAT(read.error().message, HasSubstr("memfd_create"));
  }
}

TEST(AnswerFile, FileThatCannotBeReadIsRefused) {
  const Fd file = MemoryFile("answer");
  const std::string path = "/proc/self/fd/" + std::to_string(file.get());
  const Fd writable(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(writable.valid());
  EXPECT_FALSE(ReadAnswerFile(writable, 6).ok());
}

}  // namespace
}  // namespace howdah::feed::server
