#include "howdah/base/result.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(Error, RemedyIsPartOfTheMessageAndAlsoASeparateField) {
  const Error error = Error::WithRemedy(ErrorCode::kUsage, "there is no directory /x", "create it").While("reading /x");
  EXPECT_EQ(error.message, "reading /x: there is no directory /x; create it");
  EXPECT_EQ(error.WithoutRemedy(), "reading /x: there is no directory /x");
  EXPECT_EQ(error.remedy, "create it");
  EXPECT_EQ(error.code, ErrorCode::kUsage);
}

TEST(Error, MessageWithoutRemedyStaysComplete) {
  EXPECT_EQ(Failed("a; b").WithoutRemedy(), "a; b");
  Error changed = Error::WithRemedy(ErrorCode::kFailed, "a", "b");
  changed.message += " (c)";
  EXPECT_EQ(changed.WithoutRemedy(), "a; b (c)");
}

}  // namespace
}  // namespace howdah
