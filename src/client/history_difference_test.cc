#include "howdah/client/history_difference.h"

#include <gtest/gtest.h>

namespace howdah::client {
namespace {

TEST(Differences, AddedRemovedAndChangedSettingsAreListed) {
  const auto before =
      SettingsOfJobFile(R"({"name": "a", "roles": {"w": {"memory": "2GiB", "after": ["x"]}}, "gone": 1})");
  const auto after = SettingsOfJobFile(R"({"name": "a", "roles": {"w": {"memory": "4GiB", "after": []}}})");
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(Differences(*before, *after), (std::vector<Difference>{{"gone", "1", std::nullopt},
                                                                   {"roles.w.after", std::nullopt, "[]"},
                                                                   {"roles.w.after[0]", "x", std::nullopt},
                                                                   {"roles.w.memory", "2GiB", "4GiB"}}));
  EXPECT_TRUE(Differences(*before, *before).empty());
  EXPECT_FALSE(SettingsOfJobFile("[]").ok());
}

TEST(Compare, EverySettingOfAnyRunIsListedOnce) {
  using Settings = std::vector<compat::tony::history::Setting>;
  const Settings first = {{"a", "1", "", false}, {"b", "2", "", false}}, second = {{"a", "1", "", false}};
  const Settings third = {{"a", "1", "", false}, {"b", "3", "", false}};
  EXPECT_EQ(Compare({first, second, third}),
            (std::vector<Compared>{{"a", {"1", "1", "1"}, true}, {"b", {"2", std::nullopt, "3"}, false}}));
  EXPECT_TRUE(Compare({}).empty());
  EXPECT_EQ(Compare({first}).back(), (Compared{"b", {"2"}, true}));
}

TEST(Compare, SecretsThatDifferAreDifferentAndHidden) {
  const auto settings = [](const std::string& token) {
    return *SettingsOfJobFile(R"({"env": {"HF_TOKEN": ")" + token + R"("}})", Secrets::kKeep);
  };
  EXPECT_EQ(Compare({settings("a"), settings("b")}),
            (std::vector<Compared>{{"env.HF_TOKEN", {"(hidden)", "(hidden)"}, false}}));
  EXPECT_TRUE(Compare({settings("a"), settings("a")}).front().same);
}

TEST(Compare, FilesAreAlignedByTheirPathInTheWorkingDirectory) {
  const auto before = SettingsOfJobFile(R"({"files": [{"from": "/x/b", "to": "b"}]})");
  const auto after = SettingsOfJobFile(R"({"files": [{"from": "/x/a", "to": "a"}, {"from": "/x/b", "to": "b"}]})");
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(Differences(*before, *after),
            (std::vector<Difference>{{"files[a].from", std::nullopt, "/x/a"}, {"files[a].to", std::nullopt, "a"}}));
}

TEST(Settings, KindIsThatOfTheKey) {
  const std::pair<const char*, SettingKind> cases[] = {
      {"env.SIZE", SettingKind::kEnvironment},
      {"roles.w.env.SIZE", SettingKind::kEnvironment},
      {"env_from[0]", SettingKind::kEnvironment},
      {"files[data.csv].from", SettingKind::kFiles},
      {"roles.w.files[a].to", SettingKind::kFiles},
      {"source", SettingKind::kFiles},
      {"framework", SettingKind::kVersions},
      {"docker.image", SettingKind::kVersions},
      {"roles.w.image", SettingKind::kVersions},
      {"python.archive", SettingKind::kVersions},
      {"on", SettingKind::kBackend},
      {"queue", SettingKind::kBackend},
      {"docker.network", SettingKind::kBackend},
      {"roles.w.node_label", SettingKind::kBackend},
      {"name", SettingKind::kJobFile},
      {"roles.w.memory", SettingKind::kJobFile},
      {"roles.env", SettingKind::kJobFile},
      {"queues", SettingKind::kJobFile},
  };
  for (const auto& [name, kind] : cases) EXPECT_EQ(KindOf(name), kind) << name;
}

TEST(Settings, VariablesThatLookLikeSecretsAreHidden) {
  const auto settings = SettingsOfJobFile(
      R"({"env": {"HF_TOKEN": "a", "SIZE": "b"}, "roles": {"w": {"env": {"PASSWORD": "c"}}}, "files": {"KEY": "d"}})");
  ASSERT_TRUE(settings.ok());
  std::string text;
  for (const auto& setting : *settings) text += setting.name + "=" + setting.value + "\n";
  EXPECT_EQ(text, "env.HF_TOKEN=(hidden)\nenv.SIZE=b\nroles.w.env.PASSWORD=(hidden)\nfiles.KEY=d\n");
}

TEST(Settings, DeeplyNestedJobFileIsRejected) {
  constexpr int kDepth = 1'000'000;
  const auto settings = SettingsOfJobFile(R"({"name": )" + std::string(kDepth, '[') + std::string(kDepth, ']') + "}");
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.error().message, "the stored job file is nested more than 100 deep");
}

TEST(Outcome, HasStateExitCodeAndTasks) {
  journal::JobView view;
  view.name = "mnist";
  view.state = core::JobState::kFailed;
  view.exit_code = 1;
  view.started = Instant(std::chrono::seconds(10));
  view.finished = Instant(std::chrono::seconds(22));
  journal::TaskView task;
  task.role = "worker";
  task.attempt = 1;
  task.state = core::TaskState::kFailed;
  task.exit = ExitStatus{7, std::nullopt};
  view.tasks = {task};
  std::string text;
  for (const auto& setting : OutcomeOf(view)) text += setting.name + "=" + setting.value + "\n";
  EXPECT_EQ(text,
            "name=mnist\nstate=FAILED\nexit_code=1\nduration=12.0s\ntasks=1\nworker:0 state=FAILED\n"
            "worker:0 ended with=exit code 7\nworker:0 attempts=2\n");
}

}  // namespace
}  // namespace howdah::client
