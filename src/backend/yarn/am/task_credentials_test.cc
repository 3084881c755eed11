#include "task_credentials.h"

#include <gtest/gtest.h>

#include "howdah/backend/yarn/job_credentials.h"

namespace howdah::backend::yarn::am {
namespace {

using hadoop::rpc::Credentials;
using jobspec::TokenKind;

Credentials OfAm() {
  Credentials credentials;
  const auto add = [&](const std::string& alias, const std::string& kind) {
    credentials.tokens[alias] = {"id", "secret", kind, alias};
  };
  add("", "YARN_AM_RM_TOKEN");
  add("ha-hdfs:ns1", "HDFS_DELEGATION_TOKEN");
  add("10.0.0.7:9600", "kms-dt");
  add("10.0.0.7:8032", "RM_DELEGATION_TOKEN");
  add("hive", "HIVE_DELEGATION_TOKEN");
  add("registry", "DOCKER_CLIENT_CREDENTIAL_TOKEN");
  EmbedFile(credentials, EmbedFor::kAll, "job.json", "job");
  EmbedFile(credentials, EmbedFor::kAm, "am.json", "am");
  AddIdentity(credentials, "am", {});
  AddIdentity(credentials, "executor", {});
  credentials.secrets["password.of.user"] = "x";
  return credentials;
}

template <typename T>
std::vector<std::string> AliasesOf(const std::map<std::string, T>& entries) {
  std::vector<std::string> aliases;
  for (const auto& [alias, entry] : entries) aliases.push_back(alias);
  return aliases;
}

TEST(TaskCredentials, RulesDecideWhichTokensReachExecutorAndTask) {
  using Aliases = std::vector<std::string>;
  struct Case {
    jobspec::TokenRules rules;
    Aliases executor, task;
  };
  const std::string hdfs = "ha-hdfs:ns1", kms = "10.0.0.7:9600", rm = "10.0.0.7:8032", docker = "registry";
  const Case cases[] = {
      {{}, {kms, hdfs, "hive", docker}, {kms, hdfs, "hive"}},
      {{.to_tasks = {}, .files = {}}, {kms, hdfs, "hive", docker}, {"hive"}},
      {{.to_tasks = {TokenKind::kRm}, .files = {}}, {rm, kms, hdfs, "hive", docker}, {rm, "hive"}},
      {{.to_tasks = {TokenKind::kHdfs, TokenKind::kRm}, .files = {}},
       {rm, kms, hdfs, "hive", docker},
       {rm, hdfs, "hive"}},
  };
  for (const Case& c : cases) {
    const Credentials of_executor = ExecutorCredentials(OfAm(), c.rules);
    EXPECT_EQ(AliasesOf(of_executor.tokens), c.executor);
    EXPECT_EQ(AliasesOf(TaskCredentials(of_executor, c.rules).tokens), c.task);
  }
}

TEST(TaskCredentials, ExecutorGetsNoSecretOfTheAmAndTheTaskNoneOfHowdah) {
  const Credentials of_executor = ExecutorCredentials(OfAm(), {});
  EXPECT_EQ(AliasesOf(of_executor.secrets),
            (std::vector<std::string>{"howdah.ca", "howdah.executor.key", "howdah.executor.pem", "howdah.file.job.json",
                                      "password.of.user"}));
  EXPECT_EQ(AliasesOf(TaskCredentials(of_executor, {}).secrets), (std::vector<std::string>{"password.of.user"}));
}

}  // namespace
}  // namespace howdah::backend::yarn::am
