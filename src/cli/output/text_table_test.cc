#include "howdah/cli/output/text_table.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

TEST(TextTable, AlignsColumnsWithColoursAndUtf8) {
  EXPECT_EQ(FormatTable({{"A", "B"}, {"\x1b[31mé\x1b[0m", "long"}, {"xyz", ""}}),
            "A    B\n\x1b[31mé\x1b[0m    long\nxyz\n");
  EXPECT_EQ(Clip("abcdef", 4), "abc…\x1b[0m");
  EXPECT_EQ(Clip("abcd", 4), "abcd");
  EXPECT_EQ(OneLine("a\nb\x1b"), "a b ");
}

}  // namespace
}  // namespace howdah::cli::output
