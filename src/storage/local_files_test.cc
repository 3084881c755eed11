#include "howdah/storage/local_files.h"

#include <gmock/gmock.h>

#include "howdah/os/files/testing.h"

namespace howdah::storage {
namespace {

using os::files::Content;
using os::files::Scratch;
using os::files::Shell;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> NamesIn(const std::string& path) { return *os::files::ListDirectory(path); }

TEST(LocalFiles, LinkIsNotADirectoryAndIsNotRead) {
  Scratch scratch;
  ASSERT_EQ(Shell(scratch, "mkdir d && echo text >f && ln -s d link && ln -s f linked && mkfifo fifo"), 0);
  const auto files = OpenLocalFiles();
  const auto entries = files->List(scratch.path());
  ASSERT_TRUE(entries.ok());
  std::vector<std::string> directories;
  for (const Files::Entry& entry : *entries) {
    if (entry.directory) directories.push_back(entry.name);
  }
  EXPECT_EQ(entries->size(), 5u);
  EXPECT_THAT(directories, ElementsAre("d"));
  EXPECT_EQ(*files->Read(scratch / "f", 5), "text\n");
  EXPECT_THAT(files->Read(scratch / "fifo", 5).error().message, HasSubstr("it is a FIFO"));
  EXPECT_THAT(files->Read(scratch / "linked", 5).error().message, HasSubstr("it is a symbolic link"));
  EXPECT_THAT(files->ReadFrom(scratch / "fifo", 0, {}).error().message, HasSubstr("it is a FIFO"));
  EXPECT_THAT(files->OpenDirectory(scratch / "link").error().message, HasSubstr("not a directory"));
}

TEST(LocalFiles, OnlyTemporariesOfWritersAreDeleted) {
  Scratch scratch;
  ASSERT_EQ(Shell(scratch,
                  "mkdir -p job/.tree12/below job/.ssh other && cd job && echo x | tee .aB3xyZ .profile .short "
                  ".longer12 a.jhist ../other/.abcdef >/dev/null && ln -s ../other/.abcdef .link12"),
            0);
  const auto files = OpenLocalFiles();
  auto directory = files->OpenDirectory(scratch / "job");
  ASSERT_TRUE(directory.ok());
  EXPECT_TRUE((*directory)->DeleteTemporaries().ok());
  EXPECT_THAT(NamesIn(scratch / "job"),
              ElementsAre(".link12", ".longer12", ".profile", ".short", ".ssh", ".tree12", "a.jhist"));
  EXPECT_THAT(NamesIn(scratch / "other"), ElementsAre(".abcdef"));
}

TEST(LocalFiles, OpenDirectoryStaysTheSameWhenItsPathIsReplaced) {
  Scratch scratch;
  ASSERT_EQ(Shell(scratch,
                  "mkdir -p in/job home finished && echo x | tee in/job/.abcdef in/job/a home/.abcdef "
                  "home/a >/dev/null"),
            0);
  const auto files = OpenLocalFiles();
  auto directory = files->OpenDirectory(scratch / "in/job");
  ASSERT_TRUE(directory.ok());
  ASSERT_EQ(Shell(scratch, "mv in/job in/aside && ln -s ../home in/job"), 0);
  EXPECT_TRUE((*directory)->DeleteTemporaries().ok());
  EXPECT_TRUE((*directory)->Rename("a", "b").ok());
  EXPECT_EQ(Content(scratch / "home/.abcdef"), "x\n");
  EXPECT_THAT(NamesIn(scratch / "in/aside"), ElementsAre("b"));
  EXPECT_THAT((*directory)->MoveTo(scratch / "finished", "2019/05").error().message,
              HasSubstr("in/job: it was replaced meanwhile"));
  EXPECT_THAT(NamesIn(scratch / "finished/2019/05"), ElementsAre());
  ASSERT_EQ(Shell(scratch, "rm in/job && mv in/aside in/job"), 0);
  EXPECT_TRUE((*directory)->MoveTo(scratch / "finished", "2019/05").ok());
  EXPECT_THAT(NamesIn(scratch / "finished/2019/05/job"), ElementsAre("b"));
}

TEST(LocalFiles, DirectoryIsNotMovedThroughALink) {
  Scratch scratch;
  ASSERT_EQ(Shell(scratch, "mkdir -p in/job home finished && ln -s ../home finished/2019"), 0);
  const auto files = OpenLocalFiles();
  auto directory = files->OpenDirectory(scratch / "in/job");
  ASSERT_TRUE(directory.ok());
  EXPECT_THAT((*directory)->MoveTo(scratch / "finished", "2019/05").error().message,
              HasSubstr("2019 exists and is not a directory"));
  EXPECT_THAT(NamesIn(scratch / "home"), ElementsAre());
}

TEST(LocalFiles, OwnerCheckAcceptsOnlyRegularFiles) {
  Scratch scratch;
  ASSERT_EQ(Shell(scratch, "mkdir job && echo x >job/a && ln -s a job/link && mkfifo job/fifo"), 0);
  const auto files = OpenLocalFiles();
  auto directory = files->OpenDirectory(scratch / "job");
  ASSERT_TRUE(directory.ok());
  EXPECT_TRUE((*directory)->CheckOwner("a").ok());
  for (const char* name : {"link", "fifo"}) {
    EXPECT_THAT((*directory)->CheckOwner(name).error().message, HasSubstr("is not a regular file"));
  }
  EXPECT_EQ((*directory)->CheckOwner("none").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace howdah::storage
