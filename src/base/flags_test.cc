#include "howdah/base/flags.h"

#include <gtest/gtest.h>

namespace howdah {
namespace {

TEST(Flags, ValuesAndSwitchesAreRead) {
  const auto flags = Flags::Parse({"--index", "3", "--yarn", "--role", "--yarn"}, {"--index", "--role"}, {"--yarn"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->number("--index", -1), 3);
  EXPECT_TRUE(flags->has("--yarn"));
  EXPECT_EQ(flags->text("--role"), "--yarn") << "the word after a flag with a value is its value";
  EXPECT_FALSE(flags->has("--work"));
  EXPECT_EQ(flags->text("--work"), "");
}

TEST(Flags, InvalidNumberGivesTheDefault) {
  for (const char* text : {"", "x", "3x", " 3", "99999999999"}) {
    const auto flags = Flags::Parse({"--index", text}, {"--index"}, {});
    ASSERT_TRUE(flags.ok());
    EXPECT_EQ(flags->number("--index", -1), -1) << text;
  }
}

TEST(Flags, UnknownOrIncompleteArgumentIsAUsageError) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--unknown"}, {"index"}, {"--index"}, {"--yarn", "3"}}) {
    const auto flags = Flags::Parse(arguments, {"--index"}, {"--yarn"});
    ASSERT_FALSE(flags.ok());
    EXPECT_EQ(flags.error().code, ErrorCode::kUsage);
    EXPECT_NE(flags.error().message.find(arguments.back()), std::string::npos) << flags.error().message;
  }
}

}  // namespace
}  // namespace howdah
