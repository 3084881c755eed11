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

TEST(TextTable, WideCharactersTakeTwoColumns) {
  const std::pair<const char*, size_t> widths[] = {{"学習", 4},     {"학습", 4}, {"トレイン", 8},
                                                   {"ｆｕｌｌ", 8}, {"🚀", 2},    {"e\u0301te", 3},
                                                   {"…│é", 3},      {"𠀀", 2},   {"\xff", 1}};
  for (const auto& [text, width] : widths) EXPECT_EQ(WidthOf(text), width) << text;
  EXPECT_EQ(FormatTable({{"学習", "B"}, {"abc", "d"}}), "学習  B\nabc   d\n");
  EXPECT_EQ(Clip("学習済み", 5), "学習…\x1b[0m");
  EXPECT_EQ(Clip("学習済み", 6), "学習…\x1b[0m");
  EXPECT_EQ(Clip("学習済み", 8), "学習済み");
}

TEST(TextTable, ForeignTextCannotForgeRowsOrColours) {
  EXPECT_EQ(FormatTable({{"ID", "NAME"}, {"a", "x\nb  y"}, {"\x1b[8mc", "\u009b2J"}}),
            "ID     NAME\na      x b  y\n [8mc   2J\n");
}

}  // namespace
}  // namespace howdah::cli::output
