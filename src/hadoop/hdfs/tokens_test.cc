#include "tokens.h"

#include <gtest/gtest.h>

namespace howdah::hadoop::hdfs {
namespace {

TEST(Tokens, LookupUsesServiceNameOfToken) {
  hadoop::rpc::Credentials credentials;
  int number = 0;
  for (const char* service : {"ha-hdfs:ns1", "127.0.0.1:8020", "nn.example.com:8020", "127.0.0.1:9000"}) {
    credentials.tokens[service] = {std::to_string(number++), "secret", "HDFS_DELEGATION_TOKEN", service};
  }
  credentials.tokens["ns2"] = {"other", "secret", "YARN_AM_RM_TOKEN", "ha-hdfs:ns2"};
  struct Case {
    std::string authority;
    bool logical;
    std::string host;
    uint16_t port;
    std::string identifier;  // empty if no token matches
  };
  const Case cases[] = {{"ns1", true, "a", 8020, "0"},
                        {"ns2", true, "a", 8020, ""},
                        {"127.0.0.1", false, "127.0.0.1", 8020, "1"},
                        {"nn.example.com", false, "nn.example.com", 8020, "2"},
                        {"localhost:9000", false, "localhost", 9000, "3"},
                        {"127.0.0.1:1", false, "127.0.0.1", 1, ""}};
  for (const Case& c : cases) {
    const hadoop::conf::FileSystemAddress address{"hdfs", c.authority, c.logical, {{"", {c.host, c.port}, "here"}}};
    const auto token = TokenOf(address, credentials, std::chrono::seconds(5));
    EXPECT_EQ(token ? token->identifier : "", c.identifier) << c.authority;
  }
}

TEST(Tokens, ServiceIsThatOfJavasClients) {
  hadoop::conf::Configuration configuration({nullptr, "ann", "/home/ann"});
  const hadoop::conf::FileSystemAddress logical{"hdfs", "ns1", true, {{"nn1", {"a", 8020}, "here"}}};
  const hadoop::conf::FileSystemAddress single{"hdfs", "LocalHost:9000", false, {{"", {"LocalHost", 9000}, "here"}}};
  constexpr Duration kLimit = std::chrono::seconds(5);
  EXPECT_EQ(*ServiceOf(configuration, logical, kLimit), "ha-hdfs:ns1");
  EXPECT_EQ(*ServiceOf(configuration, single, kLimit), "127.0.0.1:9000");
  configuration.Set("hadoop.security.token.service.use_ip", "false", "site.xml");
  EXPECT_EQ(*ServiceOf(configuration, single, kLimit), "localhost:9000");
}

// Without a user name in the login, the client refuses servers that require no authentication.
TEST(Tokens, LoginWithTokenOnClusterWithKerberosNamesNoUser) {
  hadoop::conf::Configuration configuration({nullptr, "ann", "/home/ann"});
  const hadoop::rpc::Token token{"id", "secret", "HDFS_DELEGATION_TOKEN", "ha-hdfs:ns1"};
  EXPECT_EQ(LoginOf(configuration, "ann", token, std::nullopt)->user, "ann");
  configuration.Set("hadoop.security.authentication", "kerberos", "site.xml");
  const auto login = LoginOf(configuration, "ann", token, std::nullopt);
  ASSERT_TRUE(login.ok());
  EXPECT_EQ(login->user, "");
  EXPECT_EQ(login->token->identifier, "id");
  EXPECT_EQ(LoginOf(configuration, "ann", std::nullopt, std::nullopt)->user, "ann");
}

TEST(Tokens, LoginWithKerberosRequiresTheConfiguredPrincipalAndProtection) {
  hadoop::conf::Configuration configuration({nullptr, "ann", "/home/ann"});
  configuration.Set("hadoop.security.authentication", "kerberos", "site.xml");
  configuration.Set("hadoop.rpc.protection", "privacy,integrity", "site.xml");
  configuration.Set("dfs.namenode.kerberos.principal", "nn/_HOST@R", "site.xml");
  const hadoop::rpc::KerberosLogin kerberos{.login = nullptr, .server = {}, .weakest_from = {}, .on_behalf_of = "bob"};
  const auto login = LoginOf(configuration, "ann", std::nullopt, kerberos);
  ASSERT_TRUE(login.ok());
  EXPECT_EQ(login->user, "") << "a server without authentication is refused";
  EXPECT_NE(login->why_not_simple, "");
  EXPECT_EQ(login->kerberos->server.principal, "nn/_HOST@R");
  EXPECT_EQ(login->kerberos->weakest, hadoop::principals::Protection::kIntegrity);
  EXPECT_EQ(login->kerberos->on_behalf_of, "bob");
  configuration.Set("ipc.client.fallback-to-simple-auth-allowed", "true", "site.xml");
  EXPECT_EQ(LoginOf(configuration, "ann", std::nullopt, kerberos)->user, "ann");
  configuration.Set("hadoop.rpc.protection", "secret", "site.xml");
  EXPECT_EQ(LoginOf(configuration, "ann", std::nullopt, kerberos).error().code, ErrorCode::kUsage);
}

TEST(Tokens, HostNameIsNotResolvedWithoutTokens) {
  const hadoop::conf::FileSystemAddress address{"hdfs", "x", false, {{"", "no-such-host.invalid", 1, "here"}}};
  EXPECT_FALSE(TokenOf(address, {}, std::chrono::seconds(5)));
}

}  // namespace
}  // namespace howdah::hadoop::hdfs
