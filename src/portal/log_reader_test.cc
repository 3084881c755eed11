#include "log_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace howdah::portal {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns at most `step` bytes per read, as a log does that ends there at that moment.
class TextLog final : public backend::LogFile {
 public:
  explicit TextLog(std::string text, int64_t step = 1 << 20) : text_(std::move(text)), step_(step) {}
  Result<int64_t> Size() override { return static_cast<int64_t>(text_.size()); }
  Result<std::string> Read(int64_t offset, int64_t size) override {
    if (offset >= static_cast<int64_t>(text_.size())) return std::string();
    return text_.substr(static_cast<size_t>(offset), static_cast<size_t>(std::min(size, step_)));
  }

 private:
  std::string text_;
  int64_t step_;
};

std::vector<std::string> Hits(const std::string& text, const std::string& query, bool is_expression = false,
                              int64_t step = 1 << 20) {
  TextLog log(text, step);
  const auto matcher = LineMatcher::Make(query, is_expression);
  EXPECT_TRUE(matcher.ok());
  std::vector<std::string> hits;
  const std::atomic<bool> cancelled = false;
  const auto searched = SearchLog(
      log, *matcher,
      [&](const LogHit& hit) {
        hits.push_back(std::to_string(hit.line) + "@" + std::to_string(hit.offset) + " " + hit.text);
        return true;
      },
      cancelled);
  EXPECT_TRUE(searched.ok() && *searched);
  return hits;
}

TEST(LogReader, LinesBeginAfterNewlines) {
  const std::string text = "a\nbb\n\nccc";
  for (const int64_t step : {1, 2, 100}) {
    TextLog log(text, step);
    EXPECT_EQ(*OffsetOfLine(log, 1), 0);
    EXPECT_EQ(*OffsetOfLine(log, 2), 2);
    EXPECT_EQ(*OffsetOfLine(log, 3), 5);
    EXPECT_EQ(*OffsetOfLine(log, 4), 6);
    EXPECT_EQ(*OffsetOfLine(log, 5), 9);
    EXPECT_EQ(*OffsetOfLine(log, 1000), 9);
  }
}

TEST(LogReader, TailCountsAnUnterminatedLine) {
  TextLog unterminated("a\nbb\nccc"), terminated("a\nbb\nccc\n"), empty("");
  EXPECT_EQ(*OffsetOfTail(unterminated, 1), 5);
  EXPECT_EQ(*OffsetOfTail(unterminated, 2), 2);
  EXPECT_EQ(*OffsetOfTail(unterminated, 9), 0);
  EXPECT_EQ(*OffsetOfTail(unterminated, 0), 8);
  EXPECT_EQ(*OffsetOfTail(terminated, 1), 5);
  EXPECT_EQ(*OffsetOfTail(terminated, 2), 2);
  EXPECT_EQ(*OffsetOfTail(empty, 3), 0);
}

TEST(LogReader, TailSpansBlocks) {
  const std::string line(700'000, 'x');
  TextLog log(line + "\n" + line + "\n" + line + "\n", 1 << 30);
  EXPECT_EQ(*OffsetOfTail(log, 2), 700'001);
}

TEST(LogReader, SearchFindsEachLineOnce) {
  const std::string text = "one error, error\nfine\r\nERROR at the end";
  for (const int64_t step : {1, 3, 100}) {
    EXPECT_THAT(Hits(text, "error", false, step), ElementsAre("1@0 one error, error", "3@23 ERROR at the end"));
    EXPECT_THAT(Hits(text, "ERROR", false, step), ElementsAre("3@23 ERROR at the end"));
    EXPECT_THAT(Hits(text, "^f.*e$", true, step), ElementsAre("2@17 fine"));
    EXPECT_THAT(Hits(text, ".", false, step), ElementsAre());
  }
}

TEST(LogReader, SearchFindsTheLinesThatMatchByThemselves) {
  const std::vector<std::string> queries = {"$",    "^",    "^$",    "x*$",  "a\\s+b", "[^a]", "\\bab\\b", "(?i)AB",
                                            "\\Aa", "b\\z", "a$|^b", "ab|$", "^a.*b$", "\\n",  "a\\r$",    "(?-m)^a"};
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::string text;
    std::vector<std::string> lines(1);
    for (int i = 0; i < 40; ++i) {
      const char c = "aab  \n\n\rx"[random() % 9];
      text += c;
      if (c == '\n') lines.emplace_back();
      if (c != '\n') lines.back() += c;
    }
    if (lines.back().empty()) lines.pop_back();
    for (const std::string& query : queries) {
      const auto matcher = LineMatcher::Make(query, /*is_expression=*/true);
      ASSERT_TRUE(matcher.ok()) << query;
      std::vector<int> want, found;
      for (size_t i = 0; i < lines.size(); ++i) {
        std::string line = lines[i];
        if (line.ends_with('\r')) line.pop_back();
        if (matcher->Matches(line)) want.push_back(static_cast<int>(i) + 1);
      }
      for (const std::string& hit : Hits(text, query, true, round % 3 == 0 ? 5 : 100)) found.push_back(std::stoi(hit));
      ASSERT_EQ(found, want) << query << " in " << testing::PrintToString(text);
    }
  }
}

TEST(LogReader, BytesThatAreNotTextAreSearched) {
  EXPECT_THAT(Hits(std::string("\xff\xfe\0 loss\n", 9), "loss"), ElementsAre(std::string("1@0 \xff\xfe\0 loss", 12)));
}

TEST(LogReader, LongLineIsSearchedAtItsBeginning) {
  std::string text = "first " + std::string(3 * kLongestSearchedLine, 'x') + " last\nsecond";
  const auto hits = Hits(text, "first");
  ASSERT_EQ(hits.size(), 1U);
  EXPECT_EQ(hits[0].size(), std::string("1@0 ").size() + kLongestHit);
  EXPECT_THAT(Hits(text, "last"), ElementsAre());
  EXPECT_THAT(Hits(text, "second"), ElementsAre("2@" + std::to_string(text.size() - 6) + " second"));
}

TEST(LogReader, SearchEndsWhenEnoughWasFoundOrItWasCancelled) {
  TextLog log("a\na\na\n");
  const auto matcher = LineMatcher::Make("a", false);
  int hits = 0;
  std::atomic<bool> cancelled = false;
  const auto enough = SearchLog(
      log, *matcher, [&](const LogHit&) { return ++hits < 2; }, cancelled);
  EXPECT_FALSE(*enough);
  EXPECT_EQ(hits, 2);
  cancelled = true;
  EXPECT_FALSE(*SearchLog(
      log, *matcher, [&](const LogHit&) { return ++hits < 100; }, cancelled));
  EXPECT_EQ(hits, 2);
}

TEST(LogReader, InvalidExpressionIsExplained) {
  const auto invalid = LineMatcher::Make("(", true);
  ASSERT_FALSE(invalid.ok());
  EXPECT_THAT(invalid.error().message, HasSubstr("is not a valid regular expression: missing )"));
  EXPECT_TRUE(LineMatcher::Make("(", false).ok());
  EXPECT_FALSE(LineMatcher::Make("", false).ok());
}

}  // namespace
}  // namespace howdah::portal
