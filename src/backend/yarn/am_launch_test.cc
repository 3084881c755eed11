#include "am_launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::yarnplace {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(TaskCommand, IsReadTheSameHoweverOftenBashReadsIt) {
  const std::string command =
      TaskCommand({"application_1700000000000_0001"}, "container_e17_1700000000000_0001_01_000002", "worker-a_1", 3,
                  "[fe80::1]:40123");
  EXPECT_EQ(command,
            "exec ./howdah-agent task --yarn --job application_1700000000000_0001 --container "
            "container_e17_1700000000000_0001_01_000002 --role worker-a_1 --index 3 --am [fe80::1]:40123 "
            "1><LOG_DIR>/agent.stdout 2><LOG_DIR>/agent.stderr");
}

TEST(ExecutorCredentials, NothingOfTheAmsOwn) {
  const hadooprpc::Token am{"a", "b", "YARN_AM_RM_TOKEN", ""}, rm{"a", "b", "RM_DELEGATION_TOKEN", "x"},
      hdfs{"c", "d", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns1"}, kms{"e", "f", "kms-dt", "10.0.0.1:9600"};
  hadooprpc::Credentials all{{{"", am}, {"r", rm}, {"ha-hdfs:ns1", hdfs}, {"k", kms}},
                             {{"howdah.ca", "1"},
                              {"howdah.am.pem", "2"},
                              {"howdah.am.key", "3"},
                              {"howdah.executor.pem", "4"},
                              {"howdah.executor.key", "5"}}};
  const hadooprpc::Credentials given = ExecutorCredentials(all);
  EXPECT_THAT(given.tokens, ElementsAre(Pair("ha-hdfs:ns1", hdfs), Pair("k", kms)));
  EXPECT_THAT(given.secrets,
              ElementsAre(Pair("howdah.ca", "1"), Pair("howdah.executor.key", "5"), Pair("howdah.executor.pem", "4")));
}

TEST(TaskContext, ResourcesEnvironmentAndTokens) {
  YarnAmStart start;
  start.local_resources["howdah-agent"] = {.uri = "hdfs://ns1/c/a", .size = 9, .timestamp = 7};
  start.role_environment["worker"] = {{"A", "1"}, {"B", "2"}};
  const hadooprpc::Credentials credentials{{}, {{"howdah.ca", "x"}}};
  const auto context = TaskContext(start, "worker", "run", credentials);
  ASSERT_EQ(context.localresources_size(), 1);
  EXPECT_EQ(context.localresources(0).key(), "howdah-agent");
  EXPECT_EQ(context.localresources(0).value().timestamp(), 7);
  ASSERT_EQ(context.environment_size(), 2);
  EXPECT_EQ(context.environment(1).key() + "=" + context.environment(1).value(), "B=2");
  EXPECT_THAT(context.command(), ElementsAre("run"));
  const auto read = hadooprpc::ParseCredentials(context.tokens());
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, credentials);
  EXPECT_EQ(TaskContext(start, "ps", "run", credentials).environment_size(), 0);
}

// The names are those of DockerLinuxContainerRuntime's documentation.
TEST(DockerEnvironment, AsYarnsRuntimeReadsIt) {
  EXPECT_THAT(DockerEnvironment({.image = "registry.example.com/ml/torch:2.1"}),
              ElementsAre(Pair("YARN_CONTAINER_RUNTIME_TYPE", "docker"),
                          Pair("YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "registry.example.com/ml/torch:2.1")));
  EXPECT_THAT(
      DockerEnvironment({.image = "i",
                         .network = "host",
                         .mounts = {"/data:/data:ro", "/scratch:/s:rw"},
                         .tmpfs = {"/tmp/x", "/run"},
                         .runtime = "nvidia",
                         .privileged = true}),
      ElementsAre(Pair("YARN_CONTAINER_RUNTIME_TYPE", "docker"), Pair("YARN_CONTAINER_RUNTIME_DOCKER_IMAGE", "i"),
                  Pair("YARN_CONTAINER_RUNTIME_DOCKER_CONTAINER_NETWORK", "host"),
                  Pair("YARN_CONTAINER_RUNTIME_DOCKER_MOUNTS", "/data:/data:ro,/scratch:/s:rw"),
                  Pair("YARN_CONTAINER_RUNTIME_DOCKER_TMPFS_MOUNTS", "/tmp/x,/run"),
                  Pair("YARN_CONTAINER_RUNTIME_DOCKER_RUNTIME", "nvidia"),
                  Pair("YARN_CONTAINER_RUNTIME_DOCKER_RUN_PRIVILEGED_CONTAINER", "true")));
}

}  // namespace
}  // namespace howdah::yarnplace
