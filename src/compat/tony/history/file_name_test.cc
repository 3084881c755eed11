#include "howdah/compat/tony/history/file_name.h"

#include <gtest/gtest.h>

namespace howdah::compat::tony::history {
namespace {

Instant Millis(int64_t millis) { return Instant(std::chrono::milliseconds(millis)); }

TEST(FileName, WritesAndParsesTonYsNames) {
  const std::pair<FileName, std::string> kRows[] = {
      {{"app123", Millis(1), std::nullopt, "user", ""}, "app123-1-user.jhist.inprogress"},
      {{"app123", Millis(1), Millis(2), "user", "SUCCEEDED"}, "app123-1-2-user-SUCCEEDED.jhist"},
      {{"application_1541469337545_0031", Millis(1542325695566), Millis(1542325733637), "user1", "FAILED"},
       "application_1541469337545_0031-1542325695566-1542325733637-user1-FAILED.jhist"}};
  for (const auto& [name, text] : kRows) {
    EXPECT_EQ(WriteFileName(name), text);
    EXPECT_EQ(ParseFileName(text), name);
  }
}

// TonY's portal splits names at '-', cuts them at '.', and compares them with the lower-case name. So it could read
// none of these user names.
TEST(FileName, CharactersThatTonYCannotReadAreReplacedInUserNames) {
  const std::pair<const char*, const char*> kRows[] = {
      {"ann-lee", "ann_lee"}, {"Ann.Lee", "ann_lee"}, {"svc$1", "svc_1"}, {"", "unknown"}};
  for (const auto& [user, readable] : kRows) {
    EXPECT_EQ(WriteFileName({"app", Millis(1), Millis(2), user, "KILLED"}),
              std::string("app-1-2-") + readable + "-KILLED.jhist");
  }
}

TEST(FileName, NamesThatTonYItselfCannotReadAreParsed) {
  EXPECT_EQ(ParseFileName("app-1-2-ann-lee-FAILED.jhist"),
            (FileName{"app", Millis(1), Millis(2), "ann-lee", "FAILED"}));
  EXPECT_EQ(ParseFileName("app-1-2-Ann.Lee-KILLED.jhist"),
            (FileName{"app", Millis(1), Millis(2), "Ann.Lee", "KILLED"}));
  EXPECT_EQ(ParseFileName("app-1-ann-lee.jhist.inprogress"), (FileName{"app", Millis(1), std::nullopt, "ann-lee", ""}));
}

TEST(FileName, InvalidNameIsRejected) {
  for (const char* text : {"", "tony-final.xml", "app.jhist", "app-x-user.jhist.inprogress", "app-1-2-user.jhist",
                           "app-1-2-user-failed.jhist", "app-1-99999999999999999999-user-FAILED.jhist",
                           "-1-2-u-S.jhist", "app-1-2-user-FAILED.jhist.new", "app\xff-1-user.jhist.inprogress",
                           "a/b-1-user.jhist.inprogress", "a b-1-user.jhist.inprogress"}) {
    EXPECT_EQ(ParseFileName(text), std::nullopt) << text;
  }
  EXPECT_TRUE(ParseFileName(std::string(64, 'a') + "-1-user.jhist.inprogress").has_value());
  EXPECT_FALSE(ParseFileName(std::string(65, 'a') + "-1-user.jhist.inprogress").has_value());
}

TEST(Application, YarnIdIsKeptAndLocalIdGivesAStableYarnId) {
  EXPECT_EQ(ApplicationOf("application_1_0001", Millis(7)), "application_1_0001");
  const std::string made = ApplicationOf("howdah-20261121-064512-x7k2", Millis(1700000000123));
  EXPECT_EQ(made, ApplicationOf("howdah-20261121-064512-x7k2", Millis(1700000000123)));
  EXPECT_NE(made, ApplicationOf("howdah-20261121-064512-x7k3", Millis(1700000000123)));
  EXPECT_TRUE(made.starts_with("application_1700000000123_")) << made;
  EXPECT_EQ(made.size(), std::string("application_1700000000123_0000000").size());
  EXPECT_EQ(made.substr(26).find_first_not_of("0123456789"), std::string::npos);
}

TEST(DayDirectory, UsesLocalTime) {
  const Instant instant = Millis(1559155036000);  // 2019-05-29T18:37:16Z
  EXPECT_EQ(DayDirectory(instant, std::chrono::hours(0)), "2019/05/29");
  EXPECT_EQ(DayDirectory(instant, std::chrono::hours(6)), "2019/05/30");
  EXPECT_EQ(DayDirectory(instant, std::chrono::hours(-19)), "2019/05/28");
  EXPECT_EQ(EndOfDay("2019/05/31"), Millis(1559347200000));
  for (const char* text : {"", "2019/5/31", "2019/02/30", "2019-05-31", "2019/05/3x"}) {
    EXPECT_EQ(EndOfDay(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace howdah::compat::tony::history
