#include "readiness.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <optional>

#include "howdah/os/files/fd.h"

namespace howdah::rpc::streams {
namespace {

// Leaves this process no free descriptor.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int lowest_free = ::dup(STDIN_FILENO);
    ::close(lowest_free);
    const rlimit none{static_cast<rlim_t>(lowest_free), before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST(Readiness, DescriptorIsPolledIfNoEpollInstanceCanBeMade) {
  boost::asio::io_context loop(1);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const os::files::Fd reader(ends[0]), writer(ends[1]);
  const boost::asio::steady_timer first(loop);  // makes the loop open its own descriptors
  std::optional<Readiness> readiness;
  {
    const NoDescriptors none;
    readiness.emplace(loop, reader.get(), Readiness::Of::kReading);
  }
  bool ready = false;
  readiness->Wait([&] { ready = true; });
  loop.run_one();
  EXPECT_FALSE(ready);
  ASSERT_EQ(::write(writer.get(), "x", 1), 1);
  loop.run();
  EXPECT_TRUE(ready);
}

TEST(Readiness, RegularFileIsReady) {
  boost::asio::io_context loop(1);
  const os::files::Fd file(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  Readiness readiness(loop, file.get(), Readiness::Of::kReading);
  bool ready = false;
  readiness.Wait([&] { ready = true; });
  loop.run();
  EXPECT_TRUE(ready);
}

}  // namespace
}  // namespace howdah::rpc::streams
