// Processes that end by themselves while the ranked tasks meet again.
#include <gtest/gtest.h>

#include "transcript.h"

namespace howdah::core::testing {
namespace {

// Two workers with one restart each.
spec::JobSpec Workers(int processes) {
  return JobOf({RoleOf("worker", 2, [&](auto& role) {
    role.processes = processes;
    role.restart = {.max = 1, .backoff = std::chrono::seconds(0)};
  })});
}

TEST(JobMeetingEnds, WhoEndsWhileOthersWaitForItHasFailed) {
  Reads({Workers(1), Ranked(1)}, R"(
0s up
1s meets worker:0 a0 joined
1s meets worker:1 a0 joined
5s exit worker:1 a0 1
  job recovering RECOVERING g0 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; the ranked tasks
      that can go on meet again
5s ended worker:1 a0
  task worker:1 FAILED a0 code=1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0
5s meets worker:0 a0 waits
  job recovering RECOVERING g1 | worker:1 failed with exit code 1 on node1 after 5.0s, attempt 0; 1 of 2 ranked tasks
      go on without starting again, as generation 1
  task worker:1 READY a1
  start worker:1 a1 g1 in worker:1
5s started worker:1 a1
  task worker:1 RUNNING a1 g1
6s exit worker:1 a1 0
  job recovering RECOVERING g1 | worker:1 failed with exit code 0 on node1 after 1.0s, attempt 1: it ended while the
      other ranked tasks waited for it; the ranked tasks that can go on meet again
6s ended worker:1 a1
  task worker:1 FAILED a1 code=0 | worker:1 failed with exit code 0 on node1 after 1.0s, attempt 1: it ended while the
      other ranked tasks waited for it
  job stopping | worker:1 failed with exit code 0 on node1 after 1.0s, attempt 1: it ended while the other ranked
      tasks waited for it
  stop worker:0 a0 10s
  release worker:1
)");
}

TEST(JobMeetingEnds, WhoHadEndedBeforeOthersWaitedHasNotFailed) {
  Reads({Workers(2), Ranked(1)}, R"(
0s up
1s meets worker:0 a0 joined
1s meets worker:1 a0 joined
5s meets worker:0 a0 waits
  job recovering RECOVERING g0 | worker:0 has lost touch with the other ranked tasks; the ranked tasks that can go on
      meet again
6s exit worker:0 a0 0 rank=1 at=3s
  stop worker:0 a0 10s
6s exit worker:1 a0 SIGSEGV rank=0 at=4.9s
  stop worker:1 a0 10s
7s exit worker:0 a0 SIGKILL rank=0
7s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGKILL
7s exit worker:1 a0 SIGKILL rank=1
7s ended worker:1 a0
  task worker:1 FAILED a0 signal=SIGSEGV | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 4.9s, attempt 0
  job recovering RECOVERING g1 | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 4.9s, attempt 0; all ranked
      tasks start again as generation 1
  task worker:0 READY a1
  task worker:1 READY a1
  start worker:0 a1 g1 in worker:0
  start worker:1 a1 g1 in worker:1
)");
}

TEST(JobMeetingEnds, WhoHadEndedInPartComesToNoNewWorld) {
  Reads({Workers(2), Ranked(1)}, R"(
0s up
1s meets worker:0 a0 joined
1s meets worker:1 a0 joined
5s exit worker:1 a0 SIGSEGV rank=0
  stop worker:1 a0 10s
  job recovering RECOVERING g0 | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 5.0s, attempt 0; the ranked
      tasks that can go on meet again
5s exit worker:1 a0 SIGKILL rank=1
5s ended worker:1 a0
  task worker:1 FAILED a0 signal=SIGSEGV | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 5.0s, attempt 0
6s meets worker:0 a0 waits
  job recovering RECOVERING g1 | worker:1 was killed by signal 11 (SIGSEGV) on node1 after 5.0s, attempt 0; 1 of 2
      ranked tasks go on without starting again, as generation 1
  task worker:1 READY a1
  start worker:1 a1 g1 in worker:1
7s exit worker:0 a0 0 rank=1 at=4s
  stop worker:0 a0 10s
  stop worker:1 a1 10s
  job recovering RECOVERING g1 | a process of worker:0 had ended before the others met again; all ranked tasks are
      stopped to start again
8s exit worker:0 a0 SIGKILL rank=0
8s ended worker:0 a0
  task worker:0 STOPPED a0 signal=SIGKILL
8s exit worker:1 a1 SIGKILL rank=0
8s exit worker:1 a1 SIGKILL rank=1
8s ended worker:1 a1
  task worker:1 STOPPED a1 signal=SIGKILL
  job recovering RECOVERING g2 | a process of worker:0 had ended before the others met again; all ranked tasks start
      again as generation 2
  task worker:0 READY a1
  task worker:1 READY a2
  start worker:0 a1 g2 in worker:0
  start worker:1 a2 g2 in worker:1
)");
}

}  // namespace
}  // namespace howdah::core::testing
