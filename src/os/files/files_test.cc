#include "howdah/os/files/files.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "howdah/os/files/open_regular.h"
#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Files, WholeFileAndTailAreRead) {
  Scratch scratch;
  ASSERT_TRUE(WriteFileAtomically(scratch / "f", "0123456789").ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "empty", "").ok());
  EXPECT_EQ(*ReadFile(scratch / "f", 10), "0123456789");
  EXPECT_THAT(ReadFile(scratch / "f", 9).error().message, HasSubstr("more than the 9 bytes"));
  EXPECT_EQ(ReadFile(scratch / "none").error().code, ErrorCode::kNotFound);
  EXPECT_THAT(ReadFile(scratch / "none").error().message, HasSubstr(scratch / "none"));
  EXPECT_EQ(*ReadFile(scratch / "empty"), "");
  EXPECT_EQ(*ReadTail(scratch / "f", 4), "6789");
  EXPECT_EQ(*ReadTail(scratch / "f", 100), "0123456789");
  EXPECT_FALSE(ReadFile("/proc/self/status")->empty()) << "files without a size";
}

TEST(Files, LastLineSkipsBlankLines) {
  Scratch scratch;
  const struct {
    std::string text, line;
  } rows[] = {{"", ""},
              {"one", "one"},
              {"one\ntwo\n", "two"},
              {"one\ntwo\r\n\n  \n", "two"},
              {"\n\n", ""},
              {std::string(5000, 'x') + "\nend\n", "end"}};
  for (const auto& row : rows) {
    ASSERT_TRUE(WriteFileAtomically(scratch / "f", row.text).ok());
    EXPECT_EQ(LastLine(scratch / "f"), row.line);
  }
  EXPECT_EQ(LastLine(scratch / "none"), "");
}

TEST(Files, AtomicWriteReplacesFileAndLeavesNoTemporary) {
  Scratch scratch;
  ASSERT_TRUE(WriteFileAtomically(scratch / "f", "old", 0644).ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "f", std::string(1 << 20, 'x'), 0600).ok());
  EXPECT_EQ(Content(scratch / "f").size(), size_t{1} << 20);
  EXPECT_EQ(ModeOf(scratch / "f"), 0600u);
  EXPECT_FALSE(WriteFileAtomically(scratch / "no/f", "x").ok());
  ASSERT_TRUE(MakeDirectories(scratch / "d").ok());
  EXPECT_FALSE(WriteFileAtomically(scratch / "d", "x").ok());
  EXPECT_THAT(*ListDirectory(scratch.path()), ElementsAre("d", "f"));
}

TEST(Files, AppendLineReportsFullDisk) {
  Scratch scratch;
  const auto fd = OpenForAppend(scratch / "log");
  ASSERT_TRUE(AppendLine(fd->get(), "one", "log").ok());
  ASSERT_TRUE(AppendLine(fd->get(), "two", "log").ok());
  EXPECT_EQ(Content(scratch / "log"), "one\ntwo\n");
  const Fd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  EXPECT_THAT(AppendLine(full.get(), "x", "the journal").error().message,
              testing::AllOf(HasSubstr("the journal"), HasSubstr("No space left")));
}

TEST(Files, MakeDirectoriesCreatesParents) {
  Scratch scratch;
  EXPECT_TRUE(MakeDirectories(scratch / "a/b/c").ok());
  EXPECT_TRUE(MakeDirectories(scratch / "a/b/c/").ok());
  EXPECT_TRUE(MakeDirectories(scratch / "a//d/").ok());
  EXPECT_THAT(*ListDirectory(scratch / "a"), ElementsAre("b", "d"));
  ASSERT_TRUE(WriteFileAtomically(scratch / "file", "").ok());
  EXPECT_FALSE(MakeDirectories(scratch / "file").ok());
  EXPECT_FALSE(MakeDirectories(scratch / "file/x").ok());
}

TEST(Files, ListDirectoryReturnsAtMostLimit) {
  Scratch scratch;
  for (const char* name : {"c", "a", "b"}) ASSERT_TRUE(WriteFileAtomically(scratch / name, "").ok());
  EXPECT_EQ(ListDirectory(scratch.path(), 2)->size(), 2u);
  EXPECT_EQ(ListDirectory(scratch / "none").error().code, ErrorCode::kNotFound);
}

TEST(RemoveTree, LinksAreNotFollowed) {
  Scratch scratch;
  ASSERT_TRUE(MakeDirectories(scratch / "outside").ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "outside/precious", "x").ok());
  ASSERT_TRUE(MakeDirectories(scratch / "tree/sub").ok());
  ASSERT_EQ(::symlink("../../outside", (scratch / "tree/sub/link").c_str()), 0);
  ASSERT_EQ(::symlink("outside", (scratch / "top").c_str()), 0);
  EXPECT_TRUE(RemoveTree(scratch / "tree").ok());
  EXPECT_TRUE(RemoveTree(scratch / "top").ok());
  EXPECT_TRUE(RemoveTree(scratch / "nothing").ok());
  EXPECT_TRUE(RemoveTree(scratch / "outside/precious/below").ok());
  EXPECT_THAT(*ListDirectory(scratch.path()), ElementsAre("outside"));
  EXPECT_EQ(Content(scratch / "outside/precious"), "x");
}

TEST(RemoveTree, DeepTreeIsRemoved) {
  Scratch scratch;
  // The tree is deeper than PATH_MAX, and too deep for one open descriptor per level.
  ASSERT_EQ(Shell(scratch,
                  "python3 -c 'import os\nfor i in range(3000): os.mkdir(\"d\"); os.chdir(\"d\"); open(\"f\", \"w\")'"),
            0);
  EXPECT_TRUE(RemoveTree(scratch / "d").ok());
  EXPECT_TRUE(ListDirectory(scratch.path())->empty());
}

TEST(RemoveTree, MissingPermissionsAreRestored) {
  Scratch scratch;
  ASSERT_EQ(::chmod(scratch.path().c_str(), 0777), 0);
  const pid_t child = ::fork();  // run as another user, because root ignores permissions
  if (child == 0) {
    // Change the directory first, because the new user may not be able to traverse the path to it.
    if (::chdir(scratch.path().c_str()) != 0) ::_exit(5);
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(1);
    if (!MakeDirectories("t/locked/inner").ok()) ::_exit(2);
    if (!WriteFileAtomically("t/locked/inner/f", "x").ok()) ::_exit(3);
    ::chmod("t/locked/inner", 0);
    ::chmod("t/locked", 0500);
    ::_exit(RemoveTree("t").ok() ? 0 : 4);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(ListDirectory(scratch.path())->empty());
}

TEST(CopyTree, ModesTimesAndLinksAreKept) {
  Scratch scratch;
  ASSERT_TRUE(MakeDirectories(scratch / "from/sub").ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "from/run.sh", "#!/bin/sh\n", 0751).ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "from/sub/data", std::string(3 << 20, 'd'), 0400).ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "from/empty", "").ok());
  ASSERT_EQ(::symlink("run.sh", (scratch / "from/link").c_str()), 0);
  ASSERT_EQ(::symlink("/nonexistent", (scratch / "from/dangling").c_str()), 0);
  ASSERT_EQ(::mkfifo((scratch / "from/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::chmod((scratch / "from/sub").c_str(), 0555), 0);
  const timespec times[] = {{1'000'000'000, 0}, {1'000'000'000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (scratch / "from/run.sh").c_str(), times, 0), 0);

  ASSERT_TRUE(CopyTree(scratch / "from", scratch / "to").ok());
  EXPECT_THAT(*ListDirectory(scratch / "to"), ElementsAre("dangling", "empty", "link", "pipe", "run.sh", "sub"));
  EXPECT_EQ(ModeOf(scratch / "to/run.sh"), 0751u);
  EXPECT_EQ(ModeOf(scratch / "to/sub"), 0555u);
  EXPECT_EQ(ModeOf(scratch / "to/sub/data"), 0400u);
  EXPECT_EQ(Content(scratch / "to/sub/data"), std::string(3 << 20, 'd'));
  struct stat info {};
  ASSERT_EQ(::lstat((scratch / "to/run.sh").c_str(), &info), 0);
  EXPECT_EQ(info.st_mtime, 1'000'000'000);
  ASSERT_EQ(::lstat((scratch / "to/link").c_str(), &info), 0);
  EXPECT_TRUE(S_ISLNK(info.st_mode));
}

TEST(CopyTree, TimeInTheFutureIsNotKept) {
  Scratch scratch;
  ASSERT_TRUE(WriteFileAtomically(scratch / "from", "x").ok());
  const timespec times[] = {{0, UTIME_OMIT}, {::time(nullptr) + 7200, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (scratch / "from").c_str(), times, 0), 0);
  ASSERT_TRUE(CopyTree(scratch / "from", scratch / "to").ok());
  struct stat info {};
  ASSERT_EQ(::stat((scratch / "to").c_str(), &info), 0);
  EXPECT_LE(info.st_mtime, info.st_ctime);
}

TEST(CopyTree, SetIdAndStickyBitsAreDropped) {
  Scratch scratch;
  ASSERT_TRUE(MakeDirectories(scratch / "from/sub").ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "from/tool", "#!/bin/sh\n", 06755).ok());
  ASSERT_EQ(::mkfifo((scratch / "from/pipe").c_str(), 0600), 0);
  ASSERT_EQ(::chmod((scratch / "from/pipe").c_str(), 04600), 0);
  ASSERT_EQ(::chmod((scratch / "from/sub").c_str(), 03755), 0);
  ASSERT_EQ(ModeOf(scratch / "from/tool"), 06755u);
  ASSERT_TRUE(CopyTree(scratch / "from", scratch / "to").ok());
  EXPECT_EQ(ModeOf(scratch / "to/tool"), 0755u);
  EXPECT_EQ(ModeOf(scratch / "to/pipe"), 0600u);
  EXPECT_EQ(ModeOf(scratch / "to/sub"), 0755u);
}

TEST(CopyTree, ExistingDirectoryIsFilledWithoutFollowingLinks) {
  Scratch scratch;
  ASSERT_TRUE(MakeDirectories(scratch / "from").ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "from/a", "new").ok());
  ASSERT_TRUE(MakeDirectories(scratch / "to").ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "to/b", "kept").ok());
  ASSERT_TRUE(WriteFileAtomically(scratch / "outside", "precious").ok());
  ASSERT_EQ(::symlink("../outside", (scratch / "to/a").c_str()), 0);
  ASSERT_TRUE(CopyTree(scratch / "from", scratch / "to").ok());
  EXPECT_EQ(Content(scratch / "to/a"), "new");
  EXPECT_EQ(Content(scratch / "to/b"), "kept");
  EXPECT_EQ(Content(scratch / "outside"), "precious");
  EXPECT_FALSE(CopyTree(scratch / "none", scratch / "x").ok());
  EXPECT_FALSE(CopyTree(scratch / "from", scratch / "outside").ok());
}

TEST(CopyTree, TargetInsideSourceIsNotCopied) {
  Scratch scratch;
  ASSERT_TRUE(WriteFileAtomically(scratch / "f", "x").ok());
  ASSERT_TRUE(MakeDirectories(scratch / "home/jobs").ok());
  ASSERT_TRUE(CopyTree(scratch.path(), scratch / "home/jobs/staging").ok());
  EXPECT_THAT(*ListDirectory(scratch / "home/jobs/staging"), ElementsAre("f", "home"));
  EXPECT_TRUE(ListDirectory(scratch / "home/jobs/staging/home/jobs")->empty());
}

TEST(FileLock, LockIsHeldUntilLastHolderEnds) {
  Scratch scratch;
  auto first = FileLock::Try(scratch / "lock");
  ASSERT_TRUE(first.ok() && first->has_value());
  EXPECT_FALSE(FileLock::Try(scratch / "lock")->has_value());
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  Fd read_end(ends[0]), write_end(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) {
    write_end = Fd();
    char byte = 0;
    ::_exit(::read(read_end.get(), &byte, 1) == 0 ? 0 : 1);
  }
  first = std::optional<FileLock>();
  EXPECT_FALSE(FileLock::Try(scratch / "lock")->has_value()) << "the child holds the lock, too";
  ASSERT_EQ(::kill(child, SIGKILL), 0);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(FileLock::Try(scratch / "lock")->has_value());
  EXPECT_TRUE(FileLock::Wait(scratch / "lock").ok());
}

}  // namespace
}  // namespace howdah::os::files
