#include "howdah/base/json_depth.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(NestsDeeper, OnlyBracketsOutsideStringsCount) {
  const struct {
    const char* json;
    int depth;
  } rows[] = {{"", 0},
              {"7", 0},
              {"[]", 1},
              {R"({"a": [1, [2]], "b": [[3]]})", 3},
              {R"(["[[[", "\"[[", "\\"])", 1},
              {R"(["[[", [)", 2},
              {R"("[[[\)", 0},
              {"[[[", 3},
              {"]]]]", 0}};
  for (const auto& row : rows) {
    EXPECT_FALSE(NestsDeeper(row.json, row.depth)) << row.json;
    EXPECT_EQ(NestsDeeper(row.json, row.depth - 1), row.depth > 0) << row.json;
  }
}

}  // namespace
}  // namespace howdah
