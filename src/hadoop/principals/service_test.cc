#include "howdah/hadoop/principals/service.h"

#include <gtest/gtest.h>

#include "howdah/hadoop/principals/protection.h"

namespace howdah::hadoop::principals {
namespace {

constexpr const char* kKey = "yarn.resourcemanager.principal";

Result<Principal> Check(const std::string& configured, const Advertised& advertised,
                        const std::optional<std::string>& pattern = std::nullopt) {
  return ServicePrincipal({kKey, std::string(kKey) + " in yarn-site.xml", configured, pattern}, advertised,
                          {"RM1", "rm1.example.com"}, "RM1:8032 (10.0.0.7)", "EXAMPLE.COM");
}

std::string Why(const Result<Principal>& result) { return result ? result->Text() : result.error().message; }

TEST(ServicePrincipal, HostStandsForTheNamesOfTheServer) {
  EXPECT_EQ(Why(Check("rm/_HOST@R", {"rm", "rm1.example.com"})), "rm/rm1.example.com@R");
  EXPECT_EQ(Why(Check("rm/_HOST@R", {"rm", "rm1"})), "rm/rm1@R");
  EXPECT_EQ(Why(Check("rm/fixed@R", {"rm", "fixed"})), "rm/fixed@R");
  EXPECT_EQ(Why(Check("rm/fixed", {"rm", "fixed"})), "rm/fixed@EXAMPLE.COM");
}

TEST(ServicePrincipal, OtherPrincipalsAreRefused) {
  const std::string error = Why(Check("rm/_HOST@R", {"rm", "evil.example.com"}));
  for (const char* part :
       {"rm/evil.example.com", "rm/_HOST@R", kKey, "_HOST stands for rm1 or rm1.example.com", "RM1:8032 (10.0.0.7)"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  EXPECT_FALSE(Check("rm/_HOST@R", {"nn", "rm1.example.com"}));
  EXPECT_FALSE(Check("rm/fixed@R", {"rm", "rm1.example.com"}));
  EXPECT_FALSE(Check("", {"rm", "rm1"}));
  EXPECT_FALSE(Check("rm@R", {"rm", "rm1"}));
  EXPECT_FALSE(Check("rm/_HOST@R", {"rm", ""}));
  EXPECT_FALSE(Check("rm/_HOST@R", {"rm", "a/b"}));
}

TEST(ServicePrincipal, PatternIsUsedInsteadOfTheName) {
  EXPECT_EQ(Why(Check("rm/_HOST@R", {"nn", "other.example.com"}, "*")), "nn/other.example.com@EXAMPLE.COM");
  EXPECT_EQ(Why(Check("", {"rm", "a.example.com"}, "rm/*.example.com@EXAMPLE.COM")), "rm/a.example.com@EXAMPLE.COM");
  const std::string error = Why(Check("rm/_HOST@R", {"rm", "rm1"}, "rm/*.example.com@*"));
  EXPECT_NE(error.find("yarn.resourcemanager.principal.pattern, 'rm/*.example.com@*'"), std::string::npos) << error;
  EXPECT_FALSE(Check("rm/_HOST@R", {"rm", "rm1"}, "rm/[@R"));
}

TEST(MatchesGlob, FollowsHadoop) {
  struct Row {
    const char *glob, *text;
    bool matches;
  };
  for (const Row& row : {Row{"*", "", true},
                         {"a*c", "abbc", true},
                         {"a?c", "ac", false},
                         {"a.c", "abc", false},
                         {"{ab,cd}/x", "cd/x", true},
                         {"[a-c]x", "bx", true},
                         {"[^a-c]x", "bx", false},
                         {"[!a-c]x", "dx", true},
                         {"a\\*", "a*", true},
                         {"a\\*", "ab", false},
                         {"a+", "a+", true}}) {
    EXPECT_EQ(MatchesGlob(row.glob, row.text), row.matches) << row.glob << " of " << row.text;
  }
  for (const char* invalid : {"[a", "{a", "a\\"}) EXPECT_EQ(MatchesGlob(invalid, "a"), std::nullopt) << invalid;
}

TEST(Protection, WeakestOfAListIsFound) {
  EXPECT_EQ(*WeakestOf({"privacy", "integrity"}), Protection::kIntegrity);
  EXPECT_EQ(*WeakestOf({"PRIVACY"}), Protection::kPrivacy);
  EXPECT_EQ(*WeakestOf({"privacy", "authentication"}), Protection::kAuthentication);
  EXPECT_EQ(WeakestOf({"privacy", "secret"}).error().code, ErrorCode::kUsage);
  EXPECT_FALSE(WeakestOf({}));
  EXPECT_EQ(OffersText(5), "authentication, privacy");
  EXPECT_EQ(OffersText(0), "nothing");
}

}  // namespace
}  // namespace howdah::hadoop::principals
