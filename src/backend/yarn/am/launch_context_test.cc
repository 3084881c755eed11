#include "launch_context.h"

#include <gtest/gtest.h>

#include "howdah/backend/yarn/job_credentials.h"

namespace howdah::backend::yarn::am {
namespace {

TEST(LaunchContext, TasksGetTheCommonFilesButNotTheSecretsOfTheAm) {
  hadoop::rpc::Credentials of_am;
  EmbedFile(of_am, EmbedFor::kAll, "job.json", "job");
  EmbedFile(of_am, EmbedFor::kAm, "am.json", "am");
  of_am.tokens["ha-hdfs:ns1"] = {"id", "secret", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns1"};
  of_am.tokens["10.0.0.7:8032"] = {"id", "secret", "RM_DELEGATION_TOKEN", "10.0.0.7:8032"};
  AddIdentity(of_am, "am", {});
  AddIdentity(of_am, "executor", {});
  const auto context = LaunchContext({}, of_am, {{"container_1_1_01_000002"}, "worker", 0, "10.0.0.7:1"});
  const auto of_task = hadoop::rpc::ParseCredentials(context.tokens());
  ASSERT_TRUE(of_task.ok()) << of_task.error().message;
  EXPECT_TRUE(FindIdentity(*of_task, "executor").ok());
  EXPECT_FALSE(FindIdentity(*of_task, "am").ok());
  EXPECT_TRUE(of_task->secrets.contains("howdah.file.job.json"));
  EXPECT_FALSE(of_task->secrets.contains("howdah.am.file.am.json"));
  EXPECT_TRUE(of_task->tokens.contains("ha-hdfs:ns1"));
  EXPECT_FALSE(of_task->tokens.contains("10.0.0.7:8032")) << "a task could end all applications of the user";
}

}  // namespace
}  // namespace howdah::backend::yarn::am
