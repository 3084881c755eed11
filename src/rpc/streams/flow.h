// The bytes of one channel at one end of a stream: from a descriptor into frames, or from frames into a descriptor.
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

inline constexpr size_t kBlock = size_t{64} << 10;  // of one frame
inline constexpr size_t kWindow = size_t{1} << 20;  // of a channel: sent, and not yet taken by the other end

using SendFrame = std::function<void(const wire::Frame&)>;

// Reads a descriptor and sends. On the loop's thread; handlers are not called from within a call of the owner's.
class Outflow : public std::enable_shared_from_this<Outflow> {
 public:
  struct Handlers {
    SendFrame send;
    std::function<void()> on_end;          // its end has been read and sent
    std::function<void(Error)> on_broken;  // it cannot be read
  };
  Outflow(boost::asio::io_context& loop, std::shared_ptr<os::files::Fd> fd, wire::Channel channel, Handlers handlers);

  void Start() { Next(); }
  // The other end has done with so many bytes.
  void OnTaken(uint64_t bytes);
  // Nothing more is read, sent or called.
  void Stop();
  bool ended() const { return ended_; }

 private:
  void Next();
  void OnReadable();

  std::shared_ptr<os::files::Fd> fd_;
  wire::Channel channel_;
  Handlers handlers_;
  Readiness readiness_;
  uint64_t under_way_ = 0;
  bool waiting_ = false, ended_ = false;
};

// Writes what has come, and gives the sender room again.
class Inflow : public std::enable_shared_from_this<Inflow> {
 public:
  // What the end of the channel means for the descriptor.
  enum class AtEnd {
    kClose,
    kShutDown,   // a socket, which is still read
    kEndOfFile,  // a terminal: the character that means it
    kNothing,
  };
  struct Options {
    wire::Channel channel = wire::INPUT;
    AtEnd at_end = AtEnd::kClose;
    // The descriptor is shared and may block: it is written in pieces that a ready one always takes.
    bool may_block = false;
  };
  struct Handlers {
    SendFrame send;
    std::function<void()> on_end;          // the channel has ended and all of it has been written
    std::function<void(Error)> on_broken;  // it cannot be written; what comes from now on is dropped, and given back
  };
  Inflow(boost::asio::io_context& loop, std::shared_ptr<os::files::Fd> fd, Options options, Handlers handlers);

  // false: more has been sent than there was room for.
  [[nodiscard]] bool Add(std::string bytes);
  void End();
  void Stop();
  // All that has come has been written.
  bool idle() const { return queued_.empty(); }

 private:
  void Next();
  void OnWritable();
  void Break(Error error);
  void Take(uint64_t bytes);
  void Finish();

  std::shared_ptr<os::files::Fd> fd_;
  Options options_;
  Handlers handlers_;
  Readiness readiness_;
  std::deque<std::string> queued_;
  size_t written_ = 0;  // of the first
  size_t size_ = 0;     // of all, together with what has been written and not been given back
  uint64_t untold_ = 0;
  bool waiting_ = false, end_ = false, broken_ = false, stopped_ = false;
};

}  // namespace howdah::rpc::streams
