#include "howdah/hadoop/principals/short_name.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace howdah::hadoop::principals {
namespace {

struct Case {
  std::string rules, principal;
};

std::string Map(const Case& c, RuleMechanism mechanism) {
  const auto rules = ShortNameRules::Parse(c.rules, "R", mechanism);
  if (!rules) return "!" + rules.error().message;
  const auto principal = ParsePrincipal(c.principal);
  const auto name = rules->ShortName(*principal);
  return name ? *name : "!" + name.error().message;
}

// tests/yarn/test_kerberos.py compares the rows of the table with Hadoop's own class.
TEST(ShortName, FollowsHadoop) {
  std::ifstream table(HOWDAH_SOURCE_DIR "/src/hadoop/principals/testdata/short_names.tsv");
  int rows = 0;
  for (std::string line; std::getline(table, line);) {
    if (line.starts_with('#')) continue;
    std::vector<std::string> cells;
    std::istringstream columns(line);
    for (std::string cell; std::getline(columns, cell, '\t');) cells.push_back(cell);
    ASSERT_EQ(cells.size(), 4U) << line;
    const Case c{cells[0], cells[1]};
    const std::string hadoop = Map(c, RuleMechanism::kHadoop), mit = Map(c, RuleMechanism::kMit);
    EXPECT_EQ(hadoop.starts_with('!') ? "!" : hadoop, cells[2]) << line << ": " << hadoop;
    EXPECT_EQ(mit.starts_with('!') ? "!" : mit, cells[3]) << line << ": " << mit;
    ++rows;
  }
  EXPECT_GT(rows, 30);
}

TEST(ShortName, RulesMayBeOnSeveralLines) {
  EXPECT_EQ(Map({"RULE:[2:$1](nn)s/.*/hdfs/\n  DEFAULT\n", "alice@R"}, RuleMechanism::kHadoop), "alice");
}

TEST(ShortName, HadoopRefusesNamesWithSlashOrAt) {
  const Case c{"RULE:[1:$1@$0]", "alice@R"};
  const std::string error = Map(c, RuleMechanism::kHadoop);
  EXPECT_NE(error.find("RULE:[1:$1@$0] yields 'alice@R'"), std::string::npos) << error;
}

TEST(ShortName, ErrorListsTheRulesThatWereTried) {
  const Case c{"RULE:[2:$1](nn)s/.*/hdfs/ DEFAULT", "alice@OTHER"};
  const std::string error = Map(c, RuleMechanism::kHadoop);
  for (const char* part :
       {"alice@OTHER", "hadoop.security.auth_to_local", "RULE:[2:$1](nn)s/.*/hdfs/ DEFAULT", "is R"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
}

TEST(ShortName, InvalidRulesAreUsageErrors) {
  for (const char* rules : {"RULE", "DEFAULT RULE:[1:$1", "RULE:[:$1]", "RULE:[9999:$1]", "RULE:[1:$1](()s/a/b/",
                            "RULE:[1:$1](.*)s/(/b/", "hello", "RULE:[1:$1](.*)s/a/"}) {
    const auto parsed = ShortNameRules::Parse(rules, "R", RuleMechanism::kHadoop);
    ASSERT_FALSE(parsed) << rules;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_NE(parsed.error().message.find("invalid rule '"), std::string::npos) << parsed.error().message;
  }
}

TEST(ShortName, MissingParametersAndGroupsAreErrors) {
  EXPECT_NE(Map({"RULE:[1:$2]", "alice@R"}, RuleMechanism::kHadoop).find("parameter"), std::string::npos);
  EXPECT_NE(Map({"RULE:[1:$]", "alice@R"}, RuleMechanism::kHadoop).find("parameter"), std::string::npos);
  EXPECT_NE(Map({"RULE:[1:$1](.*)s/a/$1/", "alice@R"}, RuleMechanism::kHadoop).find("group"), std::string::npos);
}

}  // namespace
}  // namespace howdah::hadoop::principals
