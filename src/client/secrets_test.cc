#include "howdah/client/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::client {
namespace {

using testing::ElementsAre;

TEST(Secrets, SecretVariablesAreRecognisedByWordsOfTheName) {
  for (const char* name : {"HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "wandb_api_key", "DB_PASSWORD", "TOKEN", "Secret",
                           "API_KEY_FILE", "private_key_path", "GOOGLE_CREDENTIALS_JSON", "MYSQL_PASSWD"}) {
    EXPECT_TRUE(LooksSecret(name)) << name;
  }
  for (const char* name : {"", "_", "TOKENIZERS_PARALLELISM", "MONKEY", "KEYS", "OMP_NUM_THREADS", "TOKEN_FILE"}) {
    EXPECT_FALSE(LooksSecret(name)) << name;
  }
}

TEST(Secrets, OnlyValuesOfSecretVariablesAreHidden) {
  jobspec::JobSpec spec;
  spec.env = {{"HF_TOKEN", "a"}, {"SIZE", "b"}};
  spec.roles.emplace_back().env = {{"DB_PASSWORD", "c"}};
  HideSecrets(spec);
  EXPECT_EQ(spec.env, (jobspec::EnvVars{{"HF_TOKEN", "(hidden)"}, {"SIZE", "b"}}));
  EXPECT_EQ(spec.roles[0].env, (jobspec::EnvVars{{"DB_PASSWORD", "(hidden)"}}));
}

TEST(Secrets, HiddenValuesAreRestoredFromTheSameVariableOfTheOriginal) {
  jobspec::JobSpec original;
  original.env = {{"HF_TOKEN", "a"}, {"DB_PASSWORD", "b"}};
  original.roles.emplace_back().name = "worker";
  original.roles[0].env = {{"HF_TOKEN", "c"}};
  jobspec::JobSpec edited = original;
  HideSecrets(edited, "***");
  edited.env[1].second = "changed";
  edited.env.emplace_back("NEW_TOKEN", "***");
  edited.roles.emplace_back().name = "ps";
  edited.roles[1].env = {{"HF_TOKEN", "***"}};
  EXPECT_THAT(RestoreSecrets(edited, original, "***"), ElementsAre("env.NEW_TOKEN", "roles.ps.env.HF_TOKEN"))
      << "they are still hidden";
  EXPECT_EQ(edited.env, (jobspec::EnvVars{{"HF_TOKEN", "a"}, {"DB_PASSWORD", "changed"}, {"NEW_TOKEN", "***"}}));
  EXPECT_EQ(edited.roles[0].env, (jobspec::EnvVars{{"HF_TOKEN", "c"}}));
  EXPECT_EQ(edited.roles[1].env, (jobspec::EnvVars{{"HF_TOKEN", "***"}}));
}

}  // namespace
}  // namespace howdah::client
