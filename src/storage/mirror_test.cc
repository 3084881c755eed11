#include "howdah/storage/mirror.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>

#include "howdah/os/files/files.h"

namespace howdah::storage {
namespace {

using std::chrono::seconds;

// A directory tree in memory that records which files were read.
class Tree final : public storage::Files {
 public:
  Result<std::vector<Entry>> List(const std::string& path) override {
    std::map<std::string, Entry> entries;
    for (const auto& [name, text] : texts) {
      if (!name.starts_with(path + "/")) continue;
      const size_t slash = name.find('/', path.size() + 1);
      const std::string own = name.substr(path.size() + 1, slash - path.size() - 1);
      entries[own] = {own, slash != std::string::npos, modified[name]};
    }
    if (entries.empty()) return Error{ErrorCode::kNotFound, path + " is not there"};
    std::vector<Entry> list;
    for (const auto& [name, entry] : entries) list.push_back(entry);
    return list;
  }
  Status ReadFrom(const std::string& path, int64_t offset, const OnBytes& on_bytes) override {
    read += path + "@" + std::to_string(offset) + " ";
    if (path == broken) return Failed(path + " cannot be read");
    const std::string& text = texts.at(path);
    for (auto at = static_cast<size_t>(offset); at < text.size(); at += 2) {
      HOWDAH_TRY_STATUS(on_bytes(std::string_view(text).substr(at, 2)));
    }
    return {};
  }
  Result<std::string> Read(const std::string&, size_t) override { return Failed("not here"); }
  Status Write(const std::string&, std::string_view) override { return Failed("not here"); }
  Status MakeDirectories(const std::string&) override { return Failed("not here"); }
  Status Rename(const std::string&, const std::string&) override { return Failed("not here"); }
  Status Delete(const std::string&) override { return Failed("not here"); }

  std::map<std::string, std::string> texts;
  std::map<std::string, Instant> modified;
  std::string broken, read;
};

std::string NewDirectory() {
  std::string path = testing::TempDir() + "mirror.XXXXXX";
  EXPECT_NE(mkdtemp(path.data()), nullptr);
  return path;
}

class MirrorTest : public testing::Test {
 protected:
  ~MirrorTest() override { EXPECT_TRUE(os::files::RemoveTree(local_directory_).ok()); }
  std::string CopyOf(const std::string& path) const {
    const auto text = os::files::ReadFile(local_directory_ + path);
    return text.ok() ? *text : "none";
  }
  // Runs an update at this time and returns the reads that it caused.
  std::string Update(Mirror& mirror, int second) {
    tree_.read.clear();
    status_ = mirror.Update(Instant(seconds(second)));
    return tree_.read;
  }

  Tree tree_;
  Status status_;
  std::string local_directory_ = NewDirectory();
  Mirror mirror_{tree_, "/logs", local_directory_, 100};
};

TEST_F(MirrorTest, OnlyEventFilesAtAnyDepthAreCopied) {
  tree_.texts = {{"/logs/events.out.tfevents.1", "first"}, {"/logs/a/b/x.tfevents", "deep"}, {"/logs/model.pt", "no"}};
  Update(mirror_, 0);
  EXPECT_TRUE(status_.ok());
  EXPECT_EQ(mirror_.count(), 2);
  EXPECT_EQ(CopyOf("/events.out.tfevents.1"), "first");
  EXPECT_EQ(CopyOf("/a/b/x.tfevents"), "deep");
  EXPECT_EQ(CopyOf("/model.pt"), "none");
}

TEST_F(MirrorTest, MissingDirectoryHasNoFiles) {
  Update(mirror_, 0);
  EXPECT_TRUE(status_.ok());
  EXPECT_EQ(mirror_.count(), 0);
}

TEST_F(MirrorTest, OnlyNewBytesAreRead) {
  tree_.texts = {{"/logs/tfevents", "one"}};
  EXPECT_EQ(Update(mirror_, 0), "/logs/tfevents@0 ");
  tree_.texts["/logs/tfevents"] += "two";
  EXPECT_EQ(Update(mirror_, 5), "/logs/tfevents@3 ");
  EXPECT_EQ(CopyOf("/tfevents"), "onetwo");
}

TEST_F(MirrorTest, UnchangedFileIsCheckedLessOften) {
  tree_.texts = {{"/logs/tfevents", "one"}};
  Update(mirror_, 0);
  std::string looks;
  for (int second = 5; second <= 100; second += 5) {
    if (!Update(mirror_, second).empty()) looks += std::to_string(second) + " ";
  }
  EXPECT_EQ(looks, "5 10 20 40 80 ");
  tree_.texts["/logs/tfevents"] = "one and two";
  tree_.modified["/logs/tfevents"] = Instant(seconds(101));
  EXPECT_EQ(Update(mirror_, 105), "/logs/tfevents@3 ");
  EXPECT_EQ(CopyOf("/tfevents"), "one and two");
}

TEST_F(MirrorTest, OtherFilesAreCopiedDespiteUnreadableFile) {
  tree_.texts = {{"/logs/a.tfevents", "a"}, {"/logs/b.tfevents", "b"}};
  tree_.broken = "/logs/a.tfevents";
  Update(mirror_, 0);
  ASSERT_FALSE(status_.ok());
  EXPECT_EQ(status_.error().message, "/logs/a.tfevents cannot be read");
  EXPECT_EQ(CopyOf("/b.tfevents"), "b");
  tree_.broken.clear();
  Update(mirror_, 5);
  EXPECT_TRUE(status_.ok());
  EXPECT_EQ(CopyOf("/a.tfevents"), "a");
}

TEST_F(MirrorTest, CopyingStopsAtLimitWithAdvice) {
  tree_.texts = {{"/logs/a.tfevents", std::string(90, 'a')}, {"/logs/b.tfevents", std::string(90, 'b')}};
  Update(mirror_, 0);
  ASSERT_FALSE(status_.ok());
  EXPECT_NE(status_.error().message.find("below /logs have more than 0 MiB"), std::string::npos);
  EXPECT_EQ(CopyOf("/a.tfevents").size() + CopyOf("/b.tfevents").size(), 100U);
}

TEST(LocalPath, OnlyPathsOfThisMachineAreReturned) {
  const struct {
    const char* logdir;
    std::optional<std::string> path;
  } rows[] = {{"/a/b", "/a/b"}, {"file:///a", "/a"}, {"hdfs:///a", std::nullopt}, {"viewfs://x/a", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(LocalPath(row.logdir), row.path) << row.logdir;
}

}  // namespace
}  // namespace howdah::storage
