#include "howdah/base/percent.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(Percent, TextIsDecoded) {
  const struct {
    const char* text;
    std::optional<std::string> path, query;  // without and with "+" as a space
  } cases[] = {
      {"", "", ""},
      {"a+b", "a+b", "a b"},
      {"%41%2fz%7A", "A/zz", "A/zz"},
      {"%C3%A9", "\xC3\xA9", "\xC3\xA9"},
      {"%2", std::nullopt, std::nullopt},
      {"%", std::nullopt, std::nullopt},
      {"a%g0", std::nullopt, std::nullopt},
      {"%0g", std::nullopt, std::nullopt},
      {"%C3", std::nullopt, std::nullopt},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(PercentDecoded(c.text, false), c.path) << c.text;
    EXPECT_EQ(PercentDecoded(c.text, true), c.query) << c.text;
  }
}

}  // namespace
}  // namespace howdah
