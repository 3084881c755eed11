// For tests: a server on the loopback interface that answers each request with a function, over TCP or UDP.
#pragma once

#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace howdah::hadoop::kerberos {

class TestKdc {
 public:
  // kTcp: TCP with the length before each message. kRawTcp: the answer is sent without a length. kUdp: UDP, and TCP is
  // refused. kNone: both are refused.
  enum class Transport { kTcp, kRawTcp, kUdp, kNone };
  using Answer = std::function<std::string(const std::string& request)>;

  // Without an `answer` function the server accepts connections and does not answer.
  explicit TestKdc(Answer answer, Transport transport = Transport::kTcp)
      : answer_(std::move(answer)), transport_(transport), end_(eventfd(0, EFD_CLOEXEC)) {
    const bool udp = transport == Transport::kUdp;
    socket_ = socket(AF_INET, (udp ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (bind(socket_, reinterpret_cast<sockaddr*>(&at), size) != 0) abort();
    getsockname(socket_, reinterpret_cast<sockaddr*>(&at), &size);
    port_ = ntohs(at.sin_port);
    if (transport == Transport::kTcp || transport == Transport::kRawTcp) listen(socket_, 16);
    if (answer_) thread_ = std::thread([this, udp] { udp ? ServeUdp() : ServeTcp(); });
  }
  ~TestKdc() {
    eventfd_write(end_, 1);
    if (thread_.joinable()) thread_.join();
    close(socket_);
    close(end_);
  }
  TestKdc(const TestKdc&) = delete;
  TestKdc& operator=(const TestKdc&) = delete;

  uint16_t port() const { return port_; }

 private:
  bool Readable(int fd) const {
    std::array<pollfd, 2> polled{pollfd{fd, POLLIN, 0}, pollfd{end_, POLLIN, 0}};
    poll(polled.data(), polled.size(), -1);
    return polled[1].revents == 0;
  }

  bool Receive(int fd, std::string& bytes, size_t size) const {
    bytes.resize(size);
    for (size_t have = 0; have < size;) {
      if (!Readable(fd)) return false;
      const ssize_t got = recv(fd, bytes.data() + have, size - have, 0);
      if (got <= 0) return false;
      have += static_cast<size_t>(got);
    }
    return true;
  }

  void ServeTcp() const {
    while (Readable(socket_)) {
      const int fd = accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC);
      std::string length, request;
      if (Receive(fd, length, 4)) {
        size_t size = 0;
        for (const char c : length) size = size << 8 | static_cast<unsigned char>(c);
        if (Receive(fd, request, size)) {
          std::string answer = answer_(request);
          if (transport_ == Transport::kTcp) {
            std::string head;
            for (int shift = 24; shift >= 0; shift -= 8) head += static_cast<char>(answer.size() >> shift);
            answer.insert(0, head);
          }
          send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
        }
      }
      close(fd);
    }
  }

  void ServeUdp() const {
    while (Readable(socket_)) {
      std::vector<char> bytes(65536);
      sockaddr_in from{};
      socklen_t size = sizeof from;
      const ssize_t got = recvfrom(socket_, bytes.data(), bytes.size(), 0, reinterpret_cast<sockaddr*>(&from), &size);
      const std::string answer = answer_(std::string(bytes.data(), static_cast<size_t>(std::max<ssize_t>(got, 0))));
      sendto(socket_, answer.data(), answer.size(), 0, reinterpret_cast<sockaddr*>(&from), size);
    }
  }

  const Answer answer_;
  const Transport transport_;
  const int end_;
  int socket_ = -1;
  uint16_t port_ = 0;
  std::thread thread_;
};

}  // namespace howdah::hadoop::kerberos
