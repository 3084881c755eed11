// Transfers the bytes of one channel of a frame stream: from a file descriptor to frames, or from frames to a file
// descriptor.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "howdah/base/result.h"
#include "howdah/os/files/fd.h"
#include "howdah/wire/tunnel.pb.h"
#include "readiness.h"

namespace howdah::rpc::streams {

inline constexpr size_t kBlock = size_t{64} << 10;  // maximum number of bytes per frame
inline constexpr size_t kWindow = size_t{1} << 20;  // maximum number of unacknowledged bytes per channel

using SendFrame = std::function<void(const wire::Frame&)>;

// Reads a file descriptor and sends its bytes as frames. Used on the loop's thread only. Never calls a handler from
// within a member function.
class ChannelReader : public std::enable_shared_from_this<ChannelReader> {
 public:
  struct Handlers {
    SendFrame send;
    std::function<void()> on_end;          // the end of the file was reached and reported to the peer
    std::function<void(Error)> on_broken;  // reading failed
  };
  ChannelReader(boost::asio::io_context& loop, std::shared_ptr<os::files::Fd> fd, wire::Channel channel,
                Handlers handlers);

  void Start() { Next(); }
  // Must be called when the peer has acknowledged this number of bytes.
  void OnAcknowledged(uint64_t bytes);
  // Stops reading, sending and calling handlers.
  void Stop();
  bool ended() const { return ended_; }

 private:
  void Next();
  void OnReadable();

  std::shared_ptr<os::files::Fd> fd_;
  wire::Channel channel_;
  Handlers handlers_;
  Readiness readiness_;
  uint64_t in_flight_ = 0;
  bool waiting_ = false, ended_ = false;
};

// Writes received bytes to a file descriptor and acknowledges them.
class ChannelWriter : public std::enable_shared_from_this<ChannelWriter> {
 public:
  // The action at the end of the channel.
  enum class AtEnd {
    kClose,
    kShutDown,   // for a socket: shut down writing, keep reading
    kEndOfFile,  // for a terminal: write the end-of-file character
    kNothing,
  };
  struct Options {
    wire::Channel channel = wire::INPUT;
    AtEnd at_end = AtEnd::kClose;
    // Whether the descriptor may be in blocking mode because other programs share it. If so, only small pieces are
    // written, which never block when the descriptor is ready.
    bool may_block = false;
  };
  struct Handlers {
    SendFrame send;
    std::function<void()> on_end;          // the channel has ended, and all bytes have been written
    std::function<void(Error)> on_broken;  // writing failed; further bytes are acknowledged and dropped
  };
  ChannelWriter(boost::asio::io_context& loop, std::shared_ptr<os::files::Fd> fd, Options options, Handlers handlers);

  // Returns false if the sender has exceeded the window.
  [[nodiscard]] bool Add(std::string bytes);
  void End();
  void Stop();
  // Whether all received bytes have been written.
  bool idle() const { return queued_.empty(); }

 private:
  void Next();
  void OnWritable();
  void Break(Error error);
  void Acknowledge(uint64_t bytes);
  void Finish();

  std::shared_ptr<os::files::Fd> fd_;
  Options options_;
  Handlers handlers_;
  Readiness readiness_;
  std::deque<std::string> queued_;
  size_t written_ = 0;  // bytes of the first block that have been written
  size_t size_ = 0;     // received bytes that have not been acknowledged
  uint64_t unacknowledged_ = 0;
  bool waiting_ = false, end_ = false, broken_ = false, stopped_ = false;
};

}  // namespace howdah::rpc::streams
