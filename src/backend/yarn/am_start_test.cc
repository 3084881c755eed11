#include "howdah/backend/yarn/am_start.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::backend::yarn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

YarnAmStart Everything() {
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
                            .timestamp = 1700000000123,
                            .visibility = LocalResource::Visibility::kPublic}},
                          {"env",
                           {.uri = "hdfs://ns1/c/e.tar.gz",
                            .size = 1,
                            .timestamp = 2,
                            .type = LocalResource::Type::kArchive,
                            .visibility = LocalResource::Visibility::kApplication}},
                          {"train.py", {.uri = "file:///nfs/train.py"}}},
      .only_for = {{"env", {"worker"}}, {"train.py", {"chief", "worker"}}},
      .role_environment = {{"worker", {{"YARN_CONTAINER_RUNTIME_TYPE", "docker"}, {"A", "\"$x'\n"}}}},
      .nodes = {{"node7", 45454, "/rack1", "gpu", {8192, 16, {{"yarn.io/gpu", 4}}}}},
      .resource_types = {"memory-mb", "vcores", "yarn.io/gpu"},
  };
}

TEST(AmStart, IsReadAsItWasWritten) {
  const auto read = ParseAmStart(WriteAmStart(Everything()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, Everything());
  const auto empty = ParseAmStart(WriteAmStart({}));
  ASSERT_TRUE(empty.ok()) << empty.error().message;
  EXPECT_EQ(*empty, YarnAmStart());
}

TEST(AmStart, WhatIsNoneNamesTheKey) {
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
}

std::optional<std::string> Value(const std::map<std::string, std::string>& all, const std::string& name) {
  const auto it = all.find(name);
  return it == all.end() ? std::nullopt : std::optional(it->second);
}

TEST(ContainerEnvironment, AsANodeManagerSetsIt) {
  const std::map<std::string, std::string> all = {
      {"CONTAINER_ID", "container_e17_1700000000000_0001_02_000001"},
      {"NM_HOST", "node7"},
      {"HADOOP_TOKEN_FILE_LOCATION", "/d/container_tokens"},
      {"LOG_DIRS", "/l1/c,/l2/c"},
      {"LOCAL_DIRS", "/d1/appcache/a"},
      {"USER", "ann"},
      {"APPLICATION_WEB_PROXY_BASE", "/proxy/application_1700000000000_0001"},
  };
  const auto read = ReadContainerEnvironment([&](const std::string& name) { return Value(all, name); });
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->container.attempt, (hadoop::yarn::AttemptId{{1700000000000, 1}, 2}));
  EXPECT_EQ(read->node_host, "node7");
  EXPECT_EQ(read->token_file, "/d/container_tokens");
  EXPECT_THAT(read->log_dirs, ElementsAre("/l1/c", "/l2/c"));
  EXPECT_THAT(read->local_dirs, ElementsAre("/d1/appcache/a"));
  EXPECT_EQ(read->user, "ann");
  EXPECT_EQ(read->proxy_base, "/proxy/application_1700000000000_0001");
}

TEST(ContainerEnvironment, SaysWhatIsMissingOrWrong) {
  const auto none = ReadContainerEnvironment([](const std::string&) { return std::nullopt; });
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message,
              HasSubstr("CONTAINER_ID, NM_HOST, HADOOP_TOKEN_FILE_LOCATION, LOG_DIRS, LOCAL_DIRS"));
  const auto wrong = ReadContainerEnvironment([](const std::string&) { return "x"; });
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("CONTAINER_ID is no id of a container: x"));
}

TEST(LocalResource, UrisAsMessages) {
  struct Row {
    const char *uri, *scheme, *user, *host;
    int port;
    const char* file;
  };
  for (const Row& row :
       {Row{"hdfs://ns1/user/ann/a b#%41.py", "hdfs", "", "ns1", -1, "/user/ann/a b#%41.py"},
        Row{"hdfs://nn.example.com:8020/x", "hdfs", "", "nn.example.com", 8020, "/x"},
        Row{"hdfs://[::1]:8020/x", "hdfs", "", "[::1]", 8020, "/x"},
        Row{"hdfs://[::1]/x", "hdfs", "", "[::1]", -1, "/x"}, Row{"file:///nfs/x", "file", "", "", -1, "/nfs/x"},
        Row{"file:/nfs/x", "file", "", "", -1, "/nfs/x"},
        Row{"abfss://box@account.example.com/x", "abfss", "box", "account.example.com", -1, "/x"},
        Row{"/plain:path", "", "", "", -1, "/plain:path"}}) {
    const auto proto = ToProto(LocalResource{.uri = row.uri});
    EXPECT_EQ(proto.resource().scheme(), row.scheme) << row.uri;
    EXPECT_EQ(proto.resource().userinfo(), row.user) << row.uri;
    EXPECT_EQ(proto.resource().host(), row.host) << row.uri;
    EXPECT_TRUE(proto.resource().has_port()) << row.uri;
    EXPECT_EQ(proto.resource().port(), row.port) << row.uri;
    EXPECT_EQ(proto.resource().file(), row.file) << row.uri;
  }
}

TEST(LocalResource, TypeAndVisibility) {
  const auto proto = ToProto(LocalResource{.uri = "hdfs://n/x",
                                           .size = 7,
                                           .timestamp = 1700000000123,
                                           .type = LocalResource::Type::kArchive,
                                           .visibility = LocalResource::Visibility::kApplication});
  EXPECT_EQ(proto.size(), 7);
  EXPECT_EQ(proto.timestamp(), 1700000000123);
  EXPECT_EQ(proto.type(), ::hadoop::yarn::ARCHIVE);
  EXPECT_EQ(proto.visibility(), ::hadoop::yarn::APPLICATION);
  EXPECT_EQ(ToProto(LocalResource{}).type(), ::hadoop::yarn::FILE);
  EXPECT_EQ(ToProto(LocalResource{}).visibility(), ::hadoop::yarn::PRIVATE);
  EXPECT_EQ(ToProto(LocalResource{.visibility = LocalResource::Visibility::kPublic}).visibility(),
            ::hadoop::yarn::PUBLIC);
}

}  // namespace
}  // namespace howdah::backend::yarn
