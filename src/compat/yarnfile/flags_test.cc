#include "howdah/compat/yarnfile/flags.h"

#include <gtest/gtest.h>

#include <sstream>

namespace howdah::compat::yarnfile {
namespace {

Result<Flags> ParsedFlags(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return ParseFlags(words);
}

TEST(YarnAppFlags, FlagsOfYarnAppAreAccepted) {
  const auto launch = ParsedFlags("-launch web web.json -updateQueue prod --updateLifetime 60 -max web=4 -on local");
  ASSERT_TRUE(launch.ok()) << launch.error().message;
  EXPECT_EQ(launch->action, Action::kLaunch);
  EXPECT_EQ(launch->name, "web");
  EXPECT_EQ(launch->file, "web.json");
  EXPECT_EQ(launch->queue, "prod");
  EXPECT_EQ(launch->lifetime, Duration(std::chrono::seconds(60)));
  EXPECT_EQ(launch->maxima, (std::vector<std::pair<std::string, int>>{{"web", 4}}));
  EXPECT_EQ(launch->on, "local");

  const auto flex = ParsedFlags("--flex web -component httpd 3 -component proxy 1");
  ASSERT_TRUE(flex.ok()) << flex.error().message;
  EXPECT_EQ(flex->components, (std::vector<std::pair<std::string, int>>{{"httpd", 3}, {"proxy", 1}}));

  const std::pair<const char*, Action> kActions[] = {
      {"-save a f", Action::kSave}, {"-start a", Action::kStart},     {"-stop a -appTypes yarn-service", Action::kStop},
      {"stop a", Action::kStop},    {"-destroy a", Action::kDestroy}, {"-status a -json", Action::kStatus},
      {"-list", Action::kList},     {"-keys", Action::kKeys},         {"-help", Action::kHelp},
      {"", Action::kHelp}};
  for (const auto& [line, action] : kActions) {
    const auto flags = ParsedFlags(line);
    ASSERT_TRUE(flags.ok()) << line << ": " << flags.error().message;
    EXPECT_EQ(flags->action, action) << line;
  }
}

TEST(YarnAppFlags, MistakesAreNamedWithTheRemedy) {
  const std::pair<const char*, const char*> kMessages[] = {
      {"-launch web", "yarn-app: incomplete flag; write -launch NAME FILE"},
      {"-launch web -plan", "yarn-app: incomplete flag; write -launch NAME FILE"},
      {"-lunch web f", "yarn-app: unknown flag '-lunch'; did you mean -launch?"},
      {"web.json", "yarn-app: unexpected word 'web.json'; see `howdah yarn-app -help`"},
      {"-start a -stop b", "yarn-app: write only one of -start and -stop"},
      {"-stop a -plan",
       "yarn-app: -print-job, -plan, -max, -updateQueue and -updateLifetime belong to -launch and "
       "-save"},
      {"-flex web", "yarn-app: -flex: write -component C N, for example -component web 3"},
      {"-stop web -component a 1", "yarn-app: -component belongs to -flex"},
      {"-flex web -component httpd many", "yarn-app: -component httpd: 'many' is not a number"},
      {"-launch a f -max web", "yarn-app: -max: write COMPONENT=N, for example web=8"},
      {"-launch a f -updateLifetime 0", "yarn-app: -updateLifetime: write seconds, for example 3600"},
      {"-upgrade web -initiate f",
       "yarn-app: -upgrade is not available: Howdah upgrades no service; change the file, "
       "then `-destroy` and `-launch` it"},
      {"-plan", "yarn-app: write an action, for example -launch NAME FILE"}};
  for (const auto& [line, message] : kMessages) {
    const auto flags = ParsedFlags(line);
    ASSERT_FALSE(flags.ok()) << line;
    EXPECT_EQ(flags.error().code, ErrorCode::kUsage) << line;
    EXPECT_EQ(flags.error().message, message) << line;
  }
}

}  // namespace
}  // namespace howdah::compat::yarnfile
