#include "howdah/os/files/outputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(FindOutputs, PatternsMatchFilesAndWholeDirectories) {
  const Scratch root;
  for (const char* path :
       {"a.pt", "train.py", "out/b.pt", "out/deep/c.txt", "outer/d", "runs/1/metrics", "runs/2/model"}) {
    WriteWithParents(root / path, "x");
  }
  ASSERT_EQ(::symlink("/etc", (root / "out/link").c_str()), 0);
  ASSERT_EQ(::symlink("/etc/passwd", (root / "passwd.pt").c_str()), 0);
  const auto find = [&](std::vector<std::string> patterns) {
    return *FindOutputs(root.path(), {.patterns = patterns}, std::nullopt);
  };
  EXPECT_THAT(find({"*.pt"}), ElementsAre("a.pt"));
  EXPECT_THAT(find({"out/"}), ElementsAre("out/b.pt", "out/deep/c.txt"));
  EXPECT_THAT(find({"out", "**/*.pt"}), ElementsAre("a.pt", "out/b.pt", "out/deep/c.txt"));
  EXPECT_THAT(find({"runs/*/model"}), ElementsAre("runs/2/model"));
  EXPECT_THAT(find({"runs/1"}), ElementsAre("runs/1/metrics"));
  EXPECT_THAT(find({"nothing"}), IsEmpty());
  EXPECT_THAT(find({}), IsEmpty());
  EXPECT_FALSE(FindOutputs(root / "absent", {.patterns = {"*"}}, std::nullopt).ok());
}

TEST(MoveOutputs, MovesFilesWithTheirDirectoriesAndReplacesOldOnes) {
  const Scratch root;
  WriteWithParents(root / "work/out/a", "new");
  WriteWithParents(root / "work/b", "b");
  WriteWithParents(root / "work/stays", "c");
  WriteWithParents(root / "kept/out/a", "old");
  ASSERT_TRUE(MoveOutputs(root / "work", {"b", "out/a", "vanished"}, root / "kept").ok());
  EXPECT_EQ(Content(root / "kept/out/a"), "new");
  EXPECT_EQ(Content(root / "kept/b"), "b");
  EXPECT_THAT(*ListDirectory(root / "work"), ElementsAre("out", "stays"));
}

TEST(MoveOutputs, DoesNotFollowLinksBelowTheTarget) {
  const Scratch root;
  WriteWithParents(root / "work/out/a", "new");
  ASSERT_TRUE(MakeDirectories(root / "elsewhere").ok() && MakeDirectories(root / "kept").ok());
  ASSERT_EQ(::symlink((root / "elsewhere").c_str(), (root / "kept/out").c_str()), 0);
  EXPECT_FALSE(MoveOutputs(root / "work", {"out/a"}, root / "kept").ok());
  EXPECT_THAT(*ListDirectory(root / "elsewhere"), IsEmpty());
}

TEST(FindLeftFiles, LongNamesAreOnlyCounted) {
  const Scratch root;
  const std::string longest(kLongestLeftName, 'n');
  ASSERT_TRUE(WriteFileAtomically(root / longest, "12").ok());
  ASSERT_TRUE(WriteFileAtomically(root / (longest + "n"), "123").ok());
  const LeftFiles left = FindLeftFiles(root.path(), Instant(), {});
  EXPECT_EQ(left.count, 2);
  EXPECT_EQ(left.bytes, 5);
  EXPECT_EQ(left.names, std::vector<std::string>{longest});
}

TEST(FindLeftFiles, CountsNewFilesAndNamesTheLargest) {
  const Scratch root;
  WriteWithParents(root / "old.py", "x");
  struct stat info {};
  ASSERT_EQ(::stat((root / "old.py").c_str(), &info), 0);
  const Instant since = ToInstant(info.st_ctim);
  EXPECT_EQ(FindLeftFiles(root.path(), since, {}).count, 0);
  WriteWithParents(root / "model.pt", std::string(1000, 'x'));
  WriteWithParents(root / "out/b", std::string(10, 'x'));
  WriteWithParents(root / "out/c", std::string(20, 'x'));
  WriteWithParents(root / "d", "x");
  WriteWithParents(root / "__pycache__/x.pyc", std::string(5000, 'x'));
  WriteWithParents(root / ".cache/y", std::string(5000, 'x'));
  const LeftFiles left = FindLeftFiles(root.path(), since - std::chrono::hours(1), {});
  EXPECT_EQ(left.count, 5);
  EXPECT_EQ(left.bytes, 1000 + 10 + 20 + 1 + 1);
  EXPECT_THAT(left.names, ElementsAre("model.pt", "out/c", "out/b"));
}

TEST(FindOutputs, NewFilesAreKeptUpToTheLimit) {
  const Scratch root;
  WriteWithParents(root / "model.pt", std::string(1000, 'x'));
  WriteWithParents(root / "out/log", std::string(10, 'x'));
  WriteWithParents(root / "out/b.txt", std::string(200, 'x'));
  WriteWithParents(root / ".cache/y", "x");
  WriteWithParents(root / "empty", "");
  const Instant before, after = Instant::max();
  struct Row {
    OutputRules rules;
    std::optional<Instant> since;
    std::vector<std::string> kept;
    int64_t left;
  };
  const Row rows[] = {
      {{{}, 1210}, before, {"model.pt", "out/b.txt", "out/log"}, 0},
      {{{}, 1209}, before, {}, 3},
      {{{"*.pt"}, 210}, before, {"model.pt", "out/b.txt", "out/log"}, 0},  // the limit is for the other files
      {{{"*.pt"}, 209}, before, {"model.pt"}, 2},
      {{{".cache", "empty"}, 5000}, before, {".cache/y", "empty", "model.pt", "out/b.txt", "out/log"}, 0},
      {{{"*.pt"}, 5000}, after, {"model.pt"}, 0},
      {{{}, 5000}, std::nullopt, {}, 0},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(*FindOutputs(root.path(), row.rules, row.since), row.kept) << row.rules.new_files_limit;
    if (row.since) {
      EXPECT_EQ(FindLeftFiles(root.path(), *row.since, row.rules).count, row.left);
    }
  }
}

TEST(FindOutputs, NewFilesOfAVeryLargeDirectoryAreNotKept) {
  const Scratch root;
  for (int i = 0; i <= 10'000; ++i) WriteWithParents(root / ("f" + std::to_string(i)), "x");
  const OutputRules rules{.patterns = {"f7"}, .new_files_limit = int64_t{1} << 30};
  EXPECT_THAT(*FindOutputs(root.path(), rules, Instant()), ElementsAre("f7"));
  EXPECT_GE(FindLeftFiles(root.path(), Instant(), rules).count, 9'999);
}

TEST(IsOutput, SelectsFilesAndTheContentOfDirectories) {
  EXPECT_TRUE(IsOutput({"*.pt"}, "a.pt"));
  EXPECT_FALSE(IsOutput({"*.pt"}, "out/a.pt"));
  EXPECT_TRUE(IsOutput({"*.txt", "out/*.pt"}, "out/a.pt"));
  EXPECT_TRUE(IsOutput({"out/"}, "out/deep/a.pt"));
  EXPECT_FALSE(IsOutput({"out/"}, "output/a.pt"));
  EXPECT_FALSE(IsOutput({}, "a.pt"));
}

TEST(FindLeftFiles, CopiesEmptyFilesAndKeptFilesAreNotLeft) {
  const Scratch root;
  WriteWithParents(root / "train.py", "print(1)");
  WriteWithParents(root / "moved.py", "print(2)");
  WriteWithParents(root / "run.sh", "echo");
  if (!CreationTime(root / "run.sh")) GTEST_SKIP() << "the file system does not record creation times";
  struct stat last {};
  ASSERT_EQ(::lstat((root / "run.sh").c_str(), &last), 0);
  const Instant since = ToInstant(last.st_mtim);
  // The clock of a file system has coarse steps: wait for the next one.
  do {
    ::unlink((root / "lock").c_str());
    WriteWithParents(root / "lock", "");
  } while (*CreationTime(root / "lock") <= since);
  WriteWithParents(root / "out/copy.py", "print(1)");
  WriteWithParents(root / "out/edited.py", "print(3)");
  WriteWithParents(root / "kept/model.pt", "xyz");
  ASSERT_EQ(::chmod((root / "run.sh").c_str(), 0755), 0);
  ASSERT_EQ(::rename((root / "moved.py").c_str(), (root / "out/moved.py").c_str()), 0);
  const LeftFiles left = FindLeftFiles(root.path(), since, {.patterns = {"kept/"}});
  EXPECT_THAT(left.names, ElementsAre("out/edited.py"));
  EXPECT_EQ(left.count, 1);
  EXPECT_EQ(left.bytes, 8);
}

TEST(FindLeftFiles, NewFilesBesideTheDirectoryAreNamed) {
  const Scratch root;
  WriteWithParents(root / "work/a.py", "x");
  WriteWithParents(root / "data/train.bin", std::string(1000, 'x'));
  WriteWithParents(root / "other/model.pt", std::string(5000, 'x'));
  const auto created = CreationTime(root / "data");
  if (!created) GTEST_SKIP() << "the file system does not record creation times";
  const auto is_known = [](const std::string& name) { return name == "other" || name == "work"; };
  const Instant before = *created - std::chrono::hours(1), after = *created + std::chrono::hours(1);
  EXPECT_THAT(FindLeftFiles(root / "work", before, {}).names, ElementsAre("a.py"));
  const LeftFiles left = FindLeftFiles(root / "work", before, {}, is_known);
  EXPECT_THAT(left.names, ElementsAre("../data/train.bin", "a.py"));
  EXPECT_EQ(left.bytes, 1001);
  EXPECT_EQ(FindLeftFiles(root / "work", after, {}, is_known).count, 0);
}

}  // namespace
}  // namespace howdah::os::files
