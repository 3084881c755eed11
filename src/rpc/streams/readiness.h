// Waits until a descriptor is readable or writable, without changing its flags.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>

namespace howdah::rpc::streams {

// Registers the descriptor in an epoll instance of its own. asio would make the descriptor non-blocking, which affects
// all programs that share it, such as the shell that shares stdin and stdout. Used on the loop's thread only.
class Readiness {
 public:
  enum class Of { kReading, kWriting };
  // The caller owns fd and must keep it open while this object exists.
  Readiness(boost::asio::io_context& loop, int fd, Of of);

  // Calls `ready` once, from the loop, when the descriptor is ready or has an error. Cancel prevents the call. `ready`
  // must keep this object alive.
  void Wait(std::function<void()> ready);
  void Cancel();

 private:
  void Poll(std::function<void()> ready);

  boost::asio::io_context& loop_;
  const int fd_;
  const Of of_;
  // The epoll instance. Not open for a regular file, which is always ready, and if this process has no free descriptor.
  // The descriptor is then polled.
  boost::asio::posix::stream_descriptor watched_;
  boost::asio::steady_timer pause_;
  bool cancelled_ = false;
};

}  // namespace howdah::rpc::streams
