#include "howdah/executor/python_archive.h"

#include <gmock/gmock.h>

#include "howdah/os/process/testing.h"

namespace howdah::executor {
namespace {

using ::testing::StartsWith;

TEST(PythonArchive, ArchiveWithLinksToTheOutsideIsUnpacked) {
  os::files::Scratch scratch;
  const os::process::SpawnRequest tar = os::process::Bash(
      "mkdir bin && ln -s /usr/bin/python3 bin/python3 && tar czf python.archive bin && rm -r bin", scratch.path());
  ASSERT_EQ(os::process::WaitFor(*os::process::SpawnOrError(tar)).code, 0);
  const Status unpacked = UnpackPythonArchive(scratch / "python.archive", scratch / "a/python");
  ASSERT_TRUE(unpacked.ok()) << unpacked.error().message;
  EXPECT_TRUE(os::files::ListDirectory(scratch / "a/python/bin").ok());
}

TEST(PythonArchive, AbsentArchiveIsIgnored) {
  os::files::Scratch scratch;
  EXPECT_TRUE(UnpackPythonArchive(scratch / "python.archive", scratch / "python").ok());
  EXPECT_FALSE(os::files::ListDirectory(scratch / "python").ok());
}

TEST(PythonArchive, DamagedArchiveIsAnError) {
  os::files::Scratch scratch;
  ASSERT_TRUE(os::files::WriteFileAtomically(scratch / "python.archive", "damaged").ok());
  const Status unpacked = UnpackPythonArchive(scratch / "python.archive", scratch / "python");
  ASSERT_FALSE(unpacked.ok());
  EXPECT_THAT(unpacked.error().message, StartsWith("unpacking the python archive: "));
}

}  // namespace
}  // namespace howdah::executor
