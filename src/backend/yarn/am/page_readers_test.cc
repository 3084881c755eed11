#include "page_readers.h"

#include <gmock/gmock.h>

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>

namespace howdah::backend::yarn::am {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

hadoop::conf::Configuration Administrators(const std::string& list) {
  hadoop::conf::Configuration configuration({});
  configuration.Set("yarn.admin.acl", list, "yarn-site.xml");
  return configuration;
}

TEST(ReadRule, OwnerReadersAndAdministratorsMayRead) {
  const ReadRule rule(Administrators("yarn ops"), {{"bob", "@ml"}, {"carol"}}, "ann");
  for (const char* user : {"ann", "bob", "yarn"}) EXPECT_EQ(rule.ByName(user), true) << user;
  for (const char* user : {"carol", "ml", "", "Ann"}) EXPECT_EQ(rule.ByName(user), std::nullopt) << user;
  EXPECT_TRUE(rule.ByGroups({"users", "ml"}));
  EXPECT_TRUE(rule.ByGroups({"ops"}));
  EXPECT_FALSE(rule.ByGroups({"users", "bob", "yarn"})) << "names of users";
  EXPECT_FALSE(rule.ByGroups({}));
}

TEST(ReadRule, DefaultsAreThoseOfYarn) {
  EXPECT_EQ(ReadRule(hadoop::conf::Configuration({}), {}, "ann").ByName("bob"), true) << "yarn.admin.acl is *";
  EXPECT_EQ(ReadRule(Administrators(" "), {}, "ann").ByName("bob"), false);
  EXPECT_EQ(ReadRule(Administrators(" ops"), {}, "ann").ByName("ops"), std::nullopt) << "a group";
  EXPECT_EQ(ReadRule(Administrators(" "), {{"*"}, {}}, "ann").ByName("bob"), true);
}

// Users whose groups are looked up on another thread.
class YarnPageReadersTest : public testing::Test {
 protected:
  std::string Check(const std::string& user) {
    std::string refusal = "no answer";
    readers_.Check(user, [&](std::string why) { refusal = std::move(why); });
    while (refusal == "no answer" && loop_.run_one_for(std::chrono::seconds(10)) > 0) {
    }
    return refusal;
  }

  const os::process::Clock clock_;
  boost::asio::io_context loop_;
  // The loop waits for the other thread even if it has nothing else to do, as the AM's loop does.
  const boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_{loop_.get_executor()};
  std::atomic<int> lookups_ = 0;
  YarnPageReaders readers_{
      loop_, clock_, ReadRule(Administrators(" "), {{"@ml"}, {}}, "ann"),
      [this](const std::string& user) -> Result<std::vector<std::string>> {
        ++lookups_;
        if (user == "nobody-knows") return Error{ErrorCode::kFailed, "id: no such user"};
        return user == "bob" ? std::vector<std::string>{"users", "ml"} : std::vector<std::string>{"users"};
      }};
};

TEST_F(YarnPageReadersTest, GroupsDecideAndAreRemembered) {
  EXPECT_EQ(Check("ann"), "");
  EXPECT_EQ(lookups_, 0) << "the owner's groups do not matter";
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Check("bob"), "");
  EXPECT_EQ(lookups_, 1);
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Check("eve"), HasSubstr("user eve has no right to read this job of ann"));
  EXPECT_EQ(lookups_, 2);
}

TEST_F(YarnPageReadersTest, AUserWithoutAnAccountIsRefusedWithTheReason) {
  EXPECT_THAT(Check("nobody-knows"), HasSubstr("id: no such user"));
  EXPECT_EQ(Check("bob"), "");
}

TEST_F(YarnPageReadersTest, QuestionsDuringALookUpAreAnsweredOnceEach) {
  std::vector<std::string> answered;
  for (const char* user : {"bob", "eve", "bob", "eve"}) {
    readers_.Check(user, [&, user](const std::string& refusal) {
      answered.push_back(std::string(user) + (refusal.empty() ? "+" : "-"));
    });
  }
  EXPECT_THAT(answered, IsEmpty());
  while (answered.size() < 4 && loop_.run_one_for(std::chrono::seconds(10)) > 0) {
  }
  EXPECT_THAT(answered, ElementsAre("bob+", "bob+", "eve-", "eve-"));
  EXPECT_EQ(lookups_, 2);
}

}  // namespace
}  // namespace howdah::backend::yarn::am
