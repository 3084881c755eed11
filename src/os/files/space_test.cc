#include "howdah/os/files/space.h"

#include <gtest/gtest.h>

#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

constexpr std::string_view kMounts =
    "21 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
    "22 21 0:5 / /proc rw,nosuid shared:12 - proc proc rw\n"
    "30 21 8:1 / /data rw shared:2 master:1 - xfs /dev/sdb rw\n"
    "31 30 0:30 / /data/my\\040disk rw - tmpfs tmpfs rw,size=1024k\n"
    "32 30 0:31 / /data rw - nfs4 server:/data rw\n";

TEST(Space, LongestMatchingMountPointAndItsNewestMountAreUsed) {
  const std::pair<std::string, std::string> rows[] = {
      {"/", "/ ext4"},         {"/home/ann", "/ ext4"},   {"/database", "/ ext4"},
      {"/data", "/data nfs4"}, {"/data/x", "/data nfs4"}, {"/data/my disk/x", "/data/my disk tmpfs"}};
  for (const auto& [path, wanted] : rows) {
    const Space mount = MountOf(kMounts, path);
    EXPECT_EQ(mount.mount_point + " " + mount.type, wanted) << path;
  }
}

TEST(Space, TextNamesMountSizeAndFreeSpace) {
  EXPECT_EQ(ToText({"/data", "ext4", int64_t{3} << 40, 0, 7}), "/data (ext4), 3 TiB, 0 B free");
  EXPECT_EQ(ToText({"/", "", 2048, 1024, 0}), "/, 2 KiB, 1 KiB free, and no more files can be made");
}

TEST(Space, PathThatDoesNotExistHasTheSpaceOfItsParent) {
  const Scratch scratch;
  const auto space = SpaceAt(scratch / "missing/file");
  ASSERT_TRUE(space.ok()) << space.error().message;
  EXPECT_GT(space->size, 0);
  EXPECT_TRUE(scratch.path().starts_with(space->mount_point)) << space->mount_point;
}

}  // namespace
}  // namespace howdah::os::files
