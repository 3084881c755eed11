#include "docker_logins.h"

#include <gtest/gtest.h>

namespace howdah::backend::yarn::client {
namespace {

// The identifier consists of the fields 1 (0x0a) and 2 (0x12), each with its length.
TEST(DockerLogins, EachLoginBecomesAToken) {
  const auto logins =
      DockerLogins(R"({"auths": {"registry.example.com": {"auth": "YW5uOnNlY3JldA=="}, "other.example.com": {}}})",
                   "application_1_0002");
  ASSERT_TRUE(logins.ok()) << logins.error().message;
  ASSERT_EQ(logins->tokens.size(), 1u);
  const auto& [alias, token] = *logins->tokens.begin();
  EXPECT_EQ(alias, "registry.example.com-application_1_0002");
  EXPECT_EQ(token.identifier,
            "\x0a\x14registry.example.com\x12\x12"
            "application_1_0002");
  EXPECT_EQ(token.password, "YW5uOnNlY3JldA==");
  EXPECT_EQ(token.kind, "DOCKER_CLIENT_CREDENTIAL_TOKEN");
  EXPECT_EQ(token.service, "registry.example.com");
}

TEST(DockerLogins, FileWithoutLoginsIsRefused) {
  const std::string none =
      "docker.client_config has no login; its logins may be in a credential helper (credsStore): remove that key from "
      "the file, and run `docker login` again";
  const struct {
    const char* text;
    std::string message;
  } rows[] = {
      {"[]", "docker.client_config is not a JSON object; name docker's config.json"},
      {"auths", "docker.client_config is not a JSON object; name docker's config.json"},
      {"{}", none},
      {R"({"auths": []})", none},
      {R"({"auths": {"registry.example.com": {}}, "credsStore": "secretservice"})", none},
      {R"({"auths": {"registry.example.com": {"auth": 7}}})", none},
  };
  for (const auto& row : rows) {
    const auto logins = DockerLogins(row.text, "application_1_0002");
    ASSERT_FALSE(logins.ok()) << row.text;
    EXPECT_EQ(logins.error().code, ErrorCode::kUsage);
    EXPECT_EQ(logins.error().message, row.message);
  }
}

}  // namespace
}  // namespace howdah::backend::yarn::client
