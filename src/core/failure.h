// The failure of an attempt: its reason and its remedy.
#pragma once

#include <optional>
#include <string>

#include "howdah/base/exit_status.h"
#include "howdah/base/time.h"
#include "howdah/core/cause.h"
#include "howdah/core/policy/restart.h"
#include "howdah/core/states.h"
#include "howdah/jobspec/job_spec.h"

namespace howdah::core {

using policy::Remedy;

struct Failure {
  Cause::Kind kind = Cause::Kind::kExit;  // one of the kinds that a task's failure can have
  Instant at;
  ExitStatus exit;
  Diagnosis diagnosis;
  std::string what;  // a clause with the details, for kLost and the kinds after it
  std::string node;
  int attempt = 0;
  std::optional<Duration> ran;
  bool not_charged = false;  // its restart is free: an infrastructure failure, or a rule of the job file
  bool preempted = false;    // its container was preempted
  // The verdict of a restart rule of the job file, or of a node fault; nullopt: the defaults of policy::Decide apply.
  std::optional<jobspec::RestartRule::Then> verdict = {};
  std::string ruled_by;  // a clause that names the rule
  // Decided once, when the failure is noted; nullopt if the job was ending or the task was leaving.
  std::optional<Remedy> remedy = {};

  // Whether the attempt ended only because it was ordered to stop, and not through a fault of its own.
  bool planned() const { return kind == Cause::Kind::kReclaimed || kind == Cause::Kind::kOutdated; }
  bool final() const { return verdict == jobspec::RestartRule::Then::kFail; }
};

// Why the job recovers, stops or fails: a sentence for people, and the cause for programs.
struct Reason {
  std::string text;
  std::optional<Cause> cause = {};
};

// Whether a is the root cause rather than b.
inline bool CameFirst(const Failure& a, const Failure& b) {
  return policy::CameFirst({a.final(), a.diagnosis.consequence, a.at}, {b.final(), b.diagnosis.consequence, b.at});
}

// How a container was lost.
struct Loss {
  std::string how;  // a clause
  bool infrastructure = false;
  bool preempted = false;
  bool refused = false;  // as in ContainerExited
};

}  // namespace howdah::core
