#include "howdah/backend/yarn/token_lifetime.h"

#include <gtest/gtest.h>

#include "howdah/base/epoch.h"
#include "howdah/hadoop/messages/yarn.pb.h"
#include "howdah/hadoop/rpc/token_identifier.h"

namespace howdah::backend::yarn {
namespace {

using hadoop::rpc::Credentials;
using hadoop::rpc::Token;

Instant Hour(int hours) { return FromMillis(1'790'000'000'000) + std::chrono::hours(hours); }

Token OfRm(Instant expires, const std::string& renewer) {
  ::hadoop::yarn::YARNDelegationTokenIdentifierProto identifier;
  identifier.set_owner("ann@EXAMPLE.COM");
  identifier.set_renewer(renewer);
  identifier.set_issuedate(Hour(0).time_since_epoch().count() / 1000);
  identifier.set_maxdate(expires.time_since_epoch().count() / 1000);
  return {identifier.SerializeAsString(), "password", hadoop::rpc::kRmToken, "10.0.0.7:8032"};
}

TEST(TokenLifetime, FirstTokenToEndDecides) {
  EXPECT_FALSE(LifetimeOf({}));
  Credentials credentials;
  credentials.tokens["hive"] = {"identifier", "password", "HIVE_DELEGATION_TOKEN", "hive"};
  EXPECT_FALSE(LifetimeOf(credentials)) << "only the issuer of this kind knows its lifetime";
  credentials.tokens["a"] = OfRm(Hour(168), "rm");
  credentials.tokens["b"] = OfRm(Hour(100), "rm");
  auto issued = LifetimeOf(credentials);
  ASSERT_TRUE(issued);
  EXPECT_EQ(issued->until, Hour(100));
  EXPECT_EQ(issued->by, core::kRenewedByRm);
  EXPECT_FALSE(issued->renewed);
  EXPECT_EQ(OldestIssue(credentials), Hour(0));
  EXPECT_FALSE(OldestIssue({}));
  credentials.tokens["c"] = OfRm(Hour(200), "");
  issued = LifetimeOf(credentials);
  EXPECT_EQ(issued->until, Hour(100));
  EXPECT_EQ(issued->by, "") << "a token without a renewer";
}

TEST(TokenLifetime, TokenThatIsNotRenewedIsDescribed) {
  Credentials credentials;
  credentials.tokens["a"] = OfRm(Hour(168), "yarn");
  EXPECT_EQ(WhyTokenIsNotRenewed("the queue is stopped", credentials), "");
  const std::string why = WhyTokenIsNotRenewed(
      "Failed to renew token: Kind: RM_DELEGATION_TOKEN, Service: 10.0.0.7:8032, Ident: (…)", credentials);
  EXPECT_NE(
      why.find("it has refused the token RM_DELEGATION_TOKEN of 10.0.0.7:8032 (owner ann@EXAMPLE.COM, renewer yarn,"),
      std::string::npos)
      << why;
  EXPECT_EQ(WhyTokenIsNotRenewed("Failed to renew token: Kind: kms-dt, Service: x, Ident: (…)", credentials)
                .find("it has refused"),
            std::string::npos);
}

TEST(TokenLifetime, NewerTokensReplaceThoseWithTheSameAlias) {
  Credentials credentials;
  credentials.tokens["a"] = OfRm(Hour(168), "rm");
  credentials.tokens["hive"] = {"identifier", "password", "HIVE_DELEGATION_TOKEN", "hive"};
  credentials.secrets["own"] = "secret";
  Credentials newer;
  newer.tokens["a"] = OfRm(Hour(300), "rm");
  newer.secrets["other"] = "secret";
  const core::TokensIssued issued{Hour(190), core::kRenewedByClient, true};
  EXPECT_EQ(LifetimeOf(NewerTokens(newer, issued))->until, Hour(190)) << "not the end of their maximum lifetime";
  const Credentials both = WithNewerTokens(credentials, NewerTokens(newer, issued));
  EXPECT_EQ(both.tokens.at("a"), newer.tokens.at("a"));
  EXPECT_EQ(both.tokens.at("hive"), credentials.tokens.at("hive"));
  EXPECT_EQ(both.secrets.at("own"), "secret");
  EXPECT_FALSE(both.secrets.contains("other"));
  const auto lifetime = LifetimeOf(both);
  ASSERT_TRUE(lifetime);
  EXPECT_EQ(lifetime->until, issued.until);
  EXPECT_EQ(lifetime->by, issued.by);
  EXPECT_TRUE(lifetime->renewed);
}

}  // namespace
}  // namespace howdah::backend::yarn
