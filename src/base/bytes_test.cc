#include "howdah/base/bytes.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(Bytes, AmountIsParsed) {
  const struct {
    const char* text;
    std::optional<int64_t> bytes;
  } rows[] = {{"4GiB", int64_t{4} << 30},
              {"64MiB", 64 << 20},
              {"1KiB", 1024},
              {"2TB", 2'000'000'000'000},
              {"5KB", 5000},
              {"7m", 7 << 20},
              {"1t", int64_t{1} << 40},
              {"0MiB", 0},
              {"", std::nullopt},
              {"2", std::nullopt},
              {"2 GiB", std::nullopt},
              {"-1GiB", std::nullopt},
              {"1.5GiB", std::nullopt},
              {"1G", std::nullopt},
              {"99999999TiB", std::nullopt}};
  for (const auto& row : rows) EXPECT_EQ(ParseBytes(row.text), row.bytes) << row.text;
}

TEST(Bytes, AmountIsFormatted) {
  EXPECT_EQ(BytesToText(int64_t{4} << 30), "4GiB");
  EXPECT_EQ(BytesToText(1536 << 20), "1536MiB");
  EXPECT_EQ(BytesToText(5000), "5KiB");
  EXPECT_EQ(BytesToText(0), "0KiB");
  EXPECT_EQ(FormatBytes(int64_t{41} << 27), "5.1 GiB");
  EXPECT_EQ(FormatBytes(512 << 20), "512 MiB");
  EXPECT_EQ(FormatBytes(17), "17 B");
}

}  // namespace
}  // namespace howdah
