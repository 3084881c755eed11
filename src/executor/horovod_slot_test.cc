#include "howdah/executor/horovod_slot.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>

#include "howdah/frameworks/horovod/driver.h"
#include "howdah/os/files/testing.h"

namespace howdah::executor {
namespace {

// From now on, inotify_init1 fails in this process as if the user had no instance left.
bool RefuseInotify() {
  sock_filter rules[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                         BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_inotify_init1, 0, 1),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EMFILE),
                         BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program{std::size(rules), rules};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(HorovodPlan, IsFoundWithoutAnInotifyInstance) {
  const os::files::Scratch scratch;
  const std::string directory = scratch / "plan", printed = scratch / "printed";
  ASSERT_TRUE(os::files::MakeDirectories(directory).ok());
  const pid_t waiting = ::fork();
  if (waiting == 0) {
    ::setenv(frameworks::horovod::kDriverOutputVariable, directory.c_str(), 1);
    const int out = ::open(printed.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (!RefuseInotify() || ::dup2(out, STDOUT_FILENO) < 0) ::_exit(2);
    ::_exit(RunHorovodPlan().ok() ? 0 : 1);
  }
  const std::string plan = R"([{"hostname": "n", "rank": 0, "size": 1, "localRank": 0, "localSize": 1, "crossRank": 0,
      "crossSize": 1}])";
  ASSERT_TRUE(os::files::WriteFileAtomically(directory + "/9999____HOROVOD_RENDEZVOUS_SERVER____", plan).ok());
  int status = -1;
  ASSERT_EQ(::waitpid(waiting, &status, 0), waiting);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(os::files::Content(printed), "9999\n" + plan);
}

}  // namespace
}  // namespace howdah::executor
