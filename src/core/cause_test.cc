#include "howdah/core/cause.h"

#include <gtest/gtest.h>

namespace howdah::core {
namespace {

TEST(Cause, TextOfEachKindIsParsedBack) {
  for (int number = 0; number <= static_cast<int>(Cause::Kind::kNotReplaced); ++number) {
    const auto kind = static_cast<Cause::Kind>(number);
    EXPECT_EQ(ParseCauseKind(ToText(kind)), kind) << ToText(kind);
  }
  EXPECT_EQ(ParseCauseKind("later_version"), std::nullopt);
}

}  // namespace
}  // namespace howdah::core
