#include "howdah/os/files/glob.h"

#include <gtest/gtest.h>

#include <string>

namespace howdah::os::files {
namespace {

TEST(MatchesGlob, FollowsTheRulesOfGit) {
  struct Case {
    std::string pattern, path;
    bool matches;
  };
  const Case cases[] = {
      {"a.pt", "a.pt", true},
      {"*.pt", "a.pt", true},
      {"*.pt", "out/a.pt", false},
      {"out/*.pt", "out/a.pt", true},
      {"out/*", "out/a/b", false},
      {"out/**", "out/a/b", true},
      {"out/**", "out", false},
      {"**/a.pt", "a.pt", true},
      {"**/a.pt", "x/y/a.pt", true},
      {"x/**/a.pt", "x/a.pt", true},
      {"x/**/a.pt", "x/y/z/a.pt", true},
      {"x/**/a.pt", "y/x/a.pt", false},
      {"**", "a/b/c", true},
      {"out/", "out", true},
      {"./out", "out", false},
      {"?.txt", "a.txt", true},
      {"?.txt", "ab.txt", false},
      {"[a-c].txt", "b.txt", true},
      {"[!a-c].txt", "b.txt", false},
      {"\\*.txt", "a.txt", false},
      {"\\*.txt", "*.txt", true},
      {"*", ".hidden", true},
      {"a**b", "axxb", true},
      {"*a*b*", "xaxbx", true},
      {"*a*b", "xbxa", false},
      {"a*b*c", "abbbcbc", true},
      {"a*", "a", true},
      {"a?*", "a", false},
      {"[]]", "]", true},
      {"[!]a]", "b", true},
      {"[!]a]", "]", false},
      {"[[:digit:]x].pt", "7.pt", true},
      {"[[:digit:]x].pt", "x.pt", true},
      {"[[:digit:]x].pt", ":.pt", false},
      {"[\\]]", "]", true},
      {"[a", "[a", true},
      {"a\\", "a\\", false},
      {"", "a", false},
      {"", "", true},
  };
  for (const Case& c : cases) EXPECT_EQ(MatchesGlob(c.pattern, c.path), c.matches) << c.pattern << "  " << c.path;
}

TEST(MatchesGlob, ManyWildcardsNeedNoExponentialTime) {
  std::string pattern = "z", path = "z";
  for (int i = 0; i < 200; ++i) {
    pattern = "**/a/" + pattern;
    path = "a/" + path;
  }
  EXPECT_TRUE(MatchesGlob(pattern, path));
  EXPECT_FALSE(MatchesGlob(pattern + "/y", path));
  std::string stars;
  for (int i = 0; i < 30; ++i) stars += "*a";
  EXPECT_TRUE(MatchesGlob(stars, std::string(255, 'a')));
  EXPECT_FALSE(MatchesGlob(stars + "*b", std::string(255, 'a')));
}

}  // namespace
}  // namespace howdah::os::files
