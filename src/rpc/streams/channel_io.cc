#include "channel_io.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace howdah::rpc::streams {
namespace {

// A pipe or terminal that is ready for writing accepts one page without blocking.
constexpr size_t kSafePiece = 4096;
constexpr char kEndOfFileCharacter = 4;

bool IsTransient(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

ChannelReader::ChannelReader(boost::asio::io_context& loop, std::shared_ptr<os::files::Fd> fd, wire::Channel channel,
                             Handlers handlers)
    : fd_(std::move(fd)),
      channel_(channel),
      handlers_(std::move(handlers)),
      readiness_(loop, fd_->get(), Readiness::Of::kReading) {}

void ChannelReader::Next() {
  if (waiting_ || ended_ || in_flight_ >= kWindow) return;
  waiting_ = true;
  readiness_.Wait([self = shared_from_this()] {
    self->waiting_ = false;
    if (!self->ended_) self->OnReadable();
  });
}

void ChannelReader::OnReadable() {
  wire::Frame frame;
  std::string& bytes = *frame.mutable_data()->mutable_bytes();
  bytes.resize(std::min<uint64_t>(kBlock, kWindow - in_flight_));
  const ssize_t size = read(fd_->get(), bytes.data(), bytes.size());
  if (size < 0 && IsTransient(errno)) return Next();
  if (size > 0) {
    bytes.resize(static_cast<size_t>(size));
    frame.mutable_data()->set_channel(channel_);
    in_flight_ += static_cast<uint64_t>(size);
    handlers_.send(frame);
    return Next();
  }
  const int error = size < 0 ? errno : 0;
  const Handlers handlers = handlers_;
  Stop();
  if (error != 0 && error != EIO) return handlers.on_broken(os::files::SystemError("reading", error));
  // EIO means the end of a terminal: all processes have closed the other side.
  frame.set_end(channel_);
  handlers.send(frame);
  handlers.on_end();
}

void ChannelReader::OnAcknowledged(uint64_t bytes) {
  in_flight_ -= std::min(bytes, in_flight_);
  Next();
}

void ChannelReader::Stop() {
  ended_ = true;
  readiness_.Cancel();
  handlers_ = {};
}

ChannelWriter::ChannelWriter(boost::asio::io_context& loop, std::shared_ptr<os::files::Fd> fd, Options options,
                             Handlers handlers)
    : fd_(std::move(fd)),
      options_(options),
      handlers_(std::move(handlers)),
      readiness_(loop, fd_->get(), Readiness::Of::kWriting) {}

bool ChannelWriter::Add(std::string bytes) {
  if (stopped_ || end_ || bytes.empty()) return true;
  size_ += bytes.size();
  if (size_ > kWindow) return false;
  if (broken_) return Acknowledge(bytes.size()), true;
  queued_.push_back(std::move(bytes));
  Next();
  return true;
}

void ChannelWriter::End() {
  if (std::exchange(end_, true) || stopped_) return;
  Next();
}

void ChannelWriter::Next() {
  if (waiting_ || stopped_) return;
  if (queued_.empty() && !end_) return;
  waiting_ = true;
  readiness_.Wait([self = shared_from_this()] {
    self->waiting_ = false;
    if (!self->stopped_) self->OnWritable();
  });
}

void ChannelWriter::OnWritable() {
  if (queued_.empty()) return end_ ? Finish() : void();
  const std::string& first = queued_.front();
  const size_t left = first.size() - written_;
  const ssize_t size =
      write(fd_->get(), first.data() + written_, options_.may_block ? std::min(left, kSafePiece) : left);
  if (size < 0 && IsTransient(errno)) return Next();
  if (size < 0) return Break(os::files::SystemError("writing"));
  written_ += static_cast<size_t>(size);
  if (written_ == first.size()) {
    written_ = 0;
    queued_.pop_front();
  }
  Acknowledge(static_cast<uint64_t>(size));
  Next();
}

void ChannelWriter::Break(Error error) {
  broken_ = true;
  queued_.clear();
  Acknowledge(size_ - unacknowledged_);
  const auto self = shared_from_this();
  if (const auto on_broken = handlers_.on_broken) on_broken(std::move(error));
  if (!stopped_) Next();
}

// Acknowledges a quarter of the window at a time, so that the sender can continue before the whole window is written.
void ChannelWriter::Acknowledge(uint64_t bytes) {
  unacknowledged_ += bytes;
  if (unacknowledged_ < kWindow / 4) return;
  size_ -= unacknowledged_;
  wire::Frame frame;
  frame.mutable_taken()->set_channel(options_.channel);
  frame.mutable_taken()->set_bytes(std::exchange(unacknowledged_, 0));
  handlers_.send(frame);
}

void ChannelWriter::Finish() {
  const Handlers handlers = handlers_;
  if (options_.at_end == AtEnd::kShutDown) shutdown(fd_->get(), SHUT_WR);
  if (options_.at_end == AtEnd::kEndOfFile) static_cast<void>(!write(fd_->get(), &kEndOfFileCharacter, 1));
  Stop();
  if (options_.at_end == AtEnd::kClose) fd_.reset();
  handlers.on_end();
}

void ChannelWriter::Stop() {
  stopped_ = true;
  queued_.clear();
  readiness_.Cancel();
  handlers_ = {};
}

}  // namespace howdah::rpc::streams
