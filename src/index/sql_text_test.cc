#include "sql_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace howdah::index {
namespace {

using query::Filter;

const Instant kNow = *ParseInstant("2026-11-21T12:00:00.000Z");

SqlText Condition(const std::string& text) {
  const auto parsed = query::ParseFilter(text, "ann", kNow);
  return ConditionOf(std::get<Filter>(parsed), kNow);
}

TEST(SqlText, ValuesAreParametersAndNeverText) {
  const std::string evil = "x');DROP TABLE jobs;--";
  for (const std::string key : {"", "user:", "queue:", "name:", "tag:", "framework:", "backend:", "node:"}) {
    for (const std::string wildcard : {"", "*"}) {
      const SqlText text = Condition(key + "\"" + evil + wildcard + "\"");
      EXPECT_EQ(text.sql.find("DROP"), std::string::npos) << text.sql;
      ASSERT_EQ(text.values.size(), 1u) << text.sql;
      EXPECT_THAT(std::get<std::string>(text.values.front()), testing::StartsWith("x');drop table jobs;--"));
    }
  }
}

TEST(SqlText, EveryParameterHasAValue) {
  for (const char* filter :
       {"", "a", "state:live", "-state:live user:me,bob* queue:x", "took:>1h gpus:<=8 goodput:<50%",
        "since:7d until:1d", "tag:a,b node:* check:tail", "-name:*x*,y"}) {
    const SqlText text = Condition(filter);
    EXPECT_EQ(static_cast<size_t>(std::count(text.sql.begin(), text.sql.end(), '?')), text.values.size()) << text.sql;
  }
  for (const std::string& name : query::SortColumns()) {
    const query::Order order = *query::ParseOrder("-" + name);
    for (const bool known : {false, true}) {
      const SqlText after = AfterOf(order, {1.0, "id"}, known, kNow);
      EXPECT_EQ(static_cast<size_t>(std::count(after.sql.begin(), after.sql.end(), '?')), after.values.size())
          << after.sql;
    }
  }
}

TEST(SqlText, ListsEndEachTextWithNul) {
  EXPECT_EQ(ListValue({"a", std::string("b\0c", 3)}), SqlValue(std::string("a\0bc\0", 5)));
  EXPECT_EQ(ListValue({}), SqlValue());
  EXPECT_EQ(TextValue(""), SqlValue());
  EXPECT_EQ(TextValue(std::string("a\0b", 3)), SqlValue("ab"));
}

}  // namespace
}  // namespace howdah::index
