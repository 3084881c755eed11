// The sentences that users read: the cause, with numbers and names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "failure.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/core/policy/gang.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// For example "worker:1 failed with exit code 7 on node7 after 3m12s, attempt 0: <cause>".
std::string FailureText(std::string_view task, const Failure& failure);

// The same sentence for a task of the role, with its cause.
Reason FailureReason(const std::string& role, int index, const Failure& failure);

// The restart rule of the role that decided: "roles.worker.restart.rules[0] (log: bad record) says fail".
std::string RuledByText(const jobspec::RoleSpec& role, int rule);

// Whether two tasks failed in the same way: their exits and causes differ at most in numbers, such as ranks and times.
bool SameFailure(const Failure& a, const Failure& b);
// Appends the numbers of other failed tasks to the text, for example "; 2 others failed because of it; 1 other failed,
// too".
std::string WithOthers(std::string first, int because, int too);

// by: the user, the host and the command. ran: the time since the job first ran; nullopt if it never ran.
std::string KilledText(std::string_view by, std::optional<Duration> ran, Duration since_submitted);

// activity: the kind of the last activity. ago: how long ago it was. stack: the stack location; empty if not known.
std::string HungText(Duration ago, std::string_view activity, const std::optional<TaskProgress>& progress,
                     std::string_view stack);

// Tasks whose processes are at the same location.
struct TasksAtStack {
  std::vector<std::string> tasks;
  std::string stack;
};
// For example "worker:0, worker:2 are at all_reduce (train.py:40)".
std::string StackText(const std::vector<std::string>& tasks, std::string_view stack);
// Appends the locations of other tasks to the text about a task, for example "; worker:0, worker:2 are there too;
// worker:3 is at load (train.py:9)". Tasks at the same location come first, then the smallest groups. stack: the
// location of the task that the text is about.
std::string WithOtherStacks(std::string text, std::string_view stack, std::vector<TasksAtStack> others);

// The newest checkpoint that the tasks have reported.
struct ReportedCheckpoint {
  std::string task;
  int64_t step = 0;
  Duration ago{};
};
// unfinished: UnfinishedRoleText; may be empty.
std::string TimeLimitText(Duration limit, Duration ran, const std::optional<ReportedCheckpoint>& newest,
                          std::string_view checkpoint_dir, const std::string& unfinished);
// For example "worker has ended, server:0 has not; a role that is to stop with the others needs `kind: service`".
std::string UnfinishedRoleText(const std::vector<std::string>& ended_roles, const std::vector<std::string>& tasks);

// since: the start of the task's attempt.
std::string UnreadyText(const std::string& waiting_role, const std::string& task, const jobspec::Ready& probe,
                        Instant since);

// The tasks and containers that an incomplete gang has, and those that it still needs, for the message about its
// timeout.
struct Shortfall {
  int ready = 0, wanted = 0;
  int held = 0;  // containers in which nothing was launched, because other containers were not granted
  std::vector<std::string> without_container;
  std::vector<std::string> unconnected;  // with their nodes: "worker:2 on node7"
  std::string backend;                   // the backend's reason for the wait, in one line, or empty
};
std::string GangTimeoutText(const policy::WaitLimit& wait, const Shortfall& shortfall);

// A clause that explains why the job continues without a member that got no replacement. limit: how long the job
// waited. others: the number of tasks of the same role that continue.
std::string GoesOnWithoutText(bool preempted, Duration limit, int others);
std::string NotReplacedText(const policy::WaitLimit& wait, std::string_view backend);

// running: the number of tasks of the role that still run.
std::string OutlivedText(const jobspec::RoleSpec& role, int running);

// The reason why the job waits while a gang holds only some of its containers. HoldingText: before the gang releases
// them. ReleasedText: after the release.
std::string HoldingText(int held, int wanted, Duration held_for, Duration left);
std::string ReleasedText(int held, int wanted, Duration held_for, Duration again_in);

// For example "worker:3 (rank 4) on node7 is slow: its steps take 2.4 times as long as those of the others (0.8 steps
// per second)".
std::string SlowText(std::string_view task, int rank, std::string_view node, double times, double own);

// For example "worker:0, worker:1, worker:2 and 4 more".
std::string Names(const std::vector<std::string>& names);

// The limit of howdah::OneLine for a clause, in bytes.
inline constexpr size_t kLongestClause = 300;

}  // namespace howdah::core
