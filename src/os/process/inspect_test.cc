#include "howdah/os/process/inspect.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "howdah/os/process/spawn.h"
#include "howdah/os/process/testing.h"

namespace howdah::os::process {
namespace {

TEST(InspectProcess, SleepingProcessHasStateAndSystemCall) {
  SpawnRequest request;
  request.program = "/bin/sleep";
  request.argv = {"sleep", "1000"};
  const auto child = SpawnOrError(request);
  ASSERT_TRUE(child.ok());
  ASSERT_TRUE(Eventually([&] { return InspectProcess(child->pid)->state == 'S'; }, std::chrono::seconds(60)));
  const auto facts = InspectProcess(child->pid);
  ASSERT_TRUE(facts);
  EXPECT_EQ(facts->name, "sleep");
  EXPECT_EQ(facts->threads, 1);
  EXPECT_FALSE(facts->python);
  EXPECT_FALSE(facts->Catches(SIGUSR1));
  EXPECT_EQ(facts->Text().substr(0, 12), "sleep sleeps");
  ::kill(child->pid, SIGKILL);
  WaitFor(*child);
}

TEST(InspectProcess, CaughtSignalsAreListed) {
  struct sigaction before {};
  struct sigaction action {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGUSR2, &action, &before);
  const auto facts = InspectProcess(::getpid());
  ::sigaction(SIGUSR2, &before, nullptr);
  ASSERT_TRUE(facts);
  EXPECT_TRUE(facts->Catches(SIGUSR2));
  EXPECT_FALSE(facts->Catches(SIGUSR1));
  EXPECT_FALSE(facts->Catches(0));
}

TEST(InspectProcess, MissingProcessIsNotFound) { EXPECT_FALSE(InspectProcess(0x7ffffff0)); }

TEST(InspectProcess, FactsAreFormatted) {
  ProcessFacts facts{.name = "python3", .state = 'S', .threads = 5, .waits_in = "futex_wait_queue"};
  EXPECT_EQ(facts.Text(), "python3 sleeps in futex_wait_queue, 5 threads");
  facts.system_call = "futex";
  EXPECT_EQ(facts.Text(), "python3 sleeps in futex_wait_queue (system call futex), 5 threads");
  facts = {.name = "x", .state = 'R', .threads = 1};
  EXPECT_EQ(facts.Text(), "x runs, 1 thread");
}

TEST(StartTicks, TicksIdentifyAProcessUntilItEnds) {
  const auto own = StartTicks(getpid());
  ASSERT_TRUE(own);
  EXPECT_EQ(StartTicks(getpid()), own);
  const pid_t child = fork();
  if (child == 0) _exit(0);
  siginfo_t ended;
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(StartTicks(child), std::nullopt) << "a zombie keeps nothing alive";
  waitpid(child, nullptr, 0);
  EXPECT_EQ(StartTicks(child), std::nullopt);
  const auto first = StartTicks(1);
  ASSERT_TRUE(first);
  EXPECT_LT(*first, *own);
}

}  // namespace
}  // namespace howdah::os::process
