#include "howdah/hadoop/principals/principal.h"

#include <gtest/gtest.h>

namespace howdah::hadoop::principals {
namespace {

TEST(Principal, PartsAreSeparated) {
  EXPECT_EQ(*ParsePrincipal("alice@EXAMPLE.COM"), (Principal{"alice", "", "EXAMPLE.COM"}));
  EXPECT_EQ(*ParsePrincipal("nn/host.example.com@EXAMPLE.COM"), (Principal{"nn", "host.example.com", "EXAMPLE.COM"}));
  EXPECT_EQ(*ParsePrincipal("nn/_HOST"), (Principal{"nn", "_HOST", ""}));
  EXPECT_EQ(*ParsePrincipal("alice"), (Principal{"alice", "", ""}));
}

TEST(Principal, TextRestoresThePrincipal) {
  for (const char* text : {"alice", "alice@R", "nn/h@R", "nn/h"}) EXPECT_EQ(ParsePrincipal(text)->Text(), text);
}

TEST(Principal, OtherTextsAreUsageErrors) {
  for (const std::string text : {"", "@R", "alice@", "a/@R", "/h@R", "a/b/c@R", "a b@R", "a@b@R", "a\\/b@R", "a\n@R"}) {
    const auto parsed = ParsePrincipal(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_NE(parsed.error().message.find("'" + text + "'"), std::string::npos);
  }
}

}  // namespace
}  // namespace howdah::hadoop::principals
