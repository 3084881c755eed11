#include "role_usage.h"

#include <gtest/gtest.h>

namespace howdah::portal {
namespace {

journal::TaskView Task(const std::string& role, int index, core::Usage usage) {
  journal::TaskView task;
  task.role = role, task.index = index, task.usage = usage;
  return task;
}

TEST(UsageByRole, HasTheFiguresOfEachRoleInTheOrderOfTheTasks) {
  journal::JobView view;
  view.tasks = {Task("ps", 0, {.memory_peak_bytes = 10}),
                Task("worker", 0, {.memory_peak_bytes = 30, .cpu_seconds = 2}),
                Task("worker", 1, {.memory_peak_bytes = 20, .cpu_seconds = 1})};
  view.tasks[1].usage.gpu = core::GpuUse{.utilisation_average = 0.5, .memory_average = 0.25};
  view.tasks[2].usage.gpu = core::GpuUse{.utilisation_average = 1.0, .memory_average = 0.75};
  view.tasks[1].progress = core::TaskProgress{.step = 7};
  view.tasks[2].progress = core::TaskProgress{.step = 5};
  view.tasks[2].attempt = 2;
  view.tasks[2].state = core::TaskState::kFailed;
  view.tasks[2].granted = core::Resources{.memory_bytes = 100, .vcores = 2, .gpus = 1};
  const std::vector<RoleUsage> usages = UsageByRole(view);
  ASSERT_EQ(usages.size(), 2u);
  EXPECT_EQ(usages[0], (RoleUsage{.role = "ps", .tasks = 1, .memory_peak_bytes = 10}));
  EXPECT_EQ(usages[1], (RoleUsage{.role = "worker",
                                  .tasks = 2,
                                  .failed = 1,
                                  .restarts = 2,
                                  .memory_peak_bytes = 30,
                                  .memory_bytes = 100,
                                  .vcores = 2,
                                  .gpus = 1,
                                  .cpu_seconds = 3.0,
                                  .gpu_utilisation = 0.75,
                                  .gpu_memory_average = 0.5,
                                  .step = 5}));
}

TEST(UsageByRole, FigureThatNoTaskHasIsNull) {
  journal::JobView view;
  view.tasks = {Task("worker", 0, {})};
  EXPECT_EQ(Dump(ToJson(UsageByRole(view).front())),
            R"({"role":"worker","tasks":1,"failed":0,"restarts":0,"memory_peak_bytes":null,"memory_bytes":null,)"
            R"("vcores":null,"gpus":null,"cpu_seconds":null,"gpu_utilisation":null,"gpu_memory_average":null,)"
            R"("step":null})");
  EXPECT_TRUE(UsageByRole(journal::JobView()).empty());
}

}  // namespace
}  // namespace howdah::portal
