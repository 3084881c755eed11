#include "howdah/base/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace howdah {
namespace {

TEST(ParseNumber, WholeTextIsInteger) {
  const struct {
    const char* text;
    std::optional<int> number;
  } cases[] = {
      {"0", 0},
      {"42", 42},
      {"-7", -7},
      {"-0", 0},
      {"0042", 42},
      {"2147483647", 2147483647},
      {"-2147483648", -2147483647 - 1},
      {"2147483648", std::nullopt},
      {"-2147483649", std::nullopt},
      {"99999999999999999999999", std::nullopt},
      {"", std::nullopt},
      {"-", std::nullopt},
      {"+7", std::nullopt},
      {"--7", std::nullopt},
      {"- 7", std::nullopt},
      {" 7", std::nullopt},
      {"7 ", std::nullopt},
      {"7\n", std::nullopt},
      {"7x", std::nullopt},
      {"x7", std::nullopt},
      {"7.0", std::nullopt},
      {"1e3", std::nullopt},
      {"0x10", std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(ParseNumber<int>(c.text), c.number) << "'" << c.text << "'";
}

TEST(ParseNumber, NumberOutsideTypeIsRefused) {
  EXPECT_EQ(ParseNumber<uint16_t>("65535"), 65535);
  EXPECT_EQ(ParseNumber<uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(ParseNumber<uint16_t>("-1"), std::nullopt);
  EXPECT_EQ(ParseNumber<uint16_t>("-0"), std::nullopt);
  EXPECT_EQ(ParseNumber<int64_t>("-9223372036854775808"), INT64_MIN);
  EXPECT_EQ(ParseNumber<int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(ParseNumber<uint64_t>("18446744073709551615"), UINT64_MAX);
  EXPECT_EQ(ParseNumber<uint64_t>("18446744073709551616"), std::nullopt);
}

TEST(ParseNumber, PartOfTextIsParsed) {
  const std::string_view text = "worker-12:34";
  EXPECT_EQ(ParseNumber<int>(text.substr(7, 2)), 12);
  EXPECT_EQ(ParseNumber<int>(text.substr(text.size())), std::nullopt);
  EXPECT_EQ(ParseNumber<int>(std::string_view()), std::nullopt);
  EXPECT_EQ(ParseNumber<int>(std::string_view("7\0", 2)), std::nullopt);
}

TEST(ParseNumber, DigitsOfBaseAreAccepted) {
  const struct {
    const char* text;
    std::optional<uint64_t> number;
  } cases[] = {
      {"1F", 0x1f},
      {"1f", 0x1f},
      {"0000000000000040", 0x40},
      {"ffffffffffffffff", UINT64_MAX},
      {"10000000000000000", std::nullopt},
      {"", std::nullopt},
      {"0x1f", std::nullopt},
      {"1g", std::nullopt},
      {" 1f", std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(ParseNumber<uint64_t>(c.text, 16), c.number) << "'" << c.text << "'";
}

TEST(ParseNumber, WholeTextIsFloatingPoint) {
  const struct {
    const char* text;
    std::optional<double> general, fixed;
  } cases[] = {
      {"0", 0, 0},
      {"0.25", 0.25, 0.25},
      {"-1.5", -1.5, -1.5},
      {".5", 0.5, 0.5},
      {"2.", 2, 2},
      {"inf", HUGE_VAL, HUGE_VAL},
      {"1e3", 1000, std::nullopt},
      {"1E-1", 0.1, std::nullopt},
      {"1e999", std::nullopt, std::nullopt},
      {"", std::nullopt, std::nullopt},
      {".", std::nullopt, std::nullopt},
      {"-", std::nullopt, std::nullopt},
      {"+1", std::nullopt, std::nullopt},
      {" 1", std::nullopt, std::nullopt},
      {"1 ", std::nullopt, std::nullopt},
      {"1.5x", std::nullopt, std::nullopt},
      {"1.2.3", std::nullopt, std::nullopt},
      {"1,5", std::nullopt, std::nullopt},
      {"0x10", std::nullopt, std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ParseNumber<double>(c.text), c.general) << "'" << c.text << "'";
    EXPECT_EQ(ParseNumber<double>(c.text, std::chars_format::fixed), c.fixed) << "'" << c.text << "'";
  }
  EXPECT_TRUE(std::isnan(ParseNumber<double>("nan").value_or(0)));
}

}  // namespace
}  // namespace howdah
