#include "howdah/base/text.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(Text, TrimRemovesBlanksAtBothEnds) {
  const struct {
    const char *text, *trimmed;
  } rows[] = {{"", ""}, {" \t\r\n\f\v", ""}, {"a", "a"}, {"  a b\t\n", "a b"}, {"\va\f", "a"}};
  for (const auto& row : rows) EXPECT_EQ(Trim(row.text), row.trimmed) << row.text;
}

TEST(Text, OneLineReplacesLineBreaksAndCutsBetweenCharacters) {
  const struct {
    std::string text;
    size_t limit;
    const char* line;
  } rows[] = {{"", 10, ""},
              {"a\n\tb \x7f c\n", 20, "a b c"},
              {"  \n ", 20, ""},
              {"0123456789", 10, "0123456789"},
              {"0123456789a", 10, "0123456..."},
              {"012345 789a", 10, "012345..."},
              {"ab€€", 7, "ab..."},
              {"ab€€", 8, "ab€€"},
              {"a\u009b\x1b b\u0085", 20, "a b"},
              {"a\xff", 20, "a?"},
              {"many words", std::string_view::npos, "many words"}};
  for (const auto& row : rows) EXPECT_EQ(OneLine(row.text, row.limit), row.line) << row.text;
}

TEST(Text, ShownReplacesTerminalControlCharacters) {
  const struct {
    std::string text;
    const char* shown;
  } rows[] = {{"", ""},
              {"plain  text, é € \U0001F600 ~", "plain  text, é € \U0001F600 ~"},
              {"\x1b]0;title\x07 \x1b[31mred", " ]0;title   [31mred"},
              {"a\nb\r\tc\x7f", "a b  c "},
              {std::string("a\0b", 3), "a b"},
              {"a\u0080b\u009b31mc\u009f\u00a0", "a b 31mc \u00a0"},
              {"a\u2028b\u2029c", "a b c"},
              {"\u202eevil\u2069", " evil "},
              {"\x9b"
               "31m \xc2 \xff",
               "?31m ? ?"}};
  for (const auto& row : rows) {
    EXPECT_EQ(Shown(row.text), row.shown) << row.text;
    EXPECT_LE(Shown(row.text).size(), row.text.size());
  }
}

TEST(Text, FirstLineEndsBeforeLineBreak) {
  const struct { const char *text, *line; } rows[] = {{"", ""}, {"one", "one"}, {"one\ntwo\n", "one"}, {"\ntwo", ""}};
  for (const auto& row : rows) EXPECT_EQ(FirstLine(row.text), row.line) << row.text;
}

TEST(Text, ShortenCutsAtCharacterBoundary) {
  const struct {
    const char* text;
    size_t limit;
    const char* shortened;
  } rows[] = {{"abc", 3, "abc"}, {"abcd", 3, "…"}, {"abcdef", 5, "ab…"}, {"aé€z", 6, "aé…"}, {"€€€", 8, "€…"}};
  for (const auto& row : rows) EXPECT_EQ(Shorten(row.text, row.limit), row.shortened) << row.text;
}

TEST(Text, LowerCaseChangesAsciiOnly) {
  EXPECT_EQ(LowerCase("Abc-XYZ 09"), "abc-xyz 09");
  EXPECT_EQ(LowerCase("ÄÉ"), "ÄÉ");
}

TEST(Text, HexHasTwoDigitsPerByte) { EXPECT_EQ(Hex(std::string_view("\0\x0a\xff", 3)), "000aff"); }

TEST(Text, CountOfChoosesSingularOrPlural) {
  EXPECT_EQ(CountOf(0, "task"), "0 tasks");
  EXPECT_EQ(CountOf(1, "task"), "1 task");
  EXPECT_EQ(CountOf(-1, "task"), "-1 tasks");
  EXPECT_EQ(CountOf(2, "entry", "entries"), "2 entries");
  EXPECT_EQ(CountOf(1, "entry", "entries"), "1 entry");
}

TEST(Text, Utf8CharacterSizeRejectsInvalidBytes) {
  const struct {
    const char* text;
    size_t size;
  } rows[] = {{"", 0},
              {"a", 1},
              {"é", 2},
              {"€uro", 3},
              {"\U0001F600", 4},
              {"\x80", 0},
              {"\xc0\x80", 0},
              {"\xc3", 0},
              {"\xc3(", 0},
              {"\xe0\x80\x80", 0},
              {"\xed\xa0\x80", 0},
              {"\xf4\x90\x80\x80", 0},
              {"\xf5\x80\x80\x80", 0}};
  for (const auto& row : rows) EXPECT_EQ(Utf8CharacterSize(row.text), row.size) << row.text;
}

TEST(Text, JoinPutsSeparatorBetweenParts) {
  EXPECT_EQ(Join(std::vector<std::string>()), "");
  EXPECT_EQ(Join(std::vector<std::string>{"", "a"}), ", a");
  EXPECT_EQ(Join(std::vector<std::string_view>{"a", "b", "c"}, " "), "a b c");
}

TEST(SaysNoSpace, MessagesOfFullFileSystemsAreRecognised) {
  EXPECT_TRUE(SaysNoSpace("OSError: [Errno 28] No space left on device: '/full/ck.pt'"));
  EXPECT_TRUE(SaysNoSpace("dd: error writing 'x': Disk quota exceeded"));
  EXPECT_FALSE(SaysNoSpace("OSError: [Errno 2] No such file or directory"));
  EXPECT_FALSE(SaysNoSpace(""));
}

}  // namespace
}  // namespace howdah
