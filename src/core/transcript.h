// Test helper: the life of a job as text (a story). Each line that begins with a time is an event. The actions that the
// core returns follow the event, indented. A test compares the whole text. Brackets mark optional words. C is a
// container, R:I a task, and A an attempt such as a0. The events:
//
//   0s am ATTEMPT [GENERATION FIRST]    0s up (all tasks start; prints nothing)
//   0s resumed ATTEMPT [HOW]            0s tick
//   0s grant C ROLE NODE                0s grant C ROLE NODE vcores=2 (with its resources)
//   0s amcontainer C NODE vcores=2      0s starting C STAGE
//   0s register C [A]                   0s rejected C WHY (the executor is refused)
//   0s heartbeat C                      0s disconnected C
//   0s storing C (its executor stores files before it exits)
//   0s gone C [HOW]                     0s lost C HOW (gone by an infrastructure failure)
//   0s preempted C HOW                  0s reclaim C WHY (a reclaim is announced)
//   0s delayed REASON (the requests)    0s preempting C WHY (a reclaim is announced, for a preemption)
//   0s refused REASON (the requests)    0s started C A
//   0s startfail C A 127                0s ended C A
//   0s exit C A 7                       0s exit C A SIGSEGV rank=1 at=0.5s cause=... consequence=1
//   0s exit C A 7 rule=0                0s exit C A 7 node_fault=1
//   0s exit C A 7 no_restart=WHY
//   0s exit C A SIGTERM during_stop=1   0s exit C A 1 during_stop=1
//   0s serves C A (its readiness probe has succeeded)
//   0s progress C A STEP [CHECKPOINT]   0s saving C A
//   0s sampled C A stack=STACK          0s hung C A at=0.5s activity=output stack=STACK
//   0s scale ROLE SIZE                  0s rendezvous R:I A ready|joined|rejoining|unreachable
//   0s kill GRACE BY (GRACE may be -)   0s late 90s (orders are performed at 90s)
//
// With `up`, each container is named after its task: worker:0 runs in the container worker:0 on node0.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/core/job.h"

namespace howdah::core::testing {

// Creates a role in one line; `edit` changes the fields that matter to the test.
jobspec::RoleSpec RoleOf(std::string name, int instances,
                         const std::function<void(jobspec::RoleSpec&)>& edit = nullptr);
jobspec::JobSpec JobOf(std::vector<jobspec::RoleSpec> roles,
                       const std::function<void(jobspec::JobSpec&)>& edit = nullptr);

// Rules under which the first n roles restart together.
FrameworkRules Ranked(size_t roles);

struct Story {
  jobspec::JobSpec spec;
  FrameworkRules rules;
  uint64_t seed = 1;
};

// Sends the events in the text to a new job. Returns the lines of the events, each followed by the actions of the core.
std::string Play(const Story& story, std::string_view text);

// Fails the test unless Play() returns exactly this text.
void Reads(const Story& story, const char* text);

std::string ToText(const Action& action, const jobspec::JobSpec& spec);

// The instant that a story writes as "1.5s". d: the time since the job was submitted.
Instant At(Duration d);

}  // namespace howdah::core::testing
