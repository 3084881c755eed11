// Samples of the stacks of running tasks: which tasks, and how the samples are shown.
#pragma once

#include <string>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/client/find_task.h"
#include "howdah/journal/job_view.h"
#include "howdah/rpc/identity.h"
#include "howdah/rpc/streams/sample_stacks.h"

namespace howdah::client {

// Returns the tasks that `text` names: "worker:1", all tasks of "worker", or for "" all running tasks. Returns kUsage
// if there is no such task, and kFailed if the job has ended or none of its tasks runs.
Result<std::vector<TaskName>> TasksToSample(const std::string& text, const journal::JobView& view);

struct StackOptions {
  bool native = false;  // see rpc::streams::StackRequest
  int signal = 0;
};
// Parses "USR1" or "SIGUSR1"; "" is 0. Returns kUsage for other texts.
Result<int> ParseSignal(const std::string& text);

struct TaskSample {
  TaskName task;
  Result<rpc::streams::TaskStacks> stacks;
};
// Samples the tasks, several at the same time. Blocks for at most 10 s for each task.
std::vector<TaskSample> SampleTasks(const rpc::AmContact& am, const std::vector<TaskName>& tasks,
                                    const StackOptions& options);

// Formats one sample as a JSON object, as docs/command-line.md describes it.
std::string StacksJson(const TaskSample& sample);
// Formats one sample for a terminal.
std::string StacksText(const TaskSample& sample);

}  // namespace howdah::client
