#include "text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::diagnosis {
namespace {

using testing::ElementsAre;

TEST(Text, EscapesAreRemovedAndInvalidBytesReplaced) {
  EXPECT_THAT(CleanLines(""), ElementsAre());
  EXPECT_THAT(CleanLines("a\n\n  b  \nc"), ElementsAre("a", "", "  b", "c"));
  EXPECT_THAT(CleanLines("\x1b[1;31mred\x1b[0m\x1b]0;title\a.\x1b(B\x07!\n"), ElementsAre("red.B!"));
  EXPECT_THAT(CleanLines("10%\r50%\r100%\r\nnext\r\n"), ElementsAre("100%", "next"));
  EXPECT_THAT(CleanLines("\tx\xff\xc3\xa4\xc3\xed\xa0\x80y\x1b["),
              ElementsAre(" x\uFFFD\u00e4\uFFFD\uFFFD\uFFFD\uFFFDy"));
}

TEST(Text, ShortenCutsAtCharacterBoundary) {
  EXPECT_EQ(Shorten("abc", 3), "abc");
  EXPECT_EQ(Shorten("abcdefgh", 6), "abc…");
  EXPECT_EQ(Shorten("aää_____", 6), "aä…");
  EXPECT_EQ(Shorten("aää_____", 7), "aä…");
}

TEST(Text, NearestFindsSimilarNameOnly) {
  const std::vector<std::string> names = {"train.py", "eval.py", "run.sh"};
  const struct {
    const char* wanted;
    std::optional<std::string> nearest;
  } rows[] = {{"trian.py", "train.py"}, {"Run.sh", "run.sh"},  {"evals.py", "eval.py"}, {"zebra.txt", std::nullopt},
              {"", std::nullopt},       {"run", std::nullopt}, {"x", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(Nearest(row.wanted, names), row.nearest) << row.wanted;
  EXPECT_EQ(Nearest(std::string(100000, 'a'), {std::string(100000, 'a')}), std::nullopt);
}

}  // namespace
}  // namespace howdah::diagnosis
