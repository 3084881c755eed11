#include "howdah/compat/tony/config/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::compat::tony::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Flags, NameTakesOneOrTwoDashesAndValueFollowsSpaceOrEqualsSign) {
  const auto flags =
      ParseFlags({"-src_dir", "src", "--executes=python a.py --lr=1", "-conf=tony.worker.instances=2", "--conf",
                  "tony.x=a=b", "-shell_env", "A", "--container_env", "B=1", "--hdfs_classpath", "/a,,/b", "-debug",
                  "--task_params", "--epochs 3", "-python_binary_path", "\"bin/python\""});
  ASSERT_TRUE(flags.ok()) << flags.error().message;
  EXPECT_EQ(flags->submitter, Submitter::kCluster);
  EXPECT_EQ(flags->src_dir, "src");
  EXPECT_EQ(flags->executes, "python a.py --lr=1");
  EXPECT_THAT(flags->conf, ElementsAre(Pair("tony.worker.instances", "2"), Pair("tony.x", "a=b")));
  EXPECT_THAT(flags->shell_env, ElementsAre(Pair("A", "")));
  EXPECT_THAT(flags->container_env, ElementsAre(Pair("B", "1")));
  EXPECT_THAT(flags->hdfs_classpath, ElementsAre("/a", "/b"));
  EXPECT_EQ(flags->task_params, "--epochs 3");
  EXPECT_EQ(flags->python_binary_path, "bin/python");
  EXPECT_TRUE(flags->debug);
}

TEST(Flags, FirstWordSelectsSubmitter) {
  const struct {
    const char* word;
    Submitter submitter;
  } rows[] = {{"ClusterSubmitter", Submitter::kCluster},
              {"com.linkedin.tony.cli.ClusterSubmitter", Submitter::kCluster},
              {"com.linkedin.tony.TonyClient", Submitter::kCluster},
              {"LocalSubmitter", Submitter::kLocal},
              {"com.linkedin.tony.cli.NotebookSubmitter", Submitter::kNotebook}};
  for (const auto& row : rows) {
    const auto flags = ParseFlags({row.word, "-executes", "x"});
    ASSERT_TRUE(flags.ok()) << row.word;
    EXPECT_EQ(flags->submitter, row.submitter) << row.word;
    EXPECT_EQ(flags->executes, "x");
  }
}

TEST(Flags, UnknownFlagsAndWordsAreErrors) {
  const struct {
    std::vector<std::string> words;
    const char* error;
  } rows[] = {
      {{"-exectues", "x"},
       "unknown flag '-exectues' (TonY would ignore it and everything after it); did you mean '-executes'?"},
      {{"--zzz=1"}, "unknown flag '--zzz=1'"},
      {{"-executes", "python", "train.py"},
       "'train.py' is neither a flag nor the value of one (TonY would ignore it and everything after it); put quotes"},
      {{"HdfsSubmitter"}, "or start with ClusterSubmitter, LocalSubmitter or NotebookSubmitter"},
      {{"-src_dir"}, "-src_dir needs a value; write -src_dir PATH"},
      {{"-src_dir", "-executes", "x"}, "-src_dir needs a value"},
      {{"-plan=1"}, "-plan takes no value; remove '=1'"},
  };
  for (const auto& row : rows) {
    const auto flags = ParseFlags(row.words);
    ASSERT_FALSE(flags.ok()) << row.error;
    EXPECT_EQ(flags.error().code, ErrorCode::kUsage);
    EXPECT_THAT(flags.error().message, HasSubstr(row.error));
  }
}

TEST(Flags, HelpListsAllFlags) {
  for (const char* name : {"-executes COMMAND", "-src_dir PATH", "-conf NAME=VALUE", "-print-job", "-help"}) {
    EXPECT_THAT(FlagsHelp(), HasSubstr(name));
  }
}

}  // namespace
}  // namespace howdah::compat::tony::config
