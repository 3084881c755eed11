#include "howdah/backend/yarn/am_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

using testing::HasSubstr;

AmStart Everything() {
  return {
      .job = {"application_1700000000000_0001"},
      .staging_uri = "hdfs://ns1/user/ann/.howdah/jobs/application_1700000000000_0001",
      .queue = "root.ml",
      .node_label = "gpu",
      .configuration = "howdah/conf.xml",
      .keep = true,
      .local_resources = {{"howdah-agent",
                           {.uri = "hdfs://ns1/c/a",
                            .size = 9000000,
                            .modified_millis = 1700000000123,
                            .visibility = StagedFile::Visibility::kPublic}},
                          {"env",
                           {.uri = "hdfs://ns1/c/e.tar.gz",
                            .size = 1,
                            .modified_millis = 2,
                            .type = StagedFile::Type::kArchive,
                            .visibility = StagedFile::Visibility::kApplication}},
                          {"train.py", {.uri = "file:///nfs/train.py"}}},
      .only_for = {{"env", {"worker"}}, {"train.py", {"chief", "worker"}}},
      .role_environment = {{"worker", {{"YARN_CONTAINER_RUNTIME_TYPE", "docker"}, {"A", "\"$x'\n"}}}},
      .nodes = {{"node7", 45454, "/rack1", "gpu", {8192, 16, {{"yarn.io/gpu", 4}}}}},
      .resource_types = {"memory-mb", "vcores", "yarn.io/gpu"},
  };
}

TEST(AmStart, WrittenFileIsParsed) {
  const auto read = ParseAmStart(WriteAmStart(Everything()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, Everything());
  const auto empty = ParseAmStart(WriteAmStart({}));
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_EQ(*empty, AmStart());
}

TEST(AmStart, MissingOrUnknownKeyIsNamedInTheError) {
  const auto error = [](const std::string& text) {
    const auto read = ParseAmStart(text);
    return read.ok() ? "read" : read.error().message;
  };
  EXPECT_THAT(error(""), HasSubstr("howdah/am.json"));
  EXPECT_THAT(error("{}"), HasSubstr("job"));
  EXPECT_THAT(error("[]"), HasSubstr("howdah/am.json"));
  std::string text = WriteAmStart(Everything());
  text.replace(text.find("\"queue\""), 7, "\"quene\"");
  EXPECT_THAT(error(text), HasSubstr("queue"));
  for (const char* key : {"size", "timestamp", "memory_mib", "vcores", "yarn.io/gpu", "port"}) {
    std::string fraction = WriteAmStart(Everything());
    const std::string name = "\"" + std::string(key) + "\":";
    ASSERT_NE(fraction.find(name), std::string::npos) << key;
    fraction.replace(fraction.find(name), name.size(), name + "1e300,\"x\":");
    EXPECT_THAT(error(fraction), HasSubstr("howdah/am.json")) << key;
  }
}

}  // namespace
}  // namespace howdah::backend::yarn
