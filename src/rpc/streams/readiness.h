// Whether a descriptor can be read or written, without a change to it.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

namespace howdah::rpc::streams {

// asio would make the descriptor non-blocking, for every program that shares it (stdin and stdout are the shell's,
// too). So it is given an epoll instance of its own that holds the descriptor. On the loop's thread.
class Readiness {
 public:
  enum class Of { kReading, kWriting };
  // fd: stays the caller's, and open as long as this lives.
  Readiness(boost::asio::io_context& loop, int fd, Of of);

  // Calls `ready` from the loop once it is so, or there is an error to be read; not after Cancel.
  void Wait(std::function<void()> ready);
  void Cancel();

 private:
  boost::asio::io_context& loop_;
  boost::asio::posix::stream_descriptor watched_;  // the epoll instance; none: a regular file, which is always ready
};

}  // namespace howdah::rpc::streams
