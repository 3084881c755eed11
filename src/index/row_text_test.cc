#include "row_text.h"

#include <gtest/gtest.h>

#include "test_rows.h"

namespace howdah::index {
namespace {

TEST(RowText, ReadsBackEveryField) {
  std::mt19937 random(7);
  for (int i = 0; i < 1000; ++i) {
    query::JobRow row = RandomRow(i, random);
    if (row.progress) row.progress->at = kNow, row.progress->steps_per_second = 4.1;
    row.findings = i;
    row.currency = "EUR";
    row.running_tasks = i;
    row.status_json.clear();  // stored beside the text
    EXPECT_EQ(ReadRow(WriteRow(row)), row) << WriteRow(row);
  }
}

TEST(RowText, HostileTextIsRefused) {
  for (const char* text :
       {"", "{", "[]", "{}", "null", R"({"id":"x","backend":"local"})",
        R"({"id":"x","backend":"local","state":"RUNING"})", R"({"id":7,"backend":"local","state":"RUNNING"})",
        R"({"backend":"local","state":"RUNNING"})", R"({"id":"x","state":"RUNNING"})"})
    EXPECT_FALSE(ReadRow(text).has_value()) << text;
  EXPECT_FALSE(ReadRow(std::string(1'000'000, '[')).has_value());
}

TEST(RowText, FieldOfWrongTypeIsAbsent) {
  const auto row =
      ReadRow(R"({"id":"x","backend":"local","state":"RUNNING","name":[1],"tags":{"a":1},"submitted":"now","gpus":1.5,)"
              R"("progress":7,"severity":"worst","goodput":"1","started":9223372036854775807})");
  ASSERT_TRUE(row.has_value());
  EXPECT_EQ(row->name, "");
  EXPECT_TRUE(row->tags.empty());
  EXPECT_FALSE(row->submitted || row->gpus || row->progress || row->severity || row->goodput);
  EXPECT_EQ(FormatInstant(*row->started).substr(0, 4), "9999");
}

}  // namespace
}  // namespace howdah::index
