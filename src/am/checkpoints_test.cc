#include "checkpoints.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace howdah::am {
namespace {

TEST(NewestCheckpoint, IsTheEntryWithTheLatestTime) {
  std::string directory = ::testing::TempDir() + "/checkpoints.XXXXXX";
  ASSERT_NE(mkdtemp(directory.data()), nullptr);
  EXPECT_FALSE(NewestCheckpoint(directory));
  for (const auto& [name, second] : {std::pair{"step-1", 100}, {"step-9", 300}, {"step-2", 200}}) {
    std::ofstream(directory + "/" + name) << "x";
    const timespec times[2] = {{second, 0}, {second, 0}};
    ASSERT_EQ(utimensat(AT_FDCWD, (directory + "/" + name).c_str(), times, 0), 0);
  }
  const auto newest = NewestCheckpoint(directory);
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->name, "step-9");
  EXPECT_EQ(newest->written, Instant(std::chrono::seconds(300)));
  std::filesystem::remove_all(directory);
}

TEST(NewestCheckpoint, IsSearchedOnlyInLocalDirectories) {
  EXPECT_FALSE(NewestCheckpoint(""));
  EXPECT_FALSE(NewestCheckpoint("hdfs:///ckpt"));
  EXPECT_FALSE(NewestCheckpoint("/no/such/directory"));
}

}  // namespace
}  // namespace howdah::am
