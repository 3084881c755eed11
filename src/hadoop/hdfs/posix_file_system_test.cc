#include "posix_file_system.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>

#include "howdah/hadoop/hdfs/open.h"
#include "paths.h"

namespace howdah::hadoop::hdfs {
namespace {

class Posix : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::remove_all(top_);
    std::filesystem::create_directories(top_);
  }
  std::string ReadAll(const std::string& path) {
    auto reader = files_.Open(path);
    if (!reader) return reader.error().message;
    std::string all;
    for (;;) {
      const auto piece = (*reader)->Read(7);
      if (!piece || piece->empty()) return all;
      all += *piece;
    }
  }
  Status Write(const std::string& path, const std::string& bytes, const CreateOptions& options = {}) {
    HOWDAH_TRY(auto writer, files_.Create(path, options));
    HOWDAH_TRY_STATUS(writer->Write(bytes));
    return writer->Close();
  }
  size_t Entries() { return files_.List(top_)->size(); }

  const std::string top_ = ::testing::TempDir() + "hdfs-posix-" + std::to_string(::getpid());
  PosixFileSystem files_{"/home/ann"};
};

TEST_F(Posix, FileAppearsAtTheFirstFlush) {
  auto writer = files_.Create(top_ + "/a/b", {.permission = 0640});
  ASSERT_TRUE(writer.ok()) << writer.error().message;
  ASSERT_TRUE((*writer)->Write("hello ").ok());
  EXPECT_EQ(files_.Stat(top_ + "/a/b").error().code, ErrorCode::kNotFound);
  ASSERT_TRUE((*writer)->Flush().ok());
  EXPECT_EQ(ReadAll(top_ + "/a/b"), "hello ");
  ASSERT_TRUE((*writer)->Write("world").ok());
  ASSERT_TRUE((*writer)->Close().ok());
  writer->reset();
  EXPECT_EQ(ReadAll(top_ + "/a/b"), "hello world");
  EXPECT_EQ(files_.Stat(top_ + "/a/b")->permission, 0640u);
  EXPECT_EQ(files_.List(top_ + "/a")->size(), 1u);
}

TEST_F(Posix, WriterDestroyedBeforeCloseLeavesNoFile) {
  for (const bool flush : {false, true}) {
    auto writer = files_.Create(top_ + "/x", {});
    ASSERT_TRUE((*writer)->Write("x").ok());
    if (flush) {
      ASSERT_TRUE((*writer)->Flush().ok());
    }
    writer->reset();
    EXPECT_EQ(Entries(), 0u);
  }
}

TEST_F(Posix, OverwriteReplacesFile) {
  ASSERT_TRUE(Write(top_ + "/x", "old").ok());
  EXPECT_FALSE(Write(top_ + "/x", "new").ok());
  ASSERT_TRUE(Write(top_ + "/x", "new", {.overwrite = true}).ok());
  EXPECT_EQ(ReadAll(top_ + "/x"), "new");
  auto late = files_.Create(top_ + "/y", {});  // another writer completes the file first
  ASSERT_TRUE(Write(top_ + "/y", "first").ok());
  EXPECT_FALSE((*late)->Close().ok());
  late->reset();
  EXPECT_EQ(ReadAll(top_ + "/y"), "first");
  EXPECT_EQ(Entries(), 2u);
}

TEST_F(Posix, PermissionsIgnoreUmask) {
  const mode_t before = ::umask(077);
  ASSERT_TRUE(files_.MakeDirectories(top_ + "/d/e", 0775).ok());
  ASSERT_TRUE(Write(top_ + "/d/x", "", {.permission = 0666}).ok());
  ::umask(before);
  EXPECT_EQ(files_.Stat(top_ + "/d")->permission, 0775u);
  EXPECT_EQ(files_.Stat(top_ + "/d/e")->permission, 0775u);
  EXPECT_EQ(files_.Stat(top_ + "/d/x")->permission, 0666u);
  ASSERT_TRUE(files_.MakeDirectories(top_ + "/d/e", 0700).ok());
  EXPECT_EQ(files_.Stat(top_ + "/d/e")->permission, 0775u) << "an existing directory is unchanged";
  ASSERT_TRUE(files_.SetTimes(top_ + "/d/x", 1234567890123).ok());
  EXPECT_EQ(files_.Stat(top_ + "/d/x")->modified_millis, 1234567890123);
}

TEST_F(Posix, FilesAreRenamedAndRemoved) {
  ASSERT_TRUE(Write(top_ + "/x", "x").ok());
  ASSERT_TRUE(Write(top_ + "/y", "y").ok());
  EXPECT_FALSE(files_.Rename(top_ + "/x", top_ + "/y", false).ok());
  EXPECT_EQ(ReadAll(top_ + "/y"), "y");
  ASSERT_TRUE(files_.Rename(top_ + "/x", top_ + "/y", true).ok());
  EXPECT_EQ(ReadAll(top_ + "/y"), "x");
  ASSERT_TRUE(files_.MakeDirectories(top_ + "/d/e", 0755).ok());
  ASSERT_TRUE(files_.Rename(top_ + "/d", top_ + "/f", false).ok());
  EXPECT_FALSE(files_.Delete(top_ + "/f", false).ok());
  EXPECT_TRUE(files_.Delete(top_ + "/f/e", false).ok());
  EXPECT_TRUE(files_.Delete(top_ + "/f", true).ok());
  EXPECT_TRUE(files_.Delete(top_ + "/f", true).ok());
  EXPECT_TRUE(files_.Delete(top_ + "/gone", false).ok());
  EXPECT_EQ(files_.Open(top_ + "/gone").error().code, ErrorCode::kNotFound);
  const auto reader = files_.Open(top_ + "/y");
  EXPECT_FALSE((*reader)->Seek(2).ok());
  ASSERT_TRUE((*reader)->Seek(1).ok());
  EXPECT_EQ(*(*reader)->Read(10), "");
}

TEST(Paths, PathsAreCleanedAndSplit) {
  const std::pair<std::string, std::string> clean[] = {{"/", "/"}, {"//", "/"}, {"/a/", "/a"}, {"/a//b/./c", "/a/b/c"}};
  for (const auto& [path, expected] : clean) EXPECT_EQ(*CleanPath(path), expected);
  for (const std::string path : {"", "a", "/a/../b"}) EXPECT_FALSE(CleanPath(path).ok()) << path;
  const std::pair<std::string, std::string> uris[] = {{"hdfs://ns1/a/b", "/a/b"}, {"/a/b", "/a/b"},
                                                      {"hdfs://ns1", "/"},        {"file:/a", "/a"},
                                                      {"/a:b", "/a:b"},           {"file:///a", "/a"}};
  for (const auto& [uri, expected] : uris) EXPECT_EQ(PathOf(uri), expected) << uri;
}

TEST(Open, SchemeSelectsTheFileSystemWithoutConnecting) {
  hadoop::conf::Configuration configuration({nullptr, "ann", "/home/ann"});
  auto files = Open(configuration, "", {.user = "ann"});
  ASSERT_TRUE(files.ok());
  EXPECT_EQ((*files)->uri(), "file://");
  EXPECT_EQ((*files)->home_directory(), "/home/ann");
  configuration.Set("fs.viewfs.mounttable.c.link./data", "hdfs://nn:9000/d", "here");
  for (const auto& [uri, opened] :
       {std::pair("hdfs://nn:9000/x", "hdfs://nn:9000"), {"viewfs://c/data", "hdfs://nn:9000"}}) {
    files = Open(configuration, uri, {.user = "ann"});
    ASSERT_TRUE(files.ok()) << files.error().message;
    EXPECT_EQ((*files)->uri(), opened);
    EXPECT_EQ((*files)->home_directory(), "/user/ann");
  }
  EXPECT_EQ(Open(configuration, "s3a://bucket", {}).error().code, ErrorCode::kUnavailable);
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
