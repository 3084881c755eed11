#include "howdah/base/boxed.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace howdah {
namespace {

TEST(Boxed, EmptyHasTheSizeOfAPointerAndNoValue) {
  const Boxed<std::vector<int>> empty;
  EXPECT_EQ(sizeof(empty), sizeof(void*));
  EXPECT_FALSE(empty);
  EXPECT_EQ(std::optional<std::vector<int>>(empty), std::nullopt);
}

TEST(Boxed, CopyHasAValueOfItsOwn) {
  Boxed<std::string> one = std::string("step 7");
  const Boxed<std::string> copy = one;
  one = std::string("step 8");
  EXPECT_EQ(*copy, "step 7");
  EXPECT_EQ(*one, "step 8");
  one = std::nullopt;
  EXPECT_FALSE(one);
  EXPECT_EQ(copy->size(), 6u);
}

TEST(Boxed, EqualityComparesValues) {
  const Boxed<std::string> a = std::string("x"), b = std::string("x"), c = std::string("y"), empty;
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(a, empty);
  EXPECT_EQ(empty, Boxed<std::string>());
}

TEST(Boxed, ConvertsFromAndToOptional) {
  const Boxed<int> from_value = std::optional<int>(7), from_empty = std::optional<int>();
  EXPECT_EQ(std::optional<int>(from_value), 7);
  EXPECT_FALSE(from_empty);
}

}  // namespace
}  // namespace howdah
