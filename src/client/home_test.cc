#include "howdah/client/home.h"

#include <gtest/gtest.h>

#include <map>

namespace howdah::client {
namespace {

Result<std::string> HomeWith(const std::map<std::string, std::string>& environment) {
  return HowdahHome(
      [&](const std::string& name) {
        const auto it = environment.find(name);
        return it == environment.end() ? std::string() : it->second;
      },
      [] { return Result<std::string>("/here"); });
}

TEST(HowdahHome, HomeVariablesAreReadInOrderOfPrecedence) {
  EXPECT_EQ(*HomeWith({{"HOWDAH_HOME", "/h"}, {"XDG_STATE_HOME", "/x"}, {"HOME", "/u"}}), "/h");
  EXPECT_EQ(*HomeWith({{"XDG_STATE_HOME", "/x"}, {"HOME", "/u"}}), "/x/howdah");
  EXPECT_EQ(*HomeWith({{"HOME", "/u"}}), "/u/.local/state/howdah");
}

TEST(HowdahHome, RemovedCurrentDirectoryIsAnErrorOnlyForARelativePath) {
  const auto gone = []() -> Result<std::string> { return Failed("gone"); };
  EXPECT_EQ(*HowdahHome([](const std::string&) { return std::string("/u"); }, gone), "/u");
  EXPECT_EQ(HowdahHome([](const std::string&) { return std::string("u"); }, gone).error().message, "gone");
}

TEST(HowdahHome, RelativePathIsMadeAbsolute) { EXPECT_EQ(*HomeWith({{"HOWDAH_HOME", "jobs"}}), "/here/jobs"); }

TEST(HowdahHome, EmptyEnvironmentIsAUsageError) {
  const auto home = HomeWith({});
  ASSERT_FALSE(home.ok());
  EXPECT_EQ(home.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace howdah::client
