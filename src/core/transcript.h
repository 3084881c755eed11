// Test helper: a job's life as text. Each line of a story is an event; the core's actions follow it, indented. A test
// compares the whole text.
//
//   0s am 1 2 5                  1s kill 5s ann            2s scale worker 3          9s tick
//   1s resumed 2                 1s warned c1 why          1s taken c1 how (excused)
//   1s claimed c1 why (for others)                         1s preempted c1 how (excused, for others)
//   1s grant c1 worker node7     1s register c1 [a0]       1s heard c1                1s gone c1 [how]
//   1s started c1 a0             1s exit c1 a0 7           1s exit c1 a0 SIGSEGV rank=1 at=0.5s cause=... consequence=1
//   1s exit c1 a0 7 rule=0       1s exit c1 a0 7 nodefault=1                            1s exit c1 a0 SIGTERM told=1
//   1s progress c1 a0 120 [100]  1s stalled c1 a0 at=0.5s sign=output where=main (train.py:3)
//   1s stands c1 a0 where=main (train.py:3)
//   1s saving c1 a0              1s meets worker:1 a0 arrived|joined|waits|deaf
//   1s ended c1 a0               1s startfail c1 a0 127    1s disconnected c1         1s waited REASON
//   0s up                        all tasks start; prints nothing. Containers are named after
//                                their tasks: worker:0 runs in worker:0 on node0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/core/job.h"

namespace howdah::core::testing {

// A role with one line; change what matters with edit.
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

// Plays the events of the text (its lines that begin with a time) and returns the text as it should have been.
std::string Play(const Story& story, std::string_view text);

// Fails the test unless the story reads like this.
void Reads(const Story& story, const char* text);

std::string ToText(const Action& action, const jobspec::JobSpec& spec);

// The instant of "1.5s" in stories: since the job was submitted.
Instant At(Duration d);

}  // namespace howdah::core::testing
