#include "howdah/client/directory_note.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::client {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DirectoryNote, MissingDirectoriesAreNamed) {
  const os::files::Scratch scratch;
  jobspec::JobSpec spec;
  spec.checkpoint.dir = scratch / "ckpt";
  spec.tensorboard_logdir = "hdfs:///logs";
  EXPECT_THAT(MissingDirectories(spec), ElementsAre("checkpoint.dir: " + spec.checkpoint.dir +
                                                    " does not exist yet; it is created when the job is submitted"));
  EXPECT_THAT(UnwritableDirectories(spec), IsEmpty());
  ASSERT_TRUE(os::files::MakeDirectories(spec.checkpoint.dir).ok());
  EXPECT_THAT(MissingDirectories(spec), IsEmpty());
  EXPECT_THAT(UnwritableDirectories(spec), IsEmpty());
}

TEST(DirectoryNote, DirectoryWithoutWritePermissionIsNamed) {
  const os::files::Scratch scratch;
  jobspec::JobSpec spec;
  spec.checkpoint.dir = scratch / "ckpt";
  ASSERT_TRUE(os::files::MakeDirectories(spec.checkpoint.dir).ok());
  ASSERT_EQ(::chmod(spec.checkpoint.dir.c_str(), 0555), 0);
  if (::access(spec.checkpoint.dir.c_str(), W_OK) == 0) GTEST_SKIP() << "root may write to every directory";
  EXPECT_THAT(UnwritableDirectories(spec),
              ElementsAre("checkpoint.dir: tasks can only read: writing to " + spec.checkpoint.dir +
                          ": Permission denied; choose another directory if the job writes there"));
}

}  // namespace
}  // namespace howdah::client
