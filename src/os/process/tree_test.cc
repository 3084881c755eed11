#include "howdah/os/process/tree.h"

#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/testing.h"

namespace howdah::os::process {
namespace {

// Runs `body` in a child process that is a subreaper, so that the test's own children are not affected.
int InSubreaper(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(BecomeSubreaper().ok() ? body() : 99);
  int status = -1;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Whether a process whose command line contains `mark` is still running.
bool Left(const std::string& mark) {
  files::Scratch scratch;
  const auto out = files::OpenForAppend(scratch / "out");
  SpawnRequest request = Bash("pgrep -fc '[" + mark.substr(0, 1) + "]" + mark.substr(1) + "'", scratch.path());
  request.stdout_fd = out->get();
  WaitFor(*SpawnOrError(request));
  return files::Content(scratch / "out") != "0\n";
}

TEST(Tree, DescendantsIncludeOtherSessions) {
  EXPECT_EQ(InSubreaper([] {
              files::Scratch scratch;
              auto child = SpawnOrError(Bash("sleep 1000 & setsid sleep 1001 & touch ready; wait", scratch.path()));
              const bool ready = Eventually([&] { return Descendants(::getpid()).size() == 3; });
              const bool first_is_bash = Descendants(::getpid()).front() == child->pid;
              const bool one_group = LivingGroups({child->pid}).size() == 1;
              KillAllDescendants();
              return ready && first_is_bash && one_group && Descendants(::getpid()).empty() && !HasChildren() ? 0 : 1;
            }),
            0);
}

// Processes try to escape by their own session, a double fork, ignored signals, or by forking repeatedly.
TEST(Tree, KillAllDescendantsReachesEscapedProcesses) {
  const struct {
    const char* name;
    const char* script;
  } rows[] = {
      {"session", "setsid sleep 86301 & touch ready; wait"},
      {"daemon", "(setsid sh -c 'trap \"\" TERM HUP INT; sleep 86302 & sleep 86302' &) ; touch ready"},
      {"chain", "f() { [ $1 -gt 0 ] && (f $(($1 - 1)) &); [ $1 -eq 20 ] && touch ready; exec sleep 86303; }; f 20"},
      {"runner",
       "cat > run.sh <<'X'\n[ $1 -lt 400 ] && (setsid sh run.sh $(($1 + 1)) &)\n[ $1 -eq 20 ] && touch ready\n"
       "exec sleep 86304\nX\nsh run.sh 0"},
      {"bomb",
       "cat > bomb.sh <<'X'\n[ $1 -gt 0 ] && { sh bomb.sh $(($1 - 1)) & sh bomb.sh $(($1 - 1)) & }\n[ $1 -eq 3 ] && "
       "touch "
       "ready\nexec sleep 86305\nX\nsh bomb.sh 7"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(InSubreaper([&] {
                files::Scratch scratch;
                auto child = SpawnOrError(Bash(row.script, scratch.path()));
                if (!Eventually([&] { return files::ReadFile(scratch / "ready").ok(); })) return 1;
                KillAllDescendants();
                return HasChildren() ? 2 : 0;
              }),
              0)
        << row.name;
  }
  EXPECT_FALSE(Left("sleep 8630"));
}

TEST(Tree, ReapAnyReturnsExitStatus) {
  EXPECT_EQ(
      InSubreaper([] {
        auto child = SpawnOrError(Bash("exit 5", ""));
        std::optional<Reaped> reaped;
        Eventually([&] { return (reaped = ReapAny()).has_value(); }, std::chrono::seconds(30), child->pidfd.get());
        return reaped && reaped->pid == child->pid && reaped->status.code == 5 && !ReapAny() && !HasChildren() ? 0 : 1;
      }),
      0);
}

}  // namespace
}  // namespace howdah::os::process
