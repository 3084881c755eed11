#include "howdah/os/process/limits.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "howdah/os/files/open_regular.h"
#include "howdah/os/process/spawn.h"
#include "howdah/os/process/testing.h"

namespace howdah::os::process {
namespace {

rlimit OpenFiles() {
  rlimit limit{};
  EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  return limit;
}

TEST(Limits, ChildGetsTheOriginalSoftLimit) {
  const rlimit before = OpenFiles();
  const rlimit low{before.rlim_max / 2, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  const auto original = RaiseOpenFilesLimit();
  EXPECT_EQ(original, low.rlim_cur);
  EXPECT_EQ(OpenFiles().rlim_cur, before.rlim_max);
  files::Scratch scratch;
  const auto out = files::OpenForAppend(scratch / "out");
  ASSERT_TRUE(out.ok());
  for (const auto& limit : {original, std::optional<uint64_t>()}) {
    SpawnRequest request = Bash("ulimit -Sn; ulimit -Hn", scratch.path());
    request.stdout_fd = out->get();
    request.open_files = limit;
    const auto child = SpawnOrError(request);
    ASSERT_TRUE(child.ok());
    EXPECT_EQ(WaitFor(*child).code, 0);
  }
  const std::string hard = std::to_string(before.rlim_max) + "\n";
  EXPECT_EQ(files::Content(scratch / "out"), std::to_string(low.rlim_cur) + "\n" + hard + hard + hard);
  EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

}  // namespace
}  // namespace howdah::os::process
