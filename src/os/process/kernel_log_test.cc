#include "howdah/os/process/kernel_log.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "howdah/os/process/testing.h"

namespace howdah::os::process {
namespace {

void Append(const std::string& path, std::string_view text) {
  const files::Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  ASSERT_EQ(::write(file.get(), text.data(), text.size()), static_cast<ssize_t>(text.size()));
}

TEST(KernelLog, MessagesSinceBeginAreRead) {
  files::Scratch scratch;
  const std::string file = scratch / "kern.log";
  Append(file, "of another job\n");
  KernelLog log;
  EXPECT_EQ(log.Read(), "");
  log.Begin(file);
  EXPECT_EQ(log.Read(), "");
  Append(file, "one\n");
  EXPECT_EQ(log.Read(), "one\n");
  Append(file, "two\n");
  EXPECT_EQ(log.Read(), "one\ntwo\n") << "a second Read returns everything";
  log.Begin(file);
  EXPECT_EQ(log.Read(), "");
}

TEST(KernelLog, LastMessagesOfFloodAreKept) {
  files::Scratch scratch;
  const std::string file = scratch / "kern.log";
  Append(file, "");
  KernelLog log;
  log.Begin(file);
  for (int i = 0; i < 300; ++i) Append(file, std::string(1023, 'x') + "\n");
  Append(file, "the last\n");
  EXPECT_LE(log.Read().size(), size_t{128} << 10);
  EXPECT_TRUE(log.Read().ends_with("\nthe last\n"));
}

TEST(KernelLog, MissingLogIsEmpty) {
  files::Scratch scratch;
  KernelLog log;
  log.Begin(scratch / "no such file");
  EXPECT_EQ(log.Read(), "");
}

// Reads the real kernel log if this process may write to it.
TEST(KernelLog, RealKernelLogIsRead) {
  const files::Fd kernel(::open("/dev/kmsg", O_WRONLY | O_CLOEXEC));
  if (!kernel.valid()) GTEST_SKIP() << "only root may write to /dev/kmsg";
  KernelLog log;
  log.Begin("");
  const std::string text = "howdah's test " + std::to_string(::getpid()) + "\n";
  ASSERT_GT(::write(kernel.get(), text.data(), text.size()), 0);
  if (log.Read().empty()) GTEST_SKIP() << "/dev/kmsg cannot be read here";
  EXPECT_NE(("\n" + log.Read()).find("\n" + text), std::string::npos) << log.Read();
}

}  // namespace
}  // namespace howdah::os::process
