#include "checkpoints.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace howdah::am {
namespace {

TEST(NewestCheckpoint, IsTheOneWrittenLast) {
  std::string directory = ::testing::TempDir() + "/checkpoints.XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  EXPECT_EQ(NewestCheckpoint(directory, Instant()), "");
  for (const auto& [name, second] : {std::pair{"step-1", 100}, {"step-9", 300}, {"step-2", 200}}) {
    std::ofstream(directory + "/" + name) << "x";
    const timespec times[2] = {{second, 0}, {second, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (directory + "/" + name).c_str(), times, 0), 0);
  }
  EXPECT_EQ(NewestCheckpoint(directory, Instant(std::chrono::seconds(302))),
            "the newest checkpoint is step-9 in " + directory + ", written 2.0s before the end");
  std::filesystem::remove_all(directory);
}

TEST(NewestCheckpoint, IsNotLookedForElsewhere) {
  EXPECT_EQ(NewestCheckpoint("", Instant()), "");
  EXPECT_EQ(NewestCheckpoint("hdfs:///ckpt", Instant()), "");
  EXPECT_EQ(NewestCheckpoint("/no/such/directory", Instant()), "");
}

}  // namespace
}  // namespace howdah::am
