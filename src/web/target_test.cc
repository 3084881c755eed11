#include "target.h"

#include <gmock/gmock.h>

namespace howdah::web {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(WebTarget, PathAndQueryAreDecoded) {
  const auto target = ParseTarget("/api/v1/jobs/a%3Ab/logs?q=two+words&x=%e2%82%ac&flag&=&a=b=c&&n=%00");
  ASSERT_TRUE(target.ok()) << target.error().message;
  EXPECT_EQ(target->path, "/api/v1/jobs/a:b/logs");
  EXPECT_THAT(target->query, ElementsAre(Pair("q", "two words"), Pair("x", "€"), Pair("flag", ""), Pair("", ""),
                                         Pair("a", "b=c"), Pair("n", std::string(1, '\0'))));
  EXPECT_EQ(target->query_text, "q=two+words&x=%e2%82%ac&flag&=&a=b=c&&n=%00");
  EXPECT_FALSE(target->authority);
}

TEST(WebTarget, PathKeepsPlusAndEmptySegments) {
  EXPECT_EQ(ParseTarget("/a+b//c/")->path, "/a+b//c/");
  EXPECT_EQ(ParseTarget("/")->path, "/");
  EXPECT_EQ(ParseTarget("/a#b?c")->path, "/a");
}

TEST(WebTarget, AbsoluteFormHasAuthority) {
  const auto target = ParseTarget("HTTP://LocalHost:8190/a?b");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->authority, "localhost:8190");
  EXPECT_EQ(target->path, "/a");
  EXPECT_EQ(ParseTarget("http://example.com")->path, "/");
  EXPECT_EQ(ParseTarget("http://example.com?q=1")->query.size(), 1U);
}

TEST(WebTarget, UnsafeOrMalformedTargetsAreErrors) {
  for (const char* bad : {"",         "*",          "a/b",     "/%",         "/%4",         "/%4g",
                          "/%zz",     "/..",        "/a/../b", "/./a",       "/%2e%2e/etc", "/%2E./x",
                          "/a%2fb",   "/a%2F..%2f", "/a%5cb",  "/a\\b",      "/%00",        "/a%0d%0aX: y",
                          "/%7f",     "/%ff",       "/%c0%ae", "/%ed%a0%80", "/a?b=%",      "/a?%zz=1",
                          "/a?b=%ff", "http:/a",    "ftp:/a",  "/\x01",      "/.%2e/"}) {
    const auto target = ParseTarget(bad);
    ASSERT_FALSE(target.ok()) << bad;
    EXPECT_FALSE(target.error().remedy.empty()) << bad;
  }
}

}  // namespace
}  // namespace howdah::web
