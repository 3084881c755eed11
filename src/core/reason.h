// The sentences users read: one of cause, with numbers and names.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gang.h"
#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/core/change.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

// Why an attempt ended badly by itself.
struct Failure {
  enum class How {
    kExit,        // a process of it failed: exit
    kNoStatus,    // it ended, and how was not told
    kStart,       // its command could not be started
    kLost,        // its container went away: what
    kTimeLimit,   // it ran for as long as it may: what
    kNotReady,    // no executor of it ever connected: what
    kTakenBack,   // the place wants its container back: what
    kOutdated,    // it is to start again, as what it was told at its start is not so any more: what
    kNoProgress,  // it runs, and shows no sign of life: what
  };
  How how = How::kExit;
  Instant at;
  ExitStatus exit;
  Diagnosis diagnosis;
  std::string what;  // a clause
  std::string node;
  int attempt = 0;
  std::optional<Duration> ran;
  bool excused = false;  // the task is not to blame: it costs no restart
  bool taken = false;    // its container was taken for others
  // What a rule of the job file or what was seen of the node says must follow; none: the table of what failed does.
  std::optional<jobspec::RestartRule::Then> then = {};
  std::string ruled_by;  // a clause: which rule says so

  // It did nothing wrong, and was told to stop for the sake of others.
  bool planned() const { return how == How::kTakenBack || how == How::kOutdated; }
};

// "worker:1 failed with exit code 7 on node7 after 3m12s, attempt 0: <cause>"
std::string FailureText(std::string_view task, const Failure& failure);

// Which rule of the role's has decided: "roles.worker.restart.rules[0] (log: bad record) says fail".
std::string RuledByText(const jobspec::RoleSpec& role, int rule);

// "...; 2 others failed because of it"
std::string WithOthers(std::string first, int others);

// by: who, from where, with what. ran: since the job first ran; none: it never did.
std::string KilledText(std::string_view by, std::optional<Duration> ran, Duration since_submitted);

// sign: its last sign of life, so long ago. where: its processes stand; empty: not known.
std::string StalledText(Duration ago, std::string_view sign, const std::optional<TaskProgress>& progress,
                        std::string_view where);

// Tasks whose processes stand at the same place.
struct Standing {
  std::vector<std::string> tasks;
  std::string where;
};
// "worker:0, worker:2 stand in all_reduce (train.py:40)"
std::string StandsText(const std::vector<std::string>& tasks, std::string_view where);
// "...; worker:0, worker:2 stand there too; worker:3 stands in load (train.py:9)": the fewest first. where: the task
// that the text is about stands.
std::string WithStanding(std::string text, std::string_view where, std::vector<Standing> others);

// told: the newest checkpoint that a task has told of, and of which; none: it is not known.
struct ReportedCheckpoint {
  std::string task;
  int64_t step = 0;
  Duration ago{};
};
std::string TimeLimitText(Duration limit, Duration ran, const std::optional<ReportedCheckpoint>& told,
                          std::string_view checkpoint_dir);

// What an incomplete gang lacks: names of tasks.
struct Shortfall {
  int ready = 0, wanted = 0;
  int held = 0;  // containers in which nothing was launched, as the others did not come
  std::vector<std::string> without_container;
  std::vector<std::string> unconnected;  // with their nodes: "worker:2 on node7"
  std::string place;                     // what the place says it waits for, in one line, or empty
};
std::string GangTimeoutText(const Patience& patience, const Shortfall& shortfall);

// A member of the world that got no other container: why, as a clause. limit: how long it might have taken. others: of
// its role, that go on.
std::string GoesOnWithoutText(bool taken, Duration limit, int others);
std::string NotReplacedText(const Patience& patience, std::string_view place);

// running: tasks of the role that have not ended.
std::string OutlivedText(const jobspec::RoleSpec& role, int running);

// While some of a gang's containers are held and the others do not come.
std::string HoldingText(int held, int wanted, Duration held_for, Duration left);
std::string GivenBackText(int held, int wanted, Duration held_for, Duration again_in);

// "worker:0, worker:1, worker:2 and 4 more".
std::string Names(const std::vector<std::string>& names);

// The clause as one line of at most limit bytes, cut at a character.
std::string OneLine(std::string_view text, size_t limit = 300);

}  // namespace howdah::core
