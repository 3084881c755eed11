#include "howdah/os/files/source_filter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "howdah/os/files/files.h"
#include "howdah/os/files/testing.h"

namespace howdah::os::files {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

const std::vector<std::string> kTree = {".git/HEAD",       ".venv/bin/python",  "a.py",      "data/big.bin",
                                        "data/keep.txt",   "lib/.gitignore",    "lib/x.log", "lib/y.log",
                                        "lib/sub/build/o", "lib/__pycache__/c", "build/o",   "x.log"};

// Returns the files of the tree that are not skipped.
std::vector<std::string> Kept(const std::string& root) {
  SourceFilter filter(root);
  std::vector<std::string> kept;
  for (const std::string& path : kTree) {
    bool skipped = false;
    for (size_t slash = path.find('/'); slash != std::string::npos && !skipped; slash = path.find('/', slash + 1)) {
      skipped = filter.Skips(path.substr(0, slash), true);
    }
    if (!skipped && !filter.Skips(path, false)) kept.push_back(path);
  }
  return kept;
}

TEST(SourceFilter, DefaultsLeaveOutGitDirectoryCachesAndVirtualEnvironments) {
  const Scratch root;
  EXPECT_THAT(Kept(root.path()), ElementsAre("a.py", "data/big.bin", "data/keep.txt", "lib/.gitignore", "lib/x.log",
                                             "lib/y.log", "lib/sub/build/o", "build/o", "x.log"));
  EXPECT_EQ(SurveySource(root.path())->rules_file, "");
}

TEST(SourceFilter, FollowsGitignoreOfEveryDirectory) {
  const Scratch root;
  WriteWithParents(root.path() + "/.gitignore", "# caches\n*.log\n/build/\ndata/*\n!data/keep.txt   \n\n");
  WriteWithParents(root.path() + "/lib/.gitignore", "!y.log\n/sub\n");
  EXPECT_THAT(Kept(root.path()), ElementsAre("a.py", "data/keep.txt", "lib/.gitignore", "lib/y.log"));
}

TEST(SourceFilter, GitignoreBelowTheSourceCountsWithoutOneAtTheTop) {
  const Scratch root;
  WriteWithParents(root.path() + "/lib/.gitignore", "*\n");
  EXPECT_THAT(Kept(root.path()), ElementsAre("a.py", "data/big.bin", "data/keep.txt", "build/o", "x.log"));
  WriteWithParents(root.path() + "/a.py", "");
  const auto survey = SurveySource(root.path());
  ASSERT_TRUE(survey.ok());
  EXPECT_THAT(survey->left_out, ElementsAre("lib/.gitignore"));
  EXPECT_EQ(survey->rules_file, ".gitignore");
}

TEST(SourceFilter, PathWithALeadingSlashIsBelowTheRoot) {
  const Scratch root;
  WriteWithParents(root.path() + "/.gitignore", "*.log\n");
  EXPECT_TRUE(SourceFilter(root.path()).Skips("/lib/x.log", false));
  EXPECT_FALSE(SourceFilter(root.path()).Skips("/lib/x.txt", false));
}

TEST(SourceFilter, HowdahignoreReplacesGitignoreAndMayIncludeDefaults) {
  const Scratch root;
  WriteWithParents(root.path() + "/.gitignore", "*\n");
  WriteWithParents(root.path() + "/lib/.gitignore", "*\n");
  WriteWithParents(root.path() + "/.howdahignore", "lib/**\ndata\n!.git\n");
  EXPECT_THAT(Kept(root.path()), ElementsAre(".git/HEAD", "a.py", "build/o", "x.log"));
  EXPECT_EQ(SurveySource(root.path())->rules_file, ".howdahignore");
}

TEST(SurveySource, CountsIncludedFilesAndNamesExcludedOnes) {
  const Scratch root;
  WriteWithParents(root.path() + "/a.py", "12345");
  WriteWithParents(root.path() + "/data/small", "123");
  WriteWithParents(root.path() + "/data/deep/large", std::string(100, 'x'));
  WriteWithParents(root.path() + "/data/deep/skipped.log", "123456789");
  WriteWithParents(root.path() + "/.git/HEAD", "ref");
  WriteWithParents(root.path() + "/.howdahignore", "*.log");
  const auto survey = SurveySource(root.path());
  ASSERT_TRUE(survey.ok());
  EXPECT_EQ(survey->files, 4);
  EXPECT_EQ(survey->bytes, 5 + 3 + 100 + 5);
  EXPECT_THAT(survey->children, ElementsAre(Pair("data/", 103), Pair(".howdahignore", 5), Pair("a.py", 5)));
  EXPECT_THAT(survey->left_out, ElementsAre(".git", "data/deep/skipped.log"));
  EXPECT_EQ(survey->rules_file, ".howdahignore");
}

TEST(CopyTree, LeavesOutFilesThatTheFilterSkips) {
  const Scratch root;
  WriteWithParents(root.path() + "/from/a.py", "1");
  WriteWithParents(root.path() + "/from/data/b", "2");
  WriteWithParents(root.path() + "/from/data/c.log", "3");
  WriteWithParents(root.path() + "/from/.git/HEAD", "4");
  WriteWithParents(root.path() + "/from/.howdahignore", "/data/*.log\n");
  ASSERT_TRUE(CopyTree(root.path() + "/from", root.path() + "/to", {}, SkipsOfSource(root.path() + "/from")).ok());
  EXPECT_THAT(*ListDirectory(root.path() + "/to"), ElementsAre(".howdahignore", "a.py", "data"));
  EXPECT_THAT(*ListDirectory(root.path() + "/to/data"), ElementsAre("b"));
}

}  // namespace
}  // namespace howdah::os::files
