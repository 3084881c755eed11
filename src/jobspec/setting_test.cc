#include "howdah/jobspec/setting.h"

#include <gtest/gtest.h>

namespace howdah::jobspec {

namespace {

TEST(Setting, JobsOfTonyHaveTonysKeys) {
  JobSpec spec;
  spec.roles.resize(2);
  spec.roles[0].name = "worker";
  spec.roles[1].name = "driver";
  spec.roles[1].env = {{"PREPROCESSING_JOB", "true"}};
  EXPECT_EQ(SettingText(spec, spec.roles[0], "memory", "768MiB"), "memory: 768MiB");
  EXPECT_EQ(SettingName(spec, spec.roles[0], "memory"), "roles.worker.memory");
  EXPECT_EQ(TonySetting(spec, "timeouts.run", "2h"), std::nullopt);
  spec.tony_env = true;
  EXPECT_EQ(SettingName(spec, spec.roles[0], "memory"), "tony.worker.memory");
  EXPECT_EQ(SettingName(spec, spec.roles[0], "resources.yarn.io/fpga"), "roles.worker.resources.yarn.io/fpga");
  const std::pair<std::pair<std::string, std::string>, std::string> rows[] = {
      {{"roles.worker.memory", "768MiB"}, "tony.worker.memory=768m"},
      {{"roles.worker.memory", "3GiB"}, "tony.worker.memory=3g"},
      {{"roles.worker.memory", "1500KiB"}, "tony.worker.memory=2m"},
      {{"roles.worker.vcores", "2"}, "tony.worker.vcores=2"},
      {{"roles.driver.gpus", "1"}, "tony.am.gpus=1"},
      {{"timeouts.run", "2h"}, "tony.application.timeout=7200000"},
      {{"roles.worker.restart.max", "1"}, ""},
      {{"roles.other.memory", "1GiB"}, ""},
      {{"checkpoint.dir", "/x"}, ""},
      {{"roles.memory", "1GiB"}, ""},
  };
  for (const auto& [setting, tony] : rows)
    EXPECT_EQ(TonySetting(spec, setting.first, setting.second).value_or(""), tony) << setting.first;
}

}  // namespace
}  // namespace howdah::jobspec
