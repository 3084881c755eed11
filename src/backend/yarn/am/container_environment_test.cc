#include "container_environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace howdah::backend::yarn::am {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<std::string> Value(const std::map<std::string, std::string>& all, const std::string& name) {
  const auto it = all.find(name);
  return it == all.end() ? std::nullopt : std::optional(it->second);
}

TEST(ContainerEnvironment, AllVariablesOfANodeManagerAreRead) {
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

TEST(ContainerEnvironment, ErrorNamesMissingAndMalformedVariables) {
  const auto none = ReadContainerEnvironment([](const std::string&) { return std::nullopt; });
  ASSERT_FALSE(none.ok());
  EXPECT_THAT(none.error().message,
              HasSubstr("CONTAINER_ID, NM_HOST, HADOOP_TOKEN_FILE_LOCATION, LOG_DIRS, LOCAL_DIRS"));
  const auto wrong = ReadContainerEnvironment([](const std::string&) { return "x"; });
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, HasSubstr("invalid container id in CONTAINER_ID: 'x'"));
}

}  // namespace
}  // namespace howdah::backend::yarn::am
