// A connected socket as one end of a stream of frames.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "flow.h"
#include "howdah/os/files/fd.h"

namespace howdah::rpc::streams {

// Bytes go both ways, and each way ends by itself, until both have. What breaks one side breaks the other: a connection
// that was cut is never taken for one that has ended. On the loop's thread.
class SocketEnd {
 public:
  enum class Side { kNear, kFar };  // the near one sends INPUT and gets OUTPUT
  struct Handlers {
    SendFrame send;
    // Once: `broken` false: both ways have ended, and the stream is to be finished; true: it is to be ended at once.
    std::function<void(bool broken)> on_over;
  };
  SocketEnd(boost::asio::io_context& loop, os::files::Fd socket, Side side, Handlers handlers);
  ~SocketEnd();
  SocketEnd(const SocketEnd&) = delete;
  SocketEnd& operator=(const SocketEnd&) = delete;

  void Start();
  void OnFrame(const wire::Frame& frame);
  // The stream is gone.
  void OnClosed();

 private:
  void CloseIfOver();
  void Over(bool broken);

  std::shared_ptr<os::files::Fd> socket_;
  wire::Channel sends_;
  Handlers handlers_;
  std::shared_ptr<Outflow> out_;
  std::shared_ptr<Inflow> in_;
  bool out_ended_ = false, in_ending_ = false, in_ended_ = false;
};

}  // namespace howdah::rpc::streams
