#include "accounts.h"

#include <gmock/gmock.h>

namespace howdah::backend::yarn::am {
namespace {

TEST(Accounts, GroupsAreThoseOfTheMachine) {
  const auto groups = LookUpGroups("root");
  ASSERT_TRUE(groups.ok()) << groups.error().message;
  EXPECT_THAT(*groups, testing::Contains("root"));
  for (const char* user : {"no-such-user", "--help", "-G", "root;id", ""}) {
    const auto none = LookUpGroups(user);
    EXPECT_TRUE(!none.ok() || none->empty()) << user;
  }
}

TEST(Accounts, ASharedAccountIsNamed) {
  const std::string warning = SharedAccountWarning("no-such-user");
  EXPECT_THAT(warning, testing::HasSubstr("not under that of no-such-user"));
  const size_t begin = warning.find("account ") + 8;
  EXPECT_EQ(SharedAccountWarning(warning.substr(begin, warning.find(',') - begin)), "") << "the account itself";
}

}  // namespace
}  // namespace howdah::backend::yarn::am
