#include "socket_endpoint.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <utility>

namespace howdah::rpc::streams {

SocketEnd::SocketEnd(boost::asio::io_context& loop, os::files::Fd socket, Side side, Handlers handlers)
    : socket_(std::make_shared<os::files::Fd>(std::move(socket))),
      sends_(side == Side::kClient ? wire::INPUT : wire::OUTPUT),
      handlers_(std::move(handlers)) {
  fcntl(socket_->get(), F_SETFL, fcntl(socket_->get(), F_GETFL) | O_NONBLOCK);
  const int on = 1;
  setsockopt(socket_->get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const auto broken = [this](const Error&) { Over(true); };
  out_ = std::make_shared<ChannelReader>(loop, socket_, sends_,
                                         ChannelReader::Handlers{handlers_.send,
                                                                 [this] {
                                                                   out_ended_ = true;
                                                                   CloseIfOver();
                                                                 },
                                                                 broken});
  in_ = std::make_shared<ChannelWriter>(loop, socket_,
                                        ChannelWriter::Options{side == Side::kClient ? wire::OUTPUT : wire::INPUT,
                                                               ChannelWriter::AtEnd::kShutDown, false},
                                        ChannelWriter::Handlers{handlers_.send,
                                                                [this] {
                                                                  in_ended_ = true;
                                                                  CloseIfOver();
                                                                },
                                                                broken});
}

SocketEnd::~SocketEnd() {
  out_->Stop();
  in_->Stop();
}

void SocketEnd::Start() { out_->Start(); }

void SocketEnd::OnFrame(const wire::Frame& frame) {
  switch (frame.kind_case()) {
    case wire::Frame::kData:
      if (!in_->Add(frame.data().bytes())) Over(true);
      return;
    case wire::Frame::kEnd:
      in_ending_ = true;
      return in_->End();
    case wire::Frame::kTaken:
      return out_->OnAcknowledged(frame.taken().bytes());
    default:
      return;  // a frame for processes, or a frame of a later version
  }
}

void SocketEnd::OnClosed() {
  // If both directions have ended, nothing is lost: the endpoint only has to write the bytes that it has received.
  if (out_ended_ && in_ending_) return;
  Over(true);
}

void SocketEnd::CloseIfOver() {
  if (out_ended_ && in_ended_) Over(false);
}

void SocketEnd::Over(bool broken) {
  out_->Stop();
  in_->Stop();
  if (broken) {
    const linger at_once{1, 0};  // makes close() reset the connection, so that the peer sees a failure
    setsockopt(socket_->get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  }
  if (const auto on_over = std::exchange(handlers_.on_over, nullptr)) on_over(broken);  // may destroy *this
}

}  // namespace howdah::rpc::streams
