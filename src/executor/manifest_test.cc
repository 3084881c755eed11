#include "manifest.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "howdah/os/files/outputs.h"
#include "howdah/os/process/testing.h"
#include "own_address.h"
#include "work_directory.h"

namespace howdah::executor {
namespace {

using os::files::Content;
using testing::HasSubstr;

// A staging directory like that of a NodeManager: symbolic links to read-only files in its cache.
class Staged : public testing::Test {
 protected:
  Staged() {
    EXPECT_TRUE(os::files::MakeDirectories(cache() + "/tree/below").ok());
    EXPECT_TRUE(os::files::MakeDirectories(options_.staging_dir).ok());
    EXPECT_TRUE(os::files::WriteFileAtomically(cache() + "/tree/below/x", "in a tree\n", 0444).ok());
    Stage("r1", "echo $1\n");
    Stage("r2", "data\n");
    EXPECT_EQ(::symlink((cache() + "/tree").c_str(), (options_.staging_dir + "/tree").c_str()), 0);
    const os::process::SpawnRequest tar = os::process::Bash("echo packed > p && tar czf r3 p && rm p", cache());
    EXPECT_EQ(os::process::WaitFor(*os::process::SpawnOrError(tar)).code, 0);
    EXPECT_EQ(::symlink((cache() + "/r3").c_str(), (options_.staging_dir + "/r3").c_str()), 0);
  }
  std::string cache() { return scratch_ / "cache"; }
  void Stage(const std::string& name, const std::string& bytes) {
    EXPECT_TRUE(os::files::WriteFileAtomically(cache() + "/" + name, bytes, 0444).ok());
    EXPECT_EQ(::symlink((cache() + "/" + name).c_str(), (options_.staging_dir + "/" + name).c_str()), 0);
  }
  Status Fill(const std::string& manifest) {
    EXPECT_TRUE(os::files::WriteFileAtomically(options_.staging_dir + "/manifest.json", manifest).ok());
    jobspec::JobSpec spec;
    spec.source = "/not/asked";
    return FillWorkDirectory(options_, spec);
  }
  std::string work(const std::string& name) { return options_.work_dir + "/" + name; }
  static mode_t ModeOf(const std::string& path) {
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
  }

  os::files::Scratch scratch_;
  TaskOptions options_{.role = "worker", .staging_dir = scratch_ / "staging", .work_dir = scratch_ / "work"};
};

TEST_F(Staged, EntriesAreCopiedUnpackedAndLinked) {
  const Status filled = Fill(R"([
    {"path": "data", "directory": true, "mode": 448},
    {"path": "./deep//er/run.sh", "resource": "r1", "mode": 365},
    {"path": "labels.csv", "resource": "r2"},
    {"path": "latest", "link": "deep/er/../er/run.sh"},
    {"path": "deep/up", "link": "../labels.csv"},
    {"path": "wheels", "resource": "r3", "unpack": true},
    {"path": ".", "resource": "tree", "unpack": true},
    {"path": "copy", "resource": "tree"},
    {"path": "ours", "resource": "r2", "role": "worker"},
    {"path": "theirs", "resource": "not staged here", "role": "ps"}])");
  ASSERT_TRUE(filled.ok()) << filled.error().message;
  EXPECT_EQ(Content(work("latest")), "echo $1\n");
  EXPECT_EQ(Content(work("deep/up")), "data\n");
  EXPECT_EQ(Content(work("wheels/p")), "packed\n");
  EXPECT_EQ(Content(work("below/x")), "in a tree\n");
  EXPECT_EQ(Content(work("copy/below/x")), "in a tree\n");
  EXPECT_EQ(Content(work("ours")), "data\n");
  EXPECT_NE(::access(work("theirs").c_str(), F_OK), 0);
  EXPECT_EQ(ModeOf(work("data")), 0700u);
  EXPECT_EQ(ModeOf(work("deep/er/run.sh")), 0755u) << "0555, and the owner may write";
  EXPECT_EQ(ModeOf(work("labels.csv")), 0644u);
  struct stat info {};
  ASSERT_EQ(::lstat(work("labels.csv").c_str(), &info), 0);
  EXPECT_TRUE(S_ISREG(info.st_mode)) << "a copy, not a link into the cache";
  EXPECT_EQ(Content(cache() + "/r2"), "data\n");
}

TEST_F(Staged, NothingIsWrittenThroughALink) {
  for (const char* manifest : {R"([{"path": "a", "link": "."}, {"path": "a/b", "resource": "r1"}])",
                               R"([{"path": "a", "link": "."}, {"path": "a/b", "directory": true}])"}) {
    const Status filled = Fill(manifest);
    ASSERT_FALSE(filled.ok()) << manifest;
    EXPECT_THAT(filled.error().message, HasSubstr("a/b: a exists and is not a directory"));
  }
  // A link at the path is replaced, not followed.
  ASSERT_TRUE(os::files::WriteFileAtomically(scratch_ / "outside", "mine").ok());
  ASSERT_EQ(::symlink((scratch_ / "outside").c_str(), work("here").c_str()), 0);
  ASSERT_TRUE(Fill(R"([{"path": "here", "resource": "r1"}])").ok());
  EXPECT_EQ(Content(scratch_ / "outside"), "mine");
  EXPECT_EQ(Content(work("here")), "echo $1\n");
}

TEST_F(Staged, SetIdAndStickyBitsAreDropped) {
  // In octal notation: 06755 and 01755.
  ASSERT_TRUE(Fill(R"([{"path": "tool", "resource": "r1", "mode": 3565},
                       {"path": "sticky", "directory": true, "mode": 1005}])")
                  .ok());
  EXPECT_EQ(ModeOf(work("tool")), 0755u);
  EXPECT_EQ(ModeOf(work("sticky")), 0755u);
}

// Fills the working directory as on the local backend: with `source`, then with one of `files`.
class LocalStaged : public Staged {
 protected:
  LocalStaged() {
    EXPECT_TRUE(os::files::MakeDirectories(options_.staging_dir + "/source").ok());
    EXPECT_TRUE(os::files::MakeDirectories(options_.staging_dir + "/files").ok());
    EXPECT_TRUE(os::files::MakeDirectories(scratch_ / "victim").ok());
    EXPECT_TRUE(os::files::WriteFileAtomically(scratch_ / "victim/p", "precious").ok());
    EXPECT_EQ(::symlink((scratch_ / "victim").c_str(), (options_.staging_dir + "/source/out").c_str()), 0);
  }
  Status FillWith(const std::string& resource, const std::string& to, bool unpack) {
    jobspec::JobSpec spec;
    spec.source = "/source";
    spec.files = {{"/some/file", to, unpack}};
    EXPECT_TRUE(os::files::CopyTree(cache() + "/" + resource, options_.staging_dir + "/files/0").ok());
    return FillWorkDirectory(options_, spec);
  }
};

TEST_F(LocalStaged, ReplacedExecutorKeepsTheFilesOfEarlierAttempts) {
  const std::string source = options_.staging_dir + "/source";
  ASSERT_TRUE(os::files::WriteFileAtomically(source + "/config", "old").ok());
  ASSERT_TRUE(os::files::MakeDirectories(source + "/locked", 0555).ok());
  ASSERT_TRUE(FillWith("r2", "labels", false).ok());
  ASSERT_TRUE(os::files::WriteFileAtomically(work("config"), "changed").ok());
  ASSERT_TRUE(os::files::RemoveTree(work("labels")).ok());
  ASSERT_TRUE(os::files::MakeDirectories(os::files::ProgressDirectory(options_.work_dir)).ok());
  const Status filled = FillWith("r2", "labels", false);
  ASSERT_TRUE(filled.ok()) << filled.error().message;
  EXPECT_EQ(Content(work("config")), "changed");
  EXPECT_NE(::access(work("labels").c_str(), F_OK), 0);
}

TEST_F(LocalStaged, FileIsNotWrittenThroughALinkOfTheSource) {
  const struct {
    const char *resource, *to;
    bool unpack;
  } rows[] = {{"r2", "out/p", false}, {"r2", "out/below/p", false}, {"r3", "out", true}, {"r3", "out/below", true}};
  for (const auto& row : rows) {
    const Status filled = FillWith(row.resource, row.to, row.unpack);
    ASSERT_FALSE(filled.ok()) << row.to;
    EXPECT_EQ(filled.error().message, std::string("files: to: ") + row.to + ": out exists and is not a directory");
    EXPECT_EQ(Content(scratch_ / "victim/p"), "precious");
    EXPECT_EQ(os::files::ListDirectory(scratch_ / "victim")->size(), 1u);
    ASSERT_TRUE(os::files::RemoveTree(options_.work_dir).ok());
  }
}

TEST_F(LocalStaged, LinkAtTheTargetIsReplaced) {
  ASSERT_TRUE(FillWith("r2", "out", false).ok());
  EXPECT_EQ(Content(work("out")), "data\n");
  ASSERT_TRUE(FillWith("r3", "new/below", true).ok());
  EXPECT_EQ(Content(work("new/below/p")), "packed\n");
  EXPECT_EQ(Content(scratch_ / "victim/p"), "precious");
}

TEST_F(Staged, MissingResourceIsNamed) {
  const Status filled = Fill(R"([{"path": "a/b", "resource": "r9"}])");
  ASSERT_FALSE(filled.ok());
  EXPECT_THAT(filled.error().message, HasSubstr("a/b: "));
  EXPECT_THAT(filled.error().message, HasSubstr("staging/r9"));
}

TEST(Manifest, InvalidEntryIsNamedInTheError) {
  const struct {
    const char *json, *why;
  } cases[] = {
      {"", "not a JSON array"},
      {"{}", "not a JSON array"},
      {"[7]", "entry 0, 7: not an object"},
      {R"([{"path": "a", "resource": "r"}, {"path": "../b", "resource": "r"}])", "entry 1, "},
      {R"([{"path": "../b", "resource": "r"}])", "path is not below the working directory"},
      {R"([{"path": "a/../b", "resource": "r"}])", "path is not below"},
      {R"([{"path": "/b", "resource": "r"}])", "path is not below"},
      {R"([{"resource": "r"}])", "path is not below"},
      {R"([{"path": "a\u0000b", "resource": "r"}])", "path is not below"},
      {R"([{"path": ".", "resource": "r"}])", "path is the working directory itself"},
      {R"([{"path": "", "link": "r"}])", "path is the working directory itself"},
      {R"([{"path": "a", "link": ""}])", "link must be a path: not empty and without NUL"},
      {R"([{"path": "a", "link": "b\u0000c"}])", "link must be a path: not empty and without NUL"},
      {R"([{"path": "a", "resource": "../r"}])", "resource is not a name"},
      {R"([{"path": "a", "resource": ".."}])", "resource is not a name"},
      {R"([{"path": "a", "resource": ""}])", "resource is not a name"},
      {R"([{"path": "a"}])", "expected exactly one of"},
      {R"([{"path": "a", "resource": "r", "link": "b"}])", "expected exactly one of"},
      {R"([{"path": "a", "resource": "r", "directory": true}])", "expected exactly one of"},
      {R"([{"path": "a", "directory": true, "unpack": true}])", "unpack without a resource"},
      {R"([{"path": "a", "resource": "r", "mode": "755"}])", "mode is not a number"},
      {R"([{"path": "a", "resource": "r", "mode": 4096}])", "mode is not a number"},
      {R"([{"path": "a", "resource": "r", "mode": -1}])", "mode is not a number"},
      {R"([{"path": 7, "resource": "r"}])", "path is not a string"},
      {R"([{"path": "a", "resource": "r", "unpack": 1}])", "unpack is neither true nor false"},
      {R"([{"path": "a", "resource": "r", "owner": "me"}])", "unknown key 'owner'"},
  };
  for (const auto& c : cases) {
    const auto manifest = ParseManifest(c.json);
    ASSERT_FALSE(manifest.ok()) << c.json;
    EXPECT_THAT(manifest.error().message, HasSubstr(c.why)) << c.json;
  }
  EXPECT_TRUE(ParseManifest("[]")->empty());
}

TEST(Manifest, DeeplyNestedValueIsRejected) {
  constexpr int kDepth = 1'000'000;
  const auto manifest = ParseManifest(std::string(kDepth, '[') + std::string(kDepth, ']'));
  ASSERT_FALSE(manifest.ok());
  EXPECT_EQ(manifest.error().message, "nested more than 10 deep");
}

TEST(OwnAddress, IsTheSourceAddressTowardsThePeer) {
  EXPECT_EQ(*OwnAddressTowards("127.0.0.1:1"), "127.0.0.1");
  for (const char* bad : {"", "localhost:80", "example.com:80", "127.0.0:80", "[::1:80"}) {
    EXPECT_FALSE(OwnAddressTowards(bad).ok()) << bad;
  }
  const auto six = OwnAddressTowards("[::1]:80");
  if (six.ok()) {  // the condition is false on a machine without IPv6
    EXPECT_EQ(*six, "::1");
  }
}

}  // namespace
}  // namespace howdah::executor
