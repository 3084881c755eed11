#include "howdah/jobspec/start_from.h"

#include <gtest/gtest.h>

#include "testing.h"

namespace howdah::jobspec {
namespace {

constexpr char kWorkflow[] = R"(
roles:
  fetch: {memory: 1GiB, command: "true", kind: setup}
  prepare: {memory: 1GiB, command: "true"}
  store: {memory: 1GiB, command: "true", kind: service}
  train:
    memory: 1GiB
    command: "true"
    after: [store, {role: prepare, finished: true}]
    placement: {apart: [prepare, store]}
  evaluate: {memory: 1GiB, command: "true", after: [{role: train, finished: true}]}
)";

std::vector<std::string> NamesOf(const JobSpec& spec) {
  std::vector<std::string> names;
  for (const RoleSpec& role : spec.roles) names.push_back(role.name);
  return names;
}

TEST(StartFrom, RemovesTheRolesThatMustFinishBefore) {
  const struct {
    const char* role;
    std::vector<std::string> left;
  } rows[] = {{"prepare", {"prepare", "store", "train", "evaluate"}},
              {"train", {"store", "train", "evaluate"}},
              {"evaluate", {"store", "evaluate"}}};
  for (const auto& row : rows) {
    JobSpec spec = ParseJobFile(kWorkflow, testing::Machine()).spec;
    ASSERT_TRUE(StartFrom(spec, row.role).ok()) << row.role;
    EXPECT_EQ(NamesOf(spec), row.left) << row.role;
  }
}

TEST(StartFrom, RemovesReferencesToRemovedRoles) {
  JobSpec spec = ParseJobFile(kWorkflow, testing::Machine()).spec;
  ASSERT_TRUE(StartFrom(spec, "train").ok());
  const RoleSpec& train = spec.roles[1];
  EXPECT_EQ(train.after, std::vector<After>({{.role = "store"}}));
  EXPECT_EQ(train.placement.apart, std::vector<std::string>({"store"}));
}

TEST(StartFrom, RemovesFeedsThatOnlyRemovedRolesRead) {
  JobSpec spec =
      ParseJobFile(std::string(kWorkflow) + "feeds: {a: {roles: prepare}, b: {roles: [prepare, train]}, c: {}}\n",
                   testing::Machine())
          .spec;
  ASSERT_EQ(spec.feeds.size(), 3u);
  ASSERT_TRUE(StartFrom(spec, "train").ok());
  ASSERT_EQ(spec.feeds.size(), 2u);
  EXPECT_EQ(spec.feeds[0].roles, std::vector<std::string>({"train"}));
  EXPECT_EQ(spec.feeds[1].name, "c");
}

TEST(StartFrom, EnvironmentMayReplaceExports) {
  std::string text = kWorkflow;
  text.replace(text.find("prepare: {"), 10, "prepare: {exports: {DATA: \"data=\"}, ");
  JobSpec spec = ParseJobFile(text + "env: {DATA: \"7\"}\n", testing::Machine()).spec;
  EXPECT_TRUE(StartFrom(spec, "train").ok());
}

TEST(StartFrom, RefusesRolesThatCannotBeginTheJob) {
  std::string exporting = kWorkflow;
  exporting.replace(exporting.find("prepare: {"), 10, "prepare: {exports: {DATA: \"data=\"}, ");
  const struct {
    std::string job, role, text;
  } rows[] = {
      {kWorkflow, "trian", "--from trian: the job has no such role; did you mean train?"},
      {kWorkflow, "fetch", "--from fetch: the role waits for no role to finish, so it starts at once; remove --from"},
      {exporting, "train",
       "--from train: role train needs the variable DATA, which role prepare exports; start from prepare, or set the "
       "variable in `env`"},
  };
  for (const auto& row : rows) {
    JobSpec spec = ParseJobFile(row.job, testing::Machine()).spec;
    const JobSpec before = spec;
    const Status status = StartFrom(spec, row.role);
    ASSERT_FALSE(status.ok()) << row.role;
    EXPECT_EQ(status.error().code, ErrorCode::kUsage);
    EXPECT_EQ(status.error().message, row.text);
    EXPECT_EQ(spec, before);
  }
}

}  // namespace
}  // namespace howdah::jobspec
