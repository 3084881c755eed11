#include "howdah/backend/yarn/access.h"

#include <gmock/gmock.h>

namespace howdah::backend::yarn {
namespace {

using testing::IsEmpty;

TEST(Access, ListsHaveTheFormOfHadoop) {
  const struct {
    std::vector<std::string> entries;
    const char* text;
  } cases[] = {
      {{}, " "},
      {{"ann"}, "ann "},
      {{"@ml"}, " ml"},
      {{"ann", "@ml", "bob", "@ops"}, "ann,bob ml,ops"},
      {{"ann", "*", "@ml"}, "*"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(ToText(ToAccessList(c.entries)), c.text);
    if (ToAccessList(c.entries).everybody) continue;
    EXPECT_EQ(ParseAccessList(c.text), ToAccessList(c.entries)) << c.text;
  }
}

// AccessControlList.buildACL of Hadoop 3.4.3.
TEST(Access, ListsOfAdministratorsAreParsedAsByHadoop) {
  EXPECT_EQ(ParseAccessList(" * "), (AccessList{true, {}, {}}));
  EXPECT_EQ(ParseAccessList(""), AccessList());
  EXPECT_EQ(ParseAccessList("yarn,,root ops , dev"), (AccessList{false, {"yarn", "root"}, {"ops", "dev"}}));
  EXPECT_EQ(ParseAccessList(" ops"), (AccessList{false, {}, {"ops"}}));
  EXPECT_EQ(ParseAccessList("*,yarn"), (AccessList{false, {"*", "yarn"}, {}}));
}

TEST(Access, ContextsWithoutRightsHaveNoAcls) {
  ::hadoop::yarn::ContainerLaunchContextProto context;
  SetAccess({}, context);
  EXPECT_THAT(context.application_acls(), IsEmpty());
  SetAccess({{"bob"}, {}}, context);
  ASSERT_EQ(context.application_acls_size(), 2);
  EXPECT_EQ(context.application_acls(0).accesstype(), ::hadoop::yarn::APPACCESS_VIEW_APP);
  EXPECT_EQ(context.application_acls(0).acl(), "bob ");
  EXPECT_EQ(context.application_acls(1).accesstype(), ::hadoop::yarn::APPACCESS_MODIFY_APP);
  EXPECT_EQ(context.application_acls(1).acl(), " ");
}

TEST(Access, ARefusalNamesUserRightJobOwnerAndRemedy) {
  const Error error = RightError("stop", "MODIFY_APP", "modify", JobId{"application_1_0002"}, "bob", "ann");
  EXPECT_EQ(error.code, ErrorCode::kUnavailable);
  EXPECT_EQ(
      error.message,
      "user bob has no right to stop application_1_0002, a job of ann (MODIFY_APP); ann can grant it with `access: "
      "{modify: [bob]}` in the job file");
}

}  // namespace
}  // namespace howdah::backend::yarn
