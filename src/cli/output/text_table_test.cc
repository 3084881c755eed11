#include "howdah/cli/output/text_table.h"

#include <gtest/gtest.h>

namespace howdah::cli::output {
namespace {

TEST(TextTable, AlignsColumnsWithColoursAndUtf8) {
  EXPECT_EQ(FormatTable({{"A", "B"}, {Cell::Coloured("\x1b[31mé\x1b[0m"), "long"}, {"xyz", ""}}),
            "A    B\n\x1b[31mé\x1b[0m    long\nxyz\n");
  EXPECT_EQ(Clip("abcdef", 4), "abc…\x1b[0m");
  EXPECT_EQ(Clip("abcd", 4), "abcd");
}

TEST(TextTable, ForeignTextCannotForgeRowsOrColours) {
  EXPECT_EQ(FormatTable({{"ID", "NAME"}, {"a", "x\nb  y"}, {"\x1b[8mc", "\u009b2J"}}),
            "ID     NAME\na      x b  y\n [8mc   2J\n");
}

}  // namespace
}  // namespace howdah::cli::output
