// Waits until a descriptor is readable or writable, without changing its flags.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

namespace howdah::rpc::streams {

// asio would make the descriptor non-blocking for all programs that share it (stdin and stdout belong to the shell,
// too). This class registers it in an epoll instance of its own instead. Used on the loop's thread only.
class Readiness {
 public:
  enum class Of { kReading, kWriting };
  // The caller owns fd and keeps it open while this object lives.
  Readiness(boost::asio::io_context& loop, int fd, Of of);

  // Calls `ready` from the loop once the descriptor is ready or has an error; not after Cancel.
  void Wait(std::function<void()> ready);
  void Cancel();

 private:
  boost::asio::io_context& loop_;
  // the epoll instance; closed for a regular file, which is always ready
  boost::asio::posix::stream_descriptor watched_;
};

}  // namespace howdah::rpc::streams
