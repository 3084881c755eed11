// A connected socket as one end of a frame stream.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <memory>
#include <string>

#include "channel_io.h"
#include "howdah/os/files/fd.h"

namespace howdah::rpc::streams {

// The two directions end separately. The stream finishes when both have ended. A failure on one side is reported to the
// other side as a failure, so that a broken connection never looks like a finished one. Used on the loop's thread only.
class SocketEnd {
 public:
  enum class Side { kClient, kRemote };  // the client's side sends INPUT and receives OUTPUT
  struct Handlers {
    SendFrame send;
    // Called once. If broken is false, both directions have ended, and the owner finishes the stream. If broken is
    // true, the owner ends the stream immediately.
    std::function<void(bool broken)> on_over;
  };
  SocketEnd(boost::asio::io_context& loop, os::files::Fd socket, Side side, Handlers handlers);
  ~SocketEnd();
  SocketEnd(const SocketEnd&) = delete;
  SocketEnd& operator=(const SocketEnd&) = delete;

  void Start();
  void OnFrame(const wire::Frame& frame);
  // Must be called when the stream has ended.
  void OnClosed();

 private:
  void CloseIfOver();
  void Over(bool broken);

  std::shared_ptr<os::files::Fd> socket_;
  wire::Channel sends_;
  Handlers handlers_;
  std::shared_ptr<ChannelReader> out_;
  std::shared_ptr<ChannelWriter> in_;
  bool out_ended_ = false, in_ending_ = false, in_ended_ = false;
};

}  // namespace howdah::rpc::streams
