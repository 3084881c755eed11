#include "howdah/compat/skeinspec/arguments.h"

#include <gtest/gtest.h>

namespace howdah::compat::skeinspec {
namespace {

using Words = std::vector<std::string>;

TEST(SkeinArguments, SubmitTakesOneFileAndFlagsInAnyPlace) {
  const auto plain = ParseArguments({"application", "submit", "spec.yaml"});
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->action, Arguments::Action::kSubmit);
  EXPECT_EQ(plain->file, "spec.yaml");
  EXPECT_EQ(plain->on, "");
  EXPECT_FALSE(plain->print_job || plain->plan || plain->json || plain->keep);

  const auto flags = ParseArguments({"--on", "local", "application", "-plan", "submit", "s.json", "--json", "--keep"});
  ASSERT_TRUE(flags.ok());
  EXPECT_EQ(flags->file, "s.json");
  EXPECT_EQ(flags->on, "local");
  EXPECT_TRUE(flags->plan && flags->json && flags->keep && !flags->print_job);

  const auto equals = ParseArguments({"application", "submit", "s.json", "-on=yarn", "--print-job"});
  ASSERT_TRUE(equals.ok());
  EXPECT_EQ(equals->on, "yarn");
  EXPECT_TRUE(equals->print_job);
}

TEST(SkeinArguments, HelpAndKeysNeedNoCommand) {
  for (const char* word : {"-help", "--help", "-h"}) {
    EXPECT_EQ(ParseArguments({word})->action, Arguments::Action::kHelp) << word;
  }
  for (const char* word : {"-keys", "--keys"}) {
    EXPECT_EQ(ParseArguments({word})->action, Arguments::Action::kKeys) << word;
  }
}

TEST(SkeinArguments, CommandsOfSkeinNameTheirReplacement) {
  const struct {
    Words words;
    const char* remedy;
  } rows[] = {
      {{"application", "ls"}, "`howdah list`"},
      {{"application", "status", "application_1_2"}, "`howdah status ID`"},
      {{"application", "kill", "application_1_2"}, "`howdah kill ID`"},
      {{"application", "shutdown", "application_1_2", "--status", "FAILED"}, ""},
      {{"application", "shutdown", "application_1_2"}, "`howdah kill ID`"},
      {{"application", "logs", "application_1_2"}, "`howdah logs ID`"},
      {{"application", "mv", "application_1_2", "ml"}, "`howdah queue move ID QUEUE`"},
      {{"application", "specification", "application_1_2"}, "--print-job"},
      {{"container", "ls", "application_1_2"}, "`howdah status ID`"},
      {{"container", "scale", "application_1_2"}, "`howdah scale ID ROLE=N`"},
      {{"kv", "get", "application_1_2"}, "HOWDAH_CLUSTER"},
      {{"driver", "start"}, "needs no driver"},
      {{"config", "gencerts"}, "needs no configuration"},
  };
  for (const auto& row : rows) {
    const auto parsed = ParseArguments(row.words);
    ASSERT_FALSE(parsed.ok()) << row.words[0];
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage) << row.words[0];
    EXPECT_NE(parsed.error().message.find(row.remedy), std::string::npos) << parsed.error().message;
  }
}

TEST(SkeinArguments, MistakesNameTheRemedy) {
  const struct {
    Words words;
    const char* message;
  } rows[] = {
      {{}, "skein: no command; write `howdah skein application submit FILE`"},
      {{"application", "submit"}, "skein: no specification; write `howdah skein application submit FILE`"},
      {{"submit", "a.yaml"}, "skein: unknown command 'submit a.yaml'; write `howdah skein application submit FILE`"},
      {{"application", "submit", "a.yaml", "b.yaml"}, "skein: 'b.yaml' follows the specification; remove it"},
      {{"application", "submit", "a.yaml", "--plna"}, "skein: unknown flag '--plna'; did you mean '--plan'?"},
      {{"application", "submit", "a.yaml", "--zz"},
       "skein: unknown flag '--zz'; `howdah skein --help` lists all flags"},
      {{"application", "submit", "a.yaml", "--on"}, "skein: --on needs a value; write --on yarn or --on local"},
  };
  for (const auto& row : rows) {
    const auto parsed = ParseArguments(row.words);
    ASSERT_FALSE(parsed.ok()) << row.message;
    EXPECT_EQ(parsed.error().code, ErrorCode::kUsage);
    EXPECT_EQ(parsed.error().message, row.message);
  }
}

TEST(SkeinArguments, HelpNamesEveryFlag) {
  for (const char* flag : {"--on BACKEND", "--print-job", "--plan", "--json", "--keep", "--keys"}) {
    EXPECT_NE(ArgumentsHelp().find(flag), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace howdah::compat::skeinspec
