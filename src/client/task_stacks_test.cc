#include "howdah/client/task_stacks.h"

#include <gmock/gmock.h>

namespace howdah::client {
namespace {

using testing::HasSubstr;

journal::JobView ViewOf(core::JobState state) {
  journal::JobView view;
  view.id = "job-1";
  view.state = state;
  const std::pair<const char*, core::TaskState> tasks[] = {
      {"worker", core::TaskState::kRunning}, {"worker", core::TaskState::kPending}, {"ps", core::TaskState::kRunning}};
  int index = 0;
  for (const auto& [role, of_task] : tasks) {
    journal::TaskView& task = view.tasks.emplace_back();
    task.role = role;
    task.index = std::string(role) == "worker" ? index++ : 0;
    task.state = of_task;
  }
  return view;
}

std::string Names(const Result<std::vector<TaskName>>& tasks) {
  if (!tasks.ok()) return tasks.error().message;
  std::string text;
  for (const TaskName& task : *tasks) text += task.role + ":" + std::to_string(task.index) + " ";
  return text;
}

TEST(TasksToSample, TextSelectsTasks) {
  const journal::JobView view = ViewOf(core::JobState::kRunning);
  EXPECT_EQ(Names(TasksToSample("", view)), "worker:0 ps:0 ");
  EXPECT_EQ(Names(TasksToSample("worker", view)), "worker:0 worker:1 ");
  EXPECT_EQ(Names(TasksToSample("worker:1", view)), "worker:1 ");
  EXPECT_THAT(Names(TasksToSample("worker:7", view)), HasSubstr("no task 'worker:7'; the tasks are worker:0"));
}

TEST(TasksToSample, JobWithoutRunningTaskIsAnError) {
  EXPECT_THAT(Names(TasksToSample("", ViewOf(core::JobState::kFailed))),
              HasSubstr("job-1 has already finished: FAILED"));
  journal::JobView queued = ViewOf(core::JobState::kQueued);
  queued.tasks.clear();
  EXPECT_EQ(Names(TasksToSample("", queued)), "no task of job-1 is running: the job is QUEUED");
}

TEST(TasksToSample, SignalsAreNamed) {
  EXPECT_EQ(*ParseSignal(""), 0);
  EXPECT_EQ(*ParseSignal("USR1"), 10);
  EXPECT_EQ(*ParseSignal("SIGUSR2"), 12);
  EXPECT_THAT(ParseSignal("SOON").error().message, HasSubstr("there is no signal 'SOON'"));
}

TEST(Stacks, TextAndJsonShowEachProcess) {
  const TaskSample sample{
      {"worker", 1},
      rpc::streams::TaskStacks{2,
                               {{7, 0, "python3 sleeps, 1 thread", "py-spy", "Thread 7\n  f (a.py:1)\x1b[1m\xff\n", ""},
                                {8, std::nullopt, "sh sleeps, 1 thread", "", "", "no stack: why"}},
                               3}};
  EXPECT_EQ(StacksText(sample),
            "worker:1, attempt 2, local rank 0, pid 7: python3 sleeps, 1 thread\n"
            "  Thread 7\n    f (a.py:1) [1m?\n"
            "worker:1, attempt 2, pid 8: sh sleeps, 1 thread\n  no stack: why\n"
            "worker:1: 3 further processes not sampled\n");
  EXPECT_EQ(StacksJson(sample),
            R"({"task":"worker:1","attempt":2,"problem":null,"processes":[{"pid":7,"local_rank":0,)"
            R"("state":"python3 sleeps, 1 thread","tool":"py-spy","stacks":"Thread 7\n  f (a.py:1)\u001b[1m)"
            "\xEF\xBF\xBD"
            R"(\n","problem":null},{"pid":8,"local_rank":null,"state":"sh sleeps, 1 thread","tool":null,)"
            R"("stacks":null,"problem":"no stack: why"}],"omitted":3})");
  const TaskSample failed{{"worker", 1}, Failed("the task is not running")};
  EXPECT_EQ(StacksText(failed), "worker:1: the task is not running\n");
  EXPECT_THAT(StacksJson(failed), HasSubstr(R"("attempt":null,"problem":"the task is not running","processes":[])"));
}

}  // namespace
}  // namespace howdah::client
